"""Somebody whom permissions bind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CODE = """
import os, sys
import duckdb
import numpy as np
from microagg import io
from microagg.errors import FileProblem
io.FORMATS[".csv"].load()
if os.geteuid() == 0:
    os.setuid(65534)
try:
    {statement}
except FileProblem as problem:
    print(problem)
"""


class OrdinaryUser:
    """Runs a statement as somebody whom permissions bind, which root is not."""

    def __init__(self, folder: Path):
        self.folder = folder

    def __call__(self, statement: str) -> str:
        command = [sys.executable, "-c", CODE.format(statement=statement), str(self.folder)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
