"""Facts after the gate, with intermediate results that several charts need."""

from __future__ import annotations

import math
from collections.abc import Collection
from functools import cached_property

from microagg.base.types import FloatArray
from microagg.measures import at_centre
from microagg.report.document import LOSS, Moment, drawn_names
from microagg.report.facts import Facts, known_of
from microagg.report.moments import Moments, moments
from microagg.semantic.attribute import numeric


class GatedFacts(Facts):
    """Facts as they may be told; made by `pass_gate` alone."""

    @cached_property
    def X(self) -> FloatArray:  # noqa: N802
        """The columns of numbers, before; the mean stands for what is missing."""
        return self._numbers[0]

    @cached_property
    def Y(self) -> FloatArray:  # noqa: N802
        """The columns of numbers, after; the mean before stands for what is missing."""
        return self._numbers[1]

    @cached_property
    def _numbers(self) -> tuple[FloatArray, FloatArray]:
        every = len(self.numbers) == len(self.names)
        before, after = (side if every else side[:, self.numbers] for side in (self.original, self.released))
        return at_centre(before, after, [numeric()] * len(self.numbers))

    @cached_property
    def before(self) -> Moments:
        """The moments of the columns of numbers, before."""
        return moments(self.original[:, self.numbers]) if self.whole is None else self.whole.before

    @cached_property
    def after(self) -> Moments:
        """The moments of the columns of numbers, after."""
        return moments(self.released[:, self.numbers]) if self.whole is None else self.whole.after

    def drawn(self, names: Collection[str]) -> list[str]:
        """Choose from columns those that are drawn: all, or those that lost most, in their order."""
        return drawn_names(names, self.column_losses.get(LOSS, {}))

    @cached_property
    def told_moments(self) -> dict[str, Moment]:
        """Mean and deviation of each column of numbers, as they may be told."""
        return {self.names[place]: self._moment(i, place) for i, place in enumerate(self.numbers)}

    def _moment(self, i: int, place: int) -> Moment:
        """Pass mean and standard deviation of a column; those of the original not where a few records decide them."""
        gate, before, after = self.gate, self.before, self.after
        was, width_was = float(before.mean[i]), float(before.deviation[i])
        width = float(after.deviation[i])
        rounded = gate.mean(float(after.mean[i]), width)
        if not gate.tells_original:
            # Released dates are days: a mean that is finer is not public.
            return Moment(None, math.floor(rounded) if self.names[place] in self.dates else rounded, None, width)
        if gate.dominated(known_of(self.original[:, place])):
            return Moment(None, rounded, None, width)
        return Moment(gate.mean(was, width_was), rounded, gate.figure(width_was), width)


def pass_gate(facts: Facts) -> GatedFacts:
    """Let facts pass the gate: `Facts.gated` says what becomes of them."""
    return GatedFacts(**vars(facts.gated()))
