"""What is said where there is no device, and what is refused on one; no device is needed for that."""

import subprocess
import sys
import types

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.constraints import promise
from microagg.errors import DeviceProblem, InvalidOption, MissingExtra
from microagg.gpu import device as devices
from microagg.gpu import open_device

X = np.random.default_rng(0).standard_normal((60, 2))


@pytest.fixture(autouse=True)
def opened_anew():
    """What one test pretends is not remembered for the next."""
    devices._cuda.cache_clear()
    yield
    devices._cuda.cache_clear()


class Failure(RuntimeError):
    """What the driver's library raises."""


def pretended(monkeypatch, count, capability="90"):
    """Let CuPy be there, with so many devices."""

    def devices_seen():
        if count is None:
            raise Failure("CUDA driver version is insufficient")
        return count

    runtime = types.SimpleNamespace(getDeviceCount=devices_seen, CUDARuntimeError=Failure)
    device = types.SimpleNamespace(compute_capability=capability)
    cupy = types.ModuleType("cupy")
    cupy.cuda = types.SimpleNamespace(runtime=runtime, Device=lambda: device)
    monkeypatch.setitem(sys.modules, "cupy", cupy)


@pytest.mark.parametrize("method", ["mdav", "fast"])
def test_without_cupy_it_says_what_to_install(monkeypatch, method):
    """And does not go to the processor in silence."""
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(MissingExtra, match=r"needs CuPy: pip install 'microagg\[gpu\]'"):
        ma.partition(X, 3, method=method, device="cuda")
    with pytest.raises(MissingExtra, match="needs CuPy"):
        ma.partition(X, 3, method="vmdav", refine="local", device="cuda")


@pytest.mark.parametrize(
    ("count", "capability", "message"),
    [
        (None, "90", "needs a graphics card of NVIDIA and its driver; CuPy says: CUDA driver version"),
        (0, "90", "compute capability 8 or more; there is none"),
        (1, "75", r"compute capability 8 or more; this one has 7\.5"),
    ],
)
def test_without_a_device_it_says_so(monkeypatch, count, capability, message):
    pretended(monkeypatch, count, capability)
    with pytest.raises(DeviceProblem, match=message):
        ma.partition(X, 3, method="mdav", device="cuda")


def test_a_release_is_refused_before_anything_is_grouped(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(MissingExtra, match="needs CuPy"):
        ma.anonymize(pd.DataFrame(X, columns=["a", "b"]), k=3, device="cuda")


def test_records_that_do_not_fit_are_told():
    with pytest.raises(DeviceProblem, match="do not fit into the memory of the device"), devices.our_words():
        raise MemoryError


@pytest.mark.parametrize("method", [name for name in ma.METHODS if name not in ("mdav", "fast")])
def test_methods_without_kernels_are_refused(method):
    with pytest.raises(InvalidOption, match="device='cuda' is for mdav, fast and refine='local'; method"):
        ma.partition(X, 3, method=method, device="cuda")


def test_what_kernels_do_not_keep_is_refused(monkeypatch):
    """Promises on confidential columns, and limits of time."""
    pretended(monkeypatch, 1)
    promises = promise({"l": {"ill": 2}}, {"ill": np.arange(60) % 3})
    for method in ("mdav", "fast"):
        with pytest.raises(InvalidOption, match="on a device groups keep k alone"):
            ma.partition(X, 3, method=method, device="cuda", promises=promises)
    with pytest.raises(InvalidOption, match="local search on a device has no time_limit"):
        ma.REFINEMENTS["local"](X, np.arange(60) // 3, 3, device="cuda", time_limit=1.0)


@pytest.mark.parametrize("name", ["gpu", "", None, 3])
def test_devices_have_names(name):
    with pytest.raises(InvalidOption, match="device must be one of cpu, cuda; got"):
        ma.partition(X, 3, device=name)


def test_the_processor_is_no_device():
    with pytest.raises(InvalidOption, match="no device with kernels"):
        open_device("cpu")


def test_cupy_is_not_imported_unless_asked_for():
    """Where it is installed, it takes a second."""
    code = "import sys, microagg as ma; ma.partition([[1.0], [2.0]], 2, method='fast'); print('cupy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
