"""Candidate releases sorted by dominance (lower risk and lower loss), and the best one within limits."""

from __future__ import annotations

import html
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from microagg import io
from microagg.compare.limits import RISKS, Limit, amount, lower_is_better, title_of, unit_of
from microagg.gate import COUNTS, FEWEST, Gate, of_the_release
from microagg.plan import Plan
from microagg.plan.spelling import flat

DECIDED_LATER = ("plan", "command", "rank", "misses", "baseline")
"""What of a candidate does not come from making it."""


@dataclass(frozen=True)
class Candidate:
    """A release that could be made: what it would be, and what it would cost and buy.

    Attributes
    ----------
    plan : Plan
        What makes it.
    command : str
        The command line that makes it.
    values : dict of str to float
        Losses and risks by name.
    records, suppressed, groups, smallest, largest : int
        How many records are released and left out, how many groups there are, and the sizes of the extreme ones.
    k_anonymous : bool
        Whether every record shares all its quasi-identifiers with at least k.
    seconds : float
        How long it took.
    rank : int or None
        0 where no other candidate beats it in both risk and loss, 1 where only such ones do, and so on; None where it
        is not k-anonymous or a measure is undefined.
    misses : tuple of Limit
        The limits that it is not within.
    baseline : str
        The mask on the quasi-identifiers, where it is one and no release: it promises no k, and no plan makes it.
    """

    plan: Plan
    command: str
    values: Mapping[str, float]
    records: int
    suppressed: int
    groups: int
    smallest: int
    largest: int
    k_anonymous: bool
    seconds: float
    rank: int | None = None
    misses: tuple[Limit, ...] = ()
    baseline: str = ""

    @property
    def series(self) -> str:
        """The method with its options, refinement and promises, as one name for all its k; of a baseline, its mask."""
        promised = [
            f"{field} of {column} = {constraint.spelled()}"
            for field, of in self.plan.promised.items()
            for column, constraint in of.items()
        ]
        return self.baseline or ", ".join([series_of(self.plan), *promised])

    @property
    def label(self) -> str:
        """What people call it."""
        return self.baseline or f"{self.series}, k = {self.plan.k}"

    @property
    def information_loss(self) -> float:
        """100 * SSE / SST on standardised data, in percent."""
        return self.values["information_loss"]

    @property
    def gate(self) -> Gate:
        """What may be told of it."""
        return Gate(self.records, self.plan.k, sealed=self.plan.epsilon is not None)

    @property
    def told(self) -> dict[str, float]:
        """Losses and risks as they pass the gate: those of the original rounded, of few records to whole percent.

        Nothing that is said of a baseline is public, since nothing of it is released: nan where a count is withheld.
        """
        if self.baseline:
            gate = self.gate
            return {
                name: math.nan
                if name in COUNTS and gate.count(round(value), of=self.records) is None
                else gate.rough(value, unit_of(name))
                for name, value in self.values.items()
            }
        return {
            name: value if of_the_release(name) else self.gate.rough(value, unit_of(name))
            for name, value in self.values.items()
        }

    @property
    def published(self) -> dict[str, Any]:
        """The summary as it passes the gate."""
        gate = self.gate
        if self.baseline:
            told = {name: value if math.isfinite(value) else None for name, value in self.told.items()}
            known = {"baseline": self.baseline, "k": None, "records": self.records, "k_anonymous": False}
            return {**known, **told, "seconds": gate.seconds(self.seconds), "rank": None}
        return {
            **self.summary,
            **self.told,
            "suppressed": gate.count(self.suppressed),
            "seconds": gate.seconds(self.seconds),
        }

    @property
    def summary(self) -> dict[str, Any]:
        """Plain values, ready for JSON, exact: for the holder of the data."""
        if self.baseline:
            counts = {name: getattr(self, name) for name in ("records", "suppressed", "groups", "smallest", "largest")}
            remarks = {"k_anonymous": False, **self.values, "seconds": self.seconds, "rank": None}
            return {"baseline": self.baseline, "k": None, **counts, **remarks}
        return {
            "method": self.plan.method,
            "options": dict(self.plan.options),
            "refine": self.plan.refine,
            "refine_options": dict(self.plan.refine_options),
            "k": self.plan.k,
            "seed": self.plan.seed,
            **{name: getattr(self, name) for name in ("records", "suppressed", "groups", "smallest", "largest")},
            "k_anonymous": self.k_anonymous,
            **self.values,
            "seconds": self.seconds,
            "rank": self.rank,
            "misses": [str(limit) for limit in self.misses],
            "command": self.command,
        }


