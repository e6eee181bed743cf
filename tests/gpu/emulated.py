"""A device that is none: kernels compiled for the processor, on arrays of NumPy."""

import ctypes
import hashlib
import shutil
import subprocess
from pathlib import Path

import numpy as np

from microagg.gpu.device import source

HERE = Path(__file__).parent
OPTIONS = ("-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-pthread", "-fno-strict-aliasing", "-ffp-contract=off")
COMPILER = shutil.which("g++") or shutil.which("c++")


class EmulatedDevice:
    """Runs the kernels of the package as they are, thread by thread."""

    xp = np

    def __init__(self, folder, n_multiprocessors=6, shared_bytes=64 << 10):
        self.folder = Path(folder)
        self.n_multiprocessors = n_multiprocessors
        self.shared_bytes = shared_bytes

    def kernels(self, sources, names, macros, *, together=False):
        launchers = "".join(
            f'extern "C" void launch_{name}(int grid, int x, int y, void** given) '
            f"{{ emulator::launch(&{name}, {'true' if together else 'false'}, {{grid, 1}}, {{x, y}}, given); }}\n"
            for name in names
        )
        code = f'#include "{HERE / "emulator.h"}"\n{source(sources)}\n{launchers}'
        defined = [f"-D{name}={value}" for name, value in macros.items()]
        name = hashlib.sha256((code + " ".join(defined)).encode()).hexdigest()[:16]
        library = self.folder / f"{name}.so"
        if not library.exists():
            text = self.folder / f"{name}.cpp"
            text.write_text(code)
            subprocess.run([COMPILER, *OPTIONS, *defined, "-o", str(library), str(text)], check=True)
        loaded = ctypes.CDLL(str(library))
        return {name: self._kernel(loaded, name) for name in names}

    @staticmethod
    def _kernel(loaded, name):
        function = getattr(loaded, f"launch_{name}")

        def call(grid, block, arguments, shared_bytes=0):
            x, y = block if isinstance(block, tuple) else (block, 1)
            held, pointers = [], (ctypes.c_void_p * len(arguments))()
            for i, argument in enumerate(arguments):
                if isinstance(argument, np.ndarray):
                    assert argument.flags.c_contiguous
                    held.append(ctypes.c_void_p(argument.ctypes.data))
                    pointers[i] = ctypes.addressof(held[-1])
                else:
                    held.append(np.array([argument]))
                    pointers[i] = held[-1].ctypes.data
            function(grid, x, y, pointers)

        return call

    def wait(self):
        pass
