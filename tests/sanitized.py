"""Run tests with the kernels that `make sanitize` built: python tests/sanitized.py FOLDER TESTS..."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest


def main() -> int:
    """Copy the package beside these kernels and test that copy, not the one that is installed."""
    folder, tests = Path(sys.argv[1]).resolve(), sys.argv[2:]
    package = folder / "microagg"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree("src/microagg", package, ignore=shutil.ignore_patterns("_core*.so", "_core", "__pycache__"))
    for kernels in (folder / "cmake").glob("_core*.so"):
        shutil.copy(kernels, package)
    # An editable install answers before the path does.
    sys.meta_path[:] = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
    sys.path.insert(0, str(folder))
    os.environ["PYTHONPATH"] = str(folder)
    from microagg import _core

    if not Path(_core.__file__).is_relative_to(folder):
        raise SystemExit(f"these are not the kernels of {folder}: {_core.__file__}")
    return int(pytest.main(["-q", "-p", "no:cacheprovider", *tests]))


if __name__ == "__main__":
    sys.exit(main())
