"""Look at what `make wheel` built, and use it where nothing else is: python tests/wheel.py FOLDER

`python tests/wheel.py --installed` uses the package that this interpreter has, as cibuildwheel does on each system.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
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
LICENCES = {"LICENSE", "nanobind.txt", "robin_map.txt"}
SOURCES = {
    "pyproject.toml",
    "CMakeLists.txt",
    "LICENSE",
    "licenses/nanobind.txt",
    "packaging/sbom.py",
    "src/microagg/_core/kernels/mdav/mdav.cpp",
    "src/microagg/py.typed",
    "tests/checks.py",
}
"""What whoever builds from the source must have."""
LARGEST = 8 << 20
"""Bytes of the source at most: neither data nor what was built belongs into it."""


def check_content(wheel: Path) -> None:
    """Refuse a wheel that lacks a module or a data file of the package, or brings along what nobody needs."""
    every = zipfile.ZipFile(wheel).namelist()
    inside = {name for name in every if name.startswith("microagg/")}
    package = Path("src/microagg")
    modules = {f"microagg/{path.relative_to(package).as_posix()}" for path in package.rglob("*.py")}
    lacking = (modules | {f"microagg/{name}" for name in NEEDED}) - inside
    unwanted = {name for name in inside if name.endswith(UNWANTED) or "/tests/" in name}
    unwanted |= {name for name in every if name.split("/")[0] not in ("microagg", metadata_of(wheel))}
    kernels = [name for name in inside if Path(name).name.startswith("_core") and name.endswith((".so", ".pyd"))]
    if lacking or unwanted or len(kernels) != 1:
        raise SystemExit(f"{wheel.name}: lacking {sorted(lacking)}, unwanted {sorted(unwanted)}, kernels {kernels}")


def metadata_of(wheel: Path) -> str:
    """Give the folder of a wheel that says what it is."""
    return "-".join(wheel.name.split("-")[:2]) + ".dist-info"


def check_papers(wheel: Path) -> None:
    """Refuse a wheel without the licences of what is linked in, and without the list of that (PEP 770)."""
    with zipfile.ZipFile(wheel) as archive:
        folder = metadata_of(wheel)
        licences = {Path(name).name for name in archive.namelist() if name.startswith(f"{folder}/licenses/")}
        bill = json.loads(archive.read(f"{folder}/sboms/microagg.cdx.json"))
    named = {part["name"] for part in bill["components"]}
    version = wheel.name.split("-")[1]
    if licences < LICENCES or named != {"nanobind", "robin_map"} or bill["metadata"]["component"]["version"] != version:
        raise SystemExit(f"{wheel.name}: licences {sorted(licences)}, linked in {sorted(named)}")
    if not all(part["version"] and part["licenses"] for part in bill["components"]):
        raise SystemExit(f"{wheel.name}: a part has no version or no licence: {bill['components']}")


def check_source(archive: Path) -> None:
    """Refuse a source from which nobody could build, or that brings along what was built or is not ours."""
    with tarfile.open(archive) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    lacking = SOURCES - names
    unwanted = {name for name in names if name.endswith((".so", ".pyd", ".pyc", ".whl")) or "shared/" in name}
    if lacking or unwanted or archive.stat().st_size > LARGEST:
        size = archive.stat().st_size
        raise SystemExit(f"{archive.name}: lacking {sorted(lacking)}, unwanted {sorted(unwanted)}, {size} bytes")


def use(python: Path, folder: Path) -> None:
    """Make a release with the package that an interpreter has, where nothing can be compiled."""
    empty = {"PATH": str(python.parent), "CC": "false", "CXX": "false", "PYTHONNOUSERSITE": "1"}
    keeps = {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP", "USERPROFILE") if name in os.environ}

    def call(*words: object) -> str:
        command = [str(python), *(str(word) for word in words)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=empty | keeps)
        if done.returncode:
            raise SystemExit(f"{command} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    call("-c", "from microagg import *; METHODS['mdav']")
    without = "import sys; sys.modules['duckdb'] = None; import microagg as ma; ma.partition([[1.0], [2.0]], k=2)"
    call("-c", without)
    microagg = ("-m", "microagg")
    call(*microagg, "datasets", "census_like", "--records", 200, "-o", "people.csv")
    call(*microagg, "anonymize", "people.csv", "-k", 5, "--quasi", "*", "-o", "released.csv", "--report", "report.html")
    if not (folder / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>"):
        raise SystemExit("the report is no page")


def check_use(wheel: Path, folder: Path) -> None:
    """Install the wheel with nothing but what it asks for, and make a release."""
    venv.create(folder, with_pip=True, clear=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--only-binary=:all:", wheel]
    subprocess.run([str(word) for word in install], cwd=folder, check=True)
    use(python, folder)


def main() -> None:
    """Check the one wheel of a folder, and the source beside it; or the package that is installed."""
    if sys.argv[1] == "--installed":
        folder = Path(tempfile.mkdtemp())
        try:
            use(Path(sys.executable), folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return
    folder = Path(sys.argv[1]).resolve()
    (wheel,) = folder.glob("*.whl")
    check_content(wheel)
    check_papers(wheel)
    for archive in folder.glob("*.tar.gz"):
        check_source(archive)
    check_use(wheel, folder / "environment")
    sys.stdout.write(f"{wheel.name}: whole, and works on its own\n")


if __name__ == "__main__":
    main()
