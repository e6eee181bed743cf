"""A studio for each module that wants one, with a file of people."""

from __future__ import annotations

import pytest
from houses import InProcess, write_people


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder that is allowed, with a file of people."""
    folder = tmp_path_factory.mktemp("allowed")
    write_people(folder / "people.csv")
    return folder


@pytest.fixture(scope="module")
def house(place, tmp_path_factory):
    """A studio in this process."""
    made = InProcess(place, tmp_path_factory.mktemp("projects"), processes=1)
    yield made
    made.close()