@dataclass(frozen=True, repr=False)
class Comparison:
    """Candidates by dominance: those that no other beats come first.

    Attributes
    ----------
    rows : tuple of Candidate
        By rank, then by risk and loss.
    chosen : Candidate or None
        The one to choose under the limits; None without limits, or where none is within them.
    risk, loss : str
        The measures that are weighed against each other.
    limits : tuple of Limit
        What a release must keep.
    failures : dict of str to str
        Candidates that could not be made, and why.
    notes : tuple of str
        What to know about the candidates.
    title : str
        What was compared.
    """

    rows: tuple[Candidate, ...]
    chosen: Candidate | None
    risk: str
    loss: str
    limits: tuple[Limit, ...] = ()
    failures: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    title: str = "Data"

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.rows)} candidates, {len(self.frontier)} not beaten. {self.verdict}>"

    @property
    def frontier(self) -> tuple[Candidate, ...]:
        """The candidates that no other beats in both risk and loss."""
        return tuple(row for row in self.rows if row.rank == 0)

    def remark(self, row: Candidate) -> str:
        """Say in a few words how a candidate stands."""
        if row.baseline:
            return "promises no k"
        if not row.k_anonymous:
            return "not k-anonymous"
        state = "chosen" if row is self.chosen else "not beaten" if row.rank == 0 else ""
        missed = f"misses {', '.join(limit.words for limit in row.misses)}" if row.misses else ""
        return "; ".join(part for part in (state, missed) if part)

    @property
    def verdict(self) -> str:
        """Which candidate to choose, and why, in a sentence."""
        kept = ", ".join(limit.words for limit in self.limits)
        if not self.limits:
            return "No limits were given, so none is chosen: every candidate that no other beats is a fair choice."
        if self.chosen is None:
            return f"No candidate is within the limits ({kept}). Allow more, or try a larger k and other methods."
        first, second = (self.loss, self.risk)[:: -1 if _limits_loss_alone(self.limits) else 1]
        values = self.chosen.told
        return (
            f"Within the limits ({kept}), choose {self.chosen.label}: it has the "
            f"{'lowest' if lower_is_better(first) else 'highest'} {title_of(first).lower()}, "
            f"{amount(first, values[first])}, with {title_of(second).lower()} {amount(second, values[second])}."
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """What to know, with what is not told of few records."""
        if all(row.gate.tells_original for row in self.rows):
            return self.notes
        few = f"With fewer than {FEWEST} records, losses and risks are told in whole percent, or with two digits. Keep "
        return (*self.notes, f"{few}this comparison as private as the data all the same.")

    @property
    def published(self) -> dict[str, Any]:
        """The summary as it passes the gate: what the command line prints."""
        return {
            **self.summary,
            "releases": [row.published for row in self.rows],
            "chosen": None if self.chosen is None else self.chosen.published,
            "notes": list(self.remarks),
        }

    @property
    def summary(self) -> dict[str, Any]:
        """Plain values, ready for JSON, exact: for the holder of the data."""
        return {
            "risk": self.risk,
            "loss": self.loss,
            "limits": [str(limit) for limit in self.limits],
            "releases": [row.summary for row in self.rows],
            "chosen": None if self.chosen is None else self.chosen.summary,
            "verdict": self.verdict,
            "failures": dict(self.failures),
            "notes": list(self.notes),
        }

    def page(self) -> str:
        """Give the risk-utility map with its table, as one HTML page that needs nothing else."""
        from microagg.report.charts.trade_off import Axis, Line
        from microagg.report.comparison import Row, render_comparison

        def axis(name: str) -> Axis:
            return Axis(title_of(name), unit_of(name), lower_is_better(name))

        rows = [
            Row(
                series=row.series,
                k=None if row.baseline else row.plan.k,
                groups=row.groups,
                smallest=row.smallest,
                largest=row.largest,
                risk=row.told[self.risk],
                loss=row.told[self.loss],
                seconds=row.gate.seconds(row.seconds),
                rank=row.rank,
                remark=self.remark(row),
                is_chosen=row is self.chosen,
                command=row.command,
            )
            for row in self.rows
        ]
        lines = [
            Line(limit.name == self.risk, limit.at_most, limit.value, limit.words)
            for limit in self.limits
            if limit.name in (self.risk, self.loss)
        ]
        return render_comparison(
            self.title,
            rows,
            risk=axis(self.risk),
            loss=axis(self.loss),
            lines=lines,
            verdict=self.verdict,
            failures=self.failures,
            notes=self.remarks,
        )

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Write the page; an existing file is replaced once the new one is whole."""
        with io.atomic_path(path) as temporary:
            temporary.write_text(self.page(), encoding="utf-8")

    def _repr_html_(self) -> str:
        """Show the page inside a notebook, with its style kept to itself."""
        return (
            f'<iframe srcdoc="{html.escape(self.page())}" sandbox="" title="Comparison of releases" '
            'style="width: 100%; height: 760px; border: 0"></iframe>'
        )


def series_of(plan: Plan) -> str:
    """Name a method and its refinement, each with its options.

    >>> series_of(Plan(k=3, method="vmdav", options={"gamma": 0.1}, refine="rcs", refine_options={"rounds": 5}))
    'vmdav gamma=0.1 + rcs rounds=5'
    """
    method, refinement = (
        "".join(f" {name}={value}" for name, value in flat(options).items())
        for options in (plan.options, plan.refine_options)
    )
    return f"{plan.method}{method}{f' + {plan.refine}{refinement}' if plan.refine else ''}"


def ranks(points: Sequence[tuple[float, float]]) -> list[int]:
    """Say for each pair of costs how many layers of better ones lie before it: 0 where no other pair beats it.

    One pair beats another that is no lower in either number and not the same.

    >>> ranks([(20, 5), (10, 9), (20, 6), (30, 7)])
    [0, 0, 1, 2]
    """
    layers = [-1] * len(points)
    rank = 0
    while -1 in layers:
        left = [i for i, known in enumerate(layers) if known < 0]
        for i in left:
            if not any(_beats(points[j], points[i]) for j in left):
                layers[i] = rank
        rank += 1
    return layers


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one != other and one[0] <= other[0] and one[1] <= other[1]


def in_order(
    made: Sequence[Candidate], risk_name: str, loss_name: str, limits: Sequence[Limit]
) -> tuple[Candidate, ...]:
    """Give the candidates their ranks and what limits they miss, the best first."""

    def costs(row: Candidate) -> tuple[float, float]:
        return _cost(risk_name, row.values), _cost(loss_name, row.values)

    valid = [row for row in made if row.k_anonymous and all(math.isfinite(cost) for cost in costs(row))]
    rank_of = dict(zip(map(id, valid), ranks([costs(row) for row in valid]), strict=True))
    rows = [
        replace(row, rank=rank_of.get(id(row)), misses=tuple(x for x in limits if not x.keeps(row.values)))
        for row in made
    ]

    def place(row: Candidate) -> tuple[float, ...]:
        return (math.inf if row.rank is None else row.rank, *(math.inf if math.isnan(c) else c for c in costs(row)))

    return tuple(sorted(rows, key=place))


def _cost(name: str, values: Mapping[str, float]) -> float:
    return values[name] if lower_is_better(name) else -values[name]


def _limits_loss_alone(limits: Sequence[Limit]) -> bool:
    return all(limit.name not in RISKS for limit in limits)


def choose(rows: Sequence[Candidate], risk_name: str, loss_name: str, limits: Sequence[Limit]) -> Candidate | None:
    """Give the candidate within the limits that has the lowest loss; where limits are losses alone, the lowest risk."""
    fair = [row for row in rows if row.rank is not None and not row.misses]
    if not limits or not fair:
        return None
    first, second = (risk_name, loss_name) if _limits_loss_alone(limits) else (loss_name, risk_name)
    return min(fair, key=lambda row: (_cost(first, row.values), _cost(second, row.values)))
