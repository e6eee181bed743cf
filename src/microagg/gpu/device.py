"""A device that runs kernels: its arrays, its limits, and the kernels that are compiled for it."""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from microagg.errors import DeviceProblem, InvalidOption, MissingExtra, OnProcessorWarning

CPU, CUDA = "cpu", "cuda"
DEVICES = (CPU, CUDA)
"""Where groups can be made: on the processor, or on a graphics card of NVIDIA."""
LEAST_CAPABILITY = 80
"""The kernels reduce words over a warp, which cards do from Ampere on (compute capability 8.0)."""

Kernel = Callable[..., None]
"""`kernel(grid, block, arguments, shared_bytes)`: how many blocks, of which shape, with what."""


class Device(Protocol):
    """What the wrappers of kernels need: tests have one that is no device at all."""

    xp: Any
    """The module of its arrays: NumPy, or one that does the same."""
    n_multiprocessors: int
    shared_bytes: int
    """How much memory the threads of a block can share."""

    def kernels(
        self, sources: Sequence[str], names: Sequence[str], macros: Mapping[str, int], *, together: bool = False
    ) -> Mapping[str, Kernel]:
        """Compile files of this package as one and give the kernels; `together`: all blocks of one run at once."""

    def wait(self) -> None:
        """Wait until everything that was begun is done."""


def source(names: Sequence[str]) -> str:
    """Give the text of kernels: these files of the package, one after the other.

    >>> "draw" in source(["common.cuh"])
    True
    """
    return "\n".join(files("microagg.gpu").joinpath(name).read_text(encoding="utf-8") for name in names)


def check_device(name: str) -> str:
    """Give the name of a place where groups are made, if there is one of that name.

    >>> check_device("cpu")
    'cpu'
    """
    if name not in DEVICES:
        raise InvalidOption(f"device must be one of {', '.join(DEVICES)}; got {name!r}.")
    return name


def check_alone(promised: object) -> None:
    """Refuse on a device what its kernels do not know of: they keep sizes of groups and nothing else.

    >>> check_alone(None)
    """
    if promised:
        raise InvalidOption(
            "on a device groups keep k alone: what is promised beside it (l, p, t, unit, epsilon) needs device='cpu'."
        )


def open_device(name: str) -> Device:
    """Give the device of that name, or say what is missing."""
    if check_device(name) == CPU:
        raise InvalidOption("the processor is no device with kernels; device must be 'cuda' here.")
    return _cuda()


@functools.cache
def _cuda() -> Device:
    try:
        cupy: Any = importlib.import_module("cupy")
    except ImportError as error:
        raise MissingExtra(
            "device='cuda' needs CuPy: pip install 'microagg[gpu]' for CUDA 13, 'microagg[gpu-cuda12]' for CUDA 12. "
            "device='cpu' works without."
        ) from error
    try:
        count = int(cupy.cuda.runtime.getDeviceCount())
        capability = int(cupy.cuda.Device().compute_capability) if count else 0
    except (cupy.cuda.runtime.CUDARuntimeError, ImportError) as error:
        raise DeviceProblem(
            f"device='cuda' needs a graphics card of NVIDIA and its driver; CuPy says: {error}. device='cpu' works "
            "without."
        ) from error
    if capability < LEAST_CAPABILITY:
        seen = "there is none" if not count else f"this one has {capability / 10:g}"
        raise DeviceProblem(
            f"device='cuda' needs a graphics card of compute capability {LEAST_CAPABILITY / 10:g} or more; {seen}. "
            "device='cpu' works without."
        )
    return CudaDevice(cupy)


class CudaDevice:
    """The current device of CuPy."""

    def __init__(self, cupy: Any) -> None:
        self.xp = cupy
        attributes = cupy.cuda.Device().attributes
        self.n_multiprocessors = int(attributes["MultiProcessorCount"])
        self.shared_bytes = int(attributes["MaxSharedMemoryPerBlockOptin"]) - 1024  # what the system keeps of it

    def kernels(
        self, sources: Sequence[str], names: Sequence[str], macros: Mapping[str, int], *, together: bool = False
    ) -> Mapping[str, Kernel]:
        """Compile with NVRTC, once for each set of macros; CuPy keeps what it compiled on disk too."""
        return _compiled(self.xp, tuple(sources), tuple(names), tuple(macros.items()), together)

    def wait(self) -> None:
        """Wait until everything that was begun is done."""
        self.xp.cuda.get_current_stream().synchronize()


@functools.cache
def _compiled(
    cupy: Any, sources: tuple[str, ...], names: tuple[str, ...], macros: tuple[tuple[str, int], ...], together: bool
) -> Mapping[str, Kernel]:
    module = cupy.RawModule(
        code=source(("intrinsics.cuh", *sources)),
        options=("-std=c++17", *(f"-D{name}={value}" for name, value in macros)),
        backend="nvrtc",
        enable_cooperative_groups=together,
    )

    def kernel(name: str) -> Kernel:
        function = module.get_function(name)

        def call(grid: int, block: int | tuple[int, int], arguments: Sequence[Any], shared_bytes: int = 0) -> None:
            if shared_bytes > function.max_dynamic_shared_size_bytes:
                function.max_dynamic_shared_size_bytes = shared_bytes
            function(
                (grid,), block if isinstance(block, tuple) else (block,), tuple(arguments), shared_mem=shared_bytes
            )

        return call

    return {name: kernel(name) for name in names}


def to_host(array: Any) -> npt.NDArray[Any]:
    """Give an array of a device as one of NumPy.

    >>> to_host(np.arange(2)).tolist()
    [0, 1]
    """
    return np.asarray(array.get() if hasattr(array, "get") else array)


@contextmanager
def our_words() -> Iterator[None]:
    """Say in our words that the memory of the device is too small."""
    try:
        yield
    except MemoryError as error:
        raise DeviceProblem(
            "the records do not fit into the memory of the device: choose device='cpu', or another device."
        ) from error


def on_processor(what: str) -> None:
    """Warn of records that a device cannot take."""
    warnings.warn(what, OnProcessorWarning, stacklevel=2)
