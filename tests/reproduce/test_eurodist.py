"""The 21 cities of Figs. 2.4 and 2.5: their distances, and paths through them."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from microagg.paths import path, path_length
from microagg.reproduce import EXPERIMENTS, reproduce
from microagg.reproduce.eurodist import CITIES, distances, places

SHORTEST_TOUR = 12_842
"""What is known of R's eurodist: the length of the shortest tour, which returns to its start."""


def test_distances_are_those_of_the_table() -> None:
    D = distances()
    assert D.shape == (21, 21)
    np.testing.assert_array_equal(D, D.T)
    known = {("Athens", "Barcelona"): 3313, ("Stockholm", "Vienna"): 2105, ("Geneva", "Lyons"): 158}
    known |= {("Hamburg", "Rome"): 1751, ("Madrid", "Lisbon"): 668}
    for (one, other), kilometres in known.items():
        assert D[CITIES.index(one), CITIES.index(other)] == kilometres


def test_the_shortest_tour_is_as_long_as_is_known() -> None:
    """A path from a city to its double is a tour: the double is as far from all others, and very far from the city."""
    D = distances()
    doubled = np.zeros((22, 22))
    doubled[:21, :21] = D
    doubled[21, :21] = doubled[:21, 21] = D[0]
    doubled[0, 21] = doubled[21, 0] = 50_000
    far = np.full((23, 23), 0.0)
    far[:22, :22] = doubled
    # A last city beside the double alone, so that the path ends there.
    far[22, :22] = far[:22, 22] = 50_000
    far[22, 21] = far[21, 22] = 0.0
    order = path(far, "exact", metric="precomputed", start=0)
    assert order[-2:].tolist() == [21, 22]
    assert path_length(far, order, metric="precomputed") == pytest.approx(SHORTEST_TOUR)


def test_exact_is_the_shortest_and_lk_finds_it(tmp_path: Path) -> None:
    result = reproduce(EXPERIMENTS["eurodist"], tmp_path, seeds=2)
    lengths = {line["method"]: line["kilometres"] for line in result.table}
    assert min(lengths.values()) == lengths["exact"] == lengths["lk"] == 10_095
    assert lengths["nearest_neighbour"] > lengths["farthest_insertion"]
    (table,) = EXPERIMENTS["eurodist"].further(result.rows)
    assert ("exact", "10,095", "0", "10,095", "10,095") in table.rows
    root = ElementTree.fromstring(result.drawings["eurodist-path.svg"])  # noqa: S314
    assert {"Hook of Holland", "Athens"} <= {node.text for node in root.iter("{http://www.w3.org/2000/svg}text")}


def test_the_map_has_north_above_and_east_to_the_right() -> None:
    across, up = places().T
    assert up[CITIES.index("Stockholm")] == up.max()
    assert up[CITIES.index("Gibraltar")] == up.min()
    assert across[CITIES.index("Athens")] == across.max()
    assert across[CITIES.index("Lisbon")] == across.min()
