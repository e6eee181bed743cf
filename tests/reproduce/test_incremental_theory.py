"""The figures of theory show what the paper says in words about them."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from microagg.incremental import planner
from microagg.reproduce.incremental_theory import ZETAS, discriminant, draw_theory
from microagg.reproduce.stages import EXPERIMENT

SVG = "{http://www.w3.org/2000/svg}"


def test_every_figure_is_drawn_and_well_formed():
    drawings = draw_theory()
    assert list(drawings) == [f"incremental-{number}-theory.svg" for number in ("08", "09", "10", "12", "13")]
    lines = {name: len(ElementTree.fromstring(text).findall(f".//{SVG}polyline")) for name, text in drawings.items()}  # noqa: S314 - ours
    assert list(lines.values()) == [2, 3, 7, 1, 1]


def test_they_need_no_runs():
    """`microagg reproduce incremental` draws them whatever was run."""
    assert set(draw_theory()) <= set(EXPERIMENT.draw([]))


def test_discriminant_vanishes_up_to_the_critical_zeta():
    """Figure 13: "zero before reaching saturation point zeta = zeta_- and grows past it"."""
    values = discriminant(ZETAS)
    np.testing.assert_allclose(values[planner.CRITICAL_ZETA >= ZETAS], 0.0, atol=1e-12)
    assert (np.diff(values[planner.CRITICAL_ZETA < ZETAS]) > 0).all()


@pytest.mark.parametrize("zeta", [0.0, 0.1, planner.CRITICAL_ZETA, 1.0, 5.0])
def test_the_dashed_curve_goes_through_the_tops(zeta):
    """Figure 10: no share gains more than the one that is marked."""
    ratios = np.linspace(0.0, 1.0, 1001)
    assert planner.optimal_gain(zeta) == pytest.approx(planner.gain(ratios, zeta).max(), abs=1e-3)
