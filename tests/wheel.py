"""Look at the wheel that `make wheel` built, and use it where nothing else is: python tests/wheel.py FOLDER"""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

NEEDED = {
    "py.typed",
    "report/template.html",
    "report/style.css",
    "survey/page.js",
    "report/reproduction.html",
    "reproduce/printed/hm2.csv",
    *(f"gpu/{name}" for name in ("intrinsics.cuh", "common.cuh", "mdav.cu", "nearest.cu", "pairs.cu", "groups.cu")),
}
"""Files beside the modules without which something would not work."""
UNWANTED = (".cpp", ".h", ".pyc", ".pyi")


def check_content(wheel: Path) -> None:
    """Refuse a wheel that lacks a module or a data file of the package, or brings along what nobody needs."""
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("microagg/")}
    package = Path("src/microagg")
    modules = {f"microagg/{path.relative_to(package).as_posix()}" for path in package.rglob("*.py")}
    lacking = (modules | {f"microagg/{name}" for name in NEEDED}) - inside
    unwanted = {name for name in inside if name.endswith(UNWANTED) or "/tests/" in name}
    kernels = [name for name in inside if Path(name).name.startswith("_core") and name.endswith((".so", ".pyd"))]
    if lacking or unwanted or len(kernels) != 1:
        raise SystemExit(f"{wheel.name}: lacking {sorted(lacking)}, unwanted {sorted(unwanted)}, kernels {kernels}")


def check_use(wheel: Path, folder: Path) -> None:
    """Install the wheel with nothing but what it asks for, and make a release."""
    venv.create(folder, with_pip=True, clear=True)
    python = folder / "bin" / "python"

    def call(*words: object) -> str:
        done = subprocess.run([str(word) for word in words], cwd=folder, check=True, capture_output=True, text=True)
        return done.stdout

    call(python, "-m", "pip", "install", "--quiet", wheel)
    call(python, "-c", "from microagg import *; METHODS['mdav']")
    microagg = folder / "bin" / "microagg"
    call(microagg, "datasets", "census_like", "--records", 200, "-o", "people.csv")
    call(microagg, "anonymize", "people.csv", "-k", 5, "--quasi", "*", "-o", "released.csv", "--report", "report.html")
    if not (folder / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>"):
        raise SystemExit("the report is no page")


def main() -> None:
    """Check the one wheel of a folder."""
    folder = Path(sys.argv[1]).resolve()
    (wheel,) = folder.glob("*.whl")
    check_content(wheel)
    check_use(wheel, folder / "environment")
    sys.stdout.write(f"{wheel.name}: whole, and works on its own\n")


if __name__ == "__main__":
    main()
