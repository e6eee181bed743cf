"""Facts that passed the gate, with what several charts are made of: all that a report is worked out of."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from microagg.arrays import FloatArray
from microagg.report.facts import Facts
from microagg.report.moments import Moments, moments


class GatedFacts(Facts):
    """Facts as they may be told; made by `pass_gate` alone."""

    @cached_property
    def X(self) -> FloatArray:  # noqa: N802
        """The columns of numbers, before."""
        return np.asarray(self.original[:, self.numbers])

    @cached_property
    def Y(self) -> FloatArray:  # noqa: N802
        """The columns of numbers, after."""
        return np.asarray(self.released[:, self.numbers])

    @cached_property
    def before(self) -> Moments:
        """The moments of the columns of numbers, before."""
        return moments(self.X) if self.whole is None else self.whole.before

    @cached_property
    def after(self) -> Moments:
        """The moments of the columns of numbers, after."""
        return moments(self.Y) if self.whole is None else self.whole.after


def pass_gate(facts: Facts) -> GatedFacts:
    """Let facts pass the gate: `Facts.gated` says what becomes of them."""
    return GatedFacts(**vars(facts.gated()))
