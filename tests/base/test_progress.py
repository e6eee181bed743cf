"""Progress in parts, and to the end."""

from __future__ import annotations

import contextlib

import pytest
from checks import Fractions

from microagg.base.progress import ProgressToTheEnd, part_of


class Search(Fractions):
    """A progress that wants to know the loss."""

    def tell_loss(self, percent: float) -> None:
        raise AssertionError("nothing was searched")


@pytest.mark.parametrize("fractions", [[], [0.25], [0.5, 1.0]])
def test_the_end_is_told_once(fractions: list[float]) -> None:
    told = Fractions()
    progress = ProgressToTheEnd(told)
    for fraction in fractions:
        progress(fraction)
    progress.end()
    assert told[: len(fractions)] == fractions
    assert told[-1] == 1.0
    assert told.count(1.0) == 1


def test_whoever_raised_is_not_told_of_the_end() -> None:
    """A search that was interrupted gives what there is: the interruption must not come a second time."""

    class Interrupt(Fractions):
        def __call__(self, fraction: float) -> None:
            super().__call__(fraction)
            raise KeyboardInterrupt

    told = Interrupt()
    progress = ProgressToTheEnd(told)
    with contextlib.suppress(KeyboardInterrupt):
        progress(0.3)
    progress.end()
    assert told == [0.3]


def test_parts_pass_on_how_often_and_the_loss_where_it_is_of_all_records() -> None:
    for progress in (Search(), ProgressToTheEnd(Search())):
        assert part_of(progress, 0.0, 0.5).every == 0.0
        assert not hasattr(part_of(progress, 0.0, 0.5), "tell_loss")
        assert part_of(progress, 0.0, 0.5, tells_loss=True).tell_loss == progress.tell_loss
    assert not hasattr(ProgressToTheEnd([].append), "tell_loss")
    assert not hasattr(part_of([].append, 0.0, 0.5, tells_loss=True), "tell_loss")
