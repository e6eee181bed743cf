"""The kernel of MDAV, run on the processor: its labels are those of the processor's own MDAV, whatever the data."""

import warnings
from math import fsum

import numpy as np
import pytest

from microagg.errors import OnProcessorWarning
from microagg.gpu import mdav as on_device
from microagg.partition import mdav as on_processor

rng = np.random.default_rng(7)
DATA = {
    "gaussian": rng.standard_normal((150, 3)),
    "twice": np.repeat(rng.standard_normal((75, 3)), 2, axis=0),
    "grid": np.round(rng.standard_normal((150, 3))),
    "far from zero": rng.standard_normal((150, 3)) + 1e6,
    "in tiny units": rng.standard_normal((150, 3)) * 1e-20,
}


@pytest.fixture
def few_threads(monkeypatch):
    """Fewer threads of a block than on a device: each is a fiber here."""
    monkeypatch.setattr(on_device, "THREADS", 256)


@pytest.mark.parametrize("name", DATA)
def test_labels_are_those_of_the_processor(emulated, few_threads, name):
    X, k = DATA[name], 4
    labels = on_device.mdav(emulated, X, k, left=30)
    assert labels.tolist() == on_processor.partition(X, k).tolist()


def test_where_too_many_matter_the_processor_goes_on(emulated, few_threads, monkeypatch):
    """From the last whole round on, with the same labels, and it says so."""
    monkeypatch.setattr(on_device, "CAPACITY", 6)
    X = DATA["gaussian"].copy()
    X[50:100] = X[50]
    with pytest.warns(OnProcessorWarning, match=r"equally near or far.* for the last \d+ of 150 records. The labels"):
        labels = on_device.mdav(emulated, X, 3, left=30)
    assert labels.tolist() == on_processor.partition(X, 3).tolist()


@pytest.mark.parametrize(
    ("X", "k", "message"),
    [
        (rng.standard_normal((60, 17)), 3, "at most 16 columns on a device, and there are 17"),
        (rng.standard_normal((60, 2)), 6, "k below 6 on this device, and k is 6"),
        (np.array([1.0, 2.0**-120] * 30).reshape(60, 1), 3, r"numbers of 2\^-107 to 2\^60"),
        (np.array([1.0, 2.0**60] * 30).reshape(60, 1), 3, r"numbers of 2\^-107 to 2\^60"),
    ],
)
def test_what_the_kernel_cannot_take_goes_to_the_processor(emulated, X, k, message):
    with pytest.warns(OnProcessorWarning, match=message):
        labels = on_device.mdav(emulated, X, k, left=30)
    assert labels.tolist() == on_processor.partition(X, k).tolist()


def test_few_records_are_left_to_the_processor_without_a_word(emulated):
    """The end of MDAV is the processor's on any device; a file of few records is all end."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = on_device.mdav(emulated, DATA["gaussian"], 4)
    assert labels.tolist() == on_processor.partition(DATA["gaussian"], 4).tolist()


def test_sums_are_exact(emulated):
    """However large and small the numbers: rounded once, as the processor does it."""
    X = rng.standard_normal((500, 2)) * 10.0 ** rng.integers(-25, 15, (500, 2))
    macros = {"COLS": 2, "THREADS": 256, "ITER": 1, "CAP": 96, "HEAD": on_device.HEAD}
    kernel = emulated.kernels(("mdav.cu",), ("mdav", "init_sums"), macros, together=True)["init_sums"]
    totals = [on_device._rounded(total) for total in on_device._exact_sums(emulated, kernel, X)]
    assert totals == [fsum(column) for column in X.T]
