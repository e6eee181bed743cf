"""Where kernels run: on a processor that plays a device, and on a device where there is one."""

import pytest
from emulated import COMPILER, EmulatedDevice

from microagg.errors import DeviceProblem, MissingExtra
from microagg.gpu import CUDA, open_device


@pytest.fixture(scope="session")
def emulated(tmp_path_factory):
    """A device that is none. Skips where kernels cannot be compiled for the processor."""
    if COMPILER is None:
        pytest.skip("there is no C++ compiler to compile kernels for the processor with")
    return EmulatedDevice(tmp_path_factory.mktemp("kernels"))


@pytest.fixture(scope="session")
def cuda():
    """A device. Skips where there is none, and says what is missing."""
    try:
        return open_device(CUDA)
    except (DeviceProblem, MissingExtra) as error:
        pytest.skip(f"no device: {error}")
