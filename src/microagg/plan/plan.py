"""Everything that decides a release, apart from the data: what a user may choose is declared here and nowhere else."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from microagg.aggregate import AGGREGATES, check_digits
from microagg.base.checks import check_number, check_seconds, check_seed
from microagg.base.effort import EFFORTS, NORMAL
from microagg.base.folding import folded
from microagg.base.options import check_options, did_you_mean
from microagg.base.schema import Role, no_such_column
from microagg.constraints import CONSTRAINTS, OF_COLUMNS, Constraint
from microagg.errors import InfeasibleK, InvalidData, InvalidOption
from microagg.gpu import CPU, DEVICES, check_alone
from microagg.mask import check_mask
from microagg.partition import METHODS, check_on_device, check_promising, check_refinement, get_method
from microagg.plan.differential import check_epsilon, check_private, private_roles
from microagg.plan.field import Choice, choice, choices_of
from microagg.plan.forms import (
    ColumnName,
    ColumnNames,
    Flag,
    Kinds,
    LimitsOfColumns,
    Number,
    OneOf,
    Options,
    Policies,
    Promised,
    Recoding,
    Rounding,
    Texts,
    Truth,
    Weights,
    WholeNumber,
)
from microagg.plan.spelling import flat
from microagg.plan.units import check_units
from microagg.prepare.kinds import check_kind
from microagg.prepare.missing import OTHERS, Missing, check_missing
from microagg.refine import REFINEMENTS
from microagg.semantic.centroid import CENTROIDS

AUTO = "auto"
"""The method that is chosen by the kinds of the columns."""

AUTOMATIC = ("mdav", "fast", "mixed")
"""The methods that it chooses among: for numbers alone, and for anything else."""

JOIN = "join"
OUTLIERS = ("group", JOIN)
"""What becomes of records that resemble nobody and are not suppressed."""


def _check_k(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InfeasibleK(f"{name} must be a whole number; got {value!r}.")
    if not 2 <= value <= np.iinfo(np.int64).max:
        raise InfeasibleK(f"{name} must be between 2 and the number of records; got {name}={value}.")
    return int(value)


def _check_share(name: str, value: Any) -> float:
    return check_number(name, value, 0.0, 1.0)


def _method_words(plan: Plan) -> str:
    return f"{METHODS[plan.method].title} ({plan.method})" if plan.method in METHODS else plan.method


def _option_words(plan: Plan) -> str:
    own = METHODS[plan.method].options if plan.method in METHODS else {}
    return ", ".join(f"{name} = {value}" for name, value in flat({**own, **plan.options}).items()) or "none"


def _refinement_words(plan: Plan) -> str:
    if plan.refine is None:
        return "nothing further"
    refinement = REFINEMENTS[plan.refine]
    options = {**refinement.options, **plan.refine_options}
    return f"{refinement.title} ({', '.join([plan.refine, *(f'{name} = {value}' for name, value in options.items())])})"


@dataclass(frozen=True)
class Plan:
    """Everything that decides a release, apart from the data.

    A plan that exists can be followed, as far as that can be said without the data: what is wrong with a choice, or
    with two together, is said when the plan is made. Lists become tuples, and mappings are copied.

    >>> Plan(k=3, missing="whatever")
    Traceback (most recent call last):
    ...
    microagg.errors.InvalidOption: missing must be one of refuse, drop, value, impute, impute-any-share; got 'whatever'.
    """

    k: int = choice(
        "Least number of records that look the same.",
        WholeNumber(rule=_check_k),
        flag="-k --k",
        doc="Every record will share its quasi-identifiers with at least k - 1 others.",
        comment="every record shares its quasi-identifiers with at least k - 1 others",
    )
    quasi: tuple[str, ...] | None = choice(
        "Quasi-identifiers, separated by commas; '*' (default) for every column without another role that is fit.",
        ColumnNames("sequence of str, optional", every=True),
        default=None,
        metavar="NAMES",
        doc="""The quasi-identifiers, of any kind; "*", or None (default), for every column without another role that
        the column check finds fit: never ids, names or free text.""",
        comment="the columns that are microaggregated",
        title="",
        needed=lambda plan: True,
    )
    identifiers: tuple[str, ...] = choice(
        "Identifiers: columns to leave out.",
        ColumnNames(),
        default=(),
        flag="--drop",
        metavar="NAMES",
        doc="Columns that name somebody outright: left out.",
        comment="columns that are left out",
        title="",
    )
    confidential: tuple[str, ...] = choice(
        "Columns that the release is about; kept as they are.",
        ColumnNames(),
        default=(),
        metavar="NAMES",
        doc="Columns that are the point of the release: kept as they are.",
        title="",
    )
    l: Mapping[str, Any] = choice(  # noqa: E741
        "Diversity of a confidential column in every group: NAME=3, NAME=entropy:2.5, NAME=recursive:2,3; repeatable.",
        Promised(rule=lambda column, said: CONSTRAINTS["l"].read(column, said).spelled()),
        default={},
        metavar="NAME=L",
        doc="""l-diversity of confidential columns, by their names, kept like k: at least so many different values in
        every group (3); as uncertain as so many equally frequent ones ("entropy:2.5"); or recursive (c, l)-diversity
        ("recursive:2,3": c, then l). A missing value is a value of its own. What cannot be kept is refused.""",
        comment="l-diversity of confidential columns",
        title="l-diversity",
    )
    p: Mapping[str, Any] = choice(
        "How many different values of a confidential column every group has, at least; repeatable.",
        Promised(rule=lambda column, said: CONSTRAINTS["p"].read(column, said).spelled()),
        default={},
        metavar="NAME=P",
        doc="""p-sensitivity of confidential columns: at least so many different values in every group.""",
        comment="p-sensitivity of confidential columns",
        title="p-sensitivity",
    )
    t: Mapping[str, Any] = choice(
        "How far values of a confidential column may be, in any group, from those of all records, 0 to 1; repeatable.",
        Promised(rule=lambda column, said: CONSTRAINTS["t"].read(column, said).spelled()),
        default={},
        metavar="NAME=T",
        doc="""t-closeness of confidential columns, 0 to 1: the earth mover's distance of every group to all records is
        at most t. The steps between numbers, in their order, count; other values are equally far apart.""",
        comment="t-closeness of confidential columns",
        title="t-closeness",
    )
    others: str = choice(
        "Columns without any role: keep them as they are, drop them, or refuse them.",
        OneOf('{"keep", "drop", "refuse"}', ("keep", "drop", "refuse")),
        default="keep",
        doc="""Columns that have no role at all, where quasi-identifiers are named: released as they are (default), left
        out, or an error that names them, so that no column leaves the house unnoticed.""",
        comment="columns without any role: keep, drop or refuse",
        title="Columns without a role",
    )
    keep: tuple[str, ...] = choice(
        "Columns that may stay as they are although they seem to be identifiers, or give one away.",
        ColumnNames(),
        default=(),
        metavar="NAMES",
        doc="""Columns without another role that may be released as they are, whatever they seem to be: a release is
        refused where such a column seems to name persons or gives a quasi-identifier away, unless it is named here.
        Survey weights may be named too, and confidential columns, which are refused where they give one away.""",
        comment="columns that may stay as they are, whatever they seem to be",
        title="Kept on request",
    )
    kinds: Mapping[str, Any] = choice(
        "What a quasi-identifier is: numeric, nominal, ordinal, ordinal:LOW,...,HIGH, date:FORMAT, hierarchy:FILE, "
        "bands:5,10,20, prefix:3,2,1 or parts:month,quarter,year; repeatable.",
        Kinds(rule=check_kind),
        default={},
        flag="--kind",
        metavar="NAME=KIND",
        doc="""What quasi-identifiers are treated as: "numeric" (numbers and dates, by default), "nominal" (text and
        truth values, by default), "ordinal" for numbers or "ordinal:low,middle,high" or a list of the values in their
        order, "date:FORMAT" for dates that are text (such as date:%d.%m.%y), "hierarchy:FILE" or a
        `microagg.semantic.Hierarchy`; or a hierarchy that follows from the values: "bands:5,10,20" of numbers,
        "prefix:3,2,1" of texts, "parts:month,quarter,year" of dates.""",
        title="",
    )
    recode: Mapping[str, tuple[str, ...]] = choice(
        "Recode a column first: top:90, bottom:1%, bands:10, round:1000, prefix:3, rare:20, date:month; repeatable.",
        Recoding(),
        default={},
        metavar="NAME=STEP",
        doc="""What is done with columns before anything else, each a text or a list of texts in order: "top:90" and
        "bottom:1%" (values beyond become the limit), "bands:10" or "bands:18,30,65", "round:1000", "prefix:3",
        "rare:20" or "rare:1%" (rare categories become "other"), "date:month", "date:quarter", "date:year".""",
        title="Recoding",
    )
    method: str = choice(
        f"auto (what fits kinds, ties and number of records), or one of {', '.join(METHODS)}.",
        OneOf("str", (*METHODS, AUTO), listed=False),
        default=AUTO,
        doc="""A name in METHODS; its own options are passed as keywords. "auto" (default) is
        mixed where there are categories, or where many records share their values with k already; else mdav with
        refine="local", and fast for more than 100,000 records. Methods for numbers group other kinds as points.""",
        comment="what groups the records",
        words=_method_words,
        needed=lambda plan: True,
    )
    refine: str | None = choice(
        "Improve the groups of the method afterwards.",
        OneOf("str, optional", tuple(REFINEMENTS), optional=True),
        default=None,
        doc='"local" improves the groups of any method by local search, "search" by annealing for a few seconds.',
        comment="what improves the groups afterwards",
        title="Improved by",
        words=_refinement_words,
    )
    refine_options: Mapping[str, Any] = choice(
        "An option of the refinement; repeatable.",
        Options(),
        default={},
        flag="--refine-option",
        metavar="NAME=VALUE",
        doc="The refinement's own options, such as `max_passes` of local.",
        title="",
    )
    options: Mapping[str, Any] = choice(
        "An option of the method; repeatable.",
        Options(),
        default={},
        flag="--option",
        metavar="NAME=VALUE",
        doc="The method's own options.",
        words=_option_words,
    )
    effort: str = choice(
        "How much time auto, fast, best and mixed may take for less loss.",
        OneOf('{"quick", "normal", "thorough"}', EFFORTS),
        default=NORMAL,
        doc="""How much time methods that search (auto, fast, best, mixed) may take for less loss: a fraction of the
        usual time, that time, or several times as much. Others do the same with any.""",
        comment="how much time a search may take: quick, normal or thorough",
    )
    by: tuple[str, ...] = choice(
        "Strata: records of different values here are never mixed.",
        ColumnNames("str or sequence of str", alone=True),
        default=(),
        metavar="NAMES",
        doc="Strata, such as regions: records of different strata are never in one group.",
        title="Strata",
    )
    unit: str | None = choice(
        "Column that says which records belong to one person, household or firm; k counts these, not records.",
        ColumnName(),
        default=None,
        metavar="NAME",
        doc="""A column that says which records belong to one person, household or firm: every group has records of at
        least k of these. Columns that are the same in all records of a unit are grouped once for each unit, and stay
        the same in all its records. The column itself is left out.""",
        comment="the column that says which records belong together; k counts these",
        title="Units",
    )
    unit_alias: bool = choice(
        "Release a random number for each unit in the place of its column.",
        Truth(yes="a random number for each", no="left out"),
        default=False,
        doc="""Release a random number for each unit, another one every time, in the place of its column, so that
        readers see which records belong together.""",
        comment="release a random number for each unit",
        title="Units in the release",
        needed=lambda plan: plan.unit_alias,
    )
    weights: str | None = choice(
        "Column of survey weights; group means become weighted means.",
        ColumnName(),
        default=None,
        metavar="NAME",
        doc="""A column of survey weights; group means become weighted means. Where one record has more than half of the
        weight of its group, all records of the group count equally. The column itself is kept.""",
        comment="the column of survey weights",
        title="",
    )
    column_weights: Mapping[str, float] = choice(
        "How much a column counts.",
        Weights(rule=lambda name, value: check_number(name, value, 0.0)),
        default={},
        flag="--column-weight",
        metavar="NAME=WEIGHT",
        doc="How much a quasi-identifier counts in the distance (default 1 each).",
    )
    standardize: bool = choice(
        "Do not standardize the columns before grouping.",
        Truth(inverse=True),
        default=True,
        flag="--raw",
        doc="""Bring columns to mean 0 and standard deviation 1 before grouping (default). False: group by the raw
        numbers.""",
        comment="bring columns to mean 0 and standard deviation 1 first",
        title="Columns standardized",
        formerly="standardise",
    )
    aggregate: str = choice(
        "The common value of a group of numbers.",
        OneOf('{"mean", "median"}', AGGREGATES),
        default="mean",
        doc="""The common value of a group of numbers; ordinal values have their median, nominal ones their mode.""",
        title="Common value of a group",
        words=lambda plan: (
            f"weighted {plan.aggregate}, weights {plan.weights}" if plan.weights is not None else plan.aggregate
        ),
    )
    centroid: str = choice(
        "The common value of categories in a hierarchy.",
        OneOf('{"semantic", "subsumer"}', CENTROIDS),
        default="semantic",
        doc="""The common value of a group of values of a hierarchy: the node nearest to all of them (default), or their
        least common subsumer.""",
        title="Common value in a hierarchy",
    )
    suppress: float = choice(
        "Leave out up to this share of outliers.",
        Number(rule=_check_share),
        default=0.0,
        metavar="SHARE",
        doc="""The largest share of the records that may be suppressed, 0 by default: records whose quasi-identifiers
        fewer than k share and that lie farther than `beyond` from all that k share, the farthest first.""",
        comment="the largest share of records that may be left out",
        title="Outliers suppressed",
        words=lambda plan: f"at most {100 * plan.suppress:g}% of the records" if plan.suppress else "none",
    )
    beyond: float = choice(
        "How far an outlier lies from all frequent records.",
        Number(rule=_check_share),
        default=0.5,
        doc="See `suppress`: a mean distance over columns, from 0 to 1.",
        comment="how far from all others such records lie",
        title="Outliers lie beyond",
        needed=lambda plan: bool(plan.suppress) or plan.outliers != "group",
    )
    outliers: str = choice(
        "Outliers that are not left out: group them like all others, or let them join the most similar group.",
        OneOf('{"group", "join"}', OUTLIERS),
        default="group",
        doc="""What becomes of such records that are not suppressed: grouped like all others (default), or put into the
        group of the nearest record whose quasi-identifiers k share, so that they distort no other group.""",
        comment="what becomes of records that resemble nobody",
        title="Other outliers",
        words=lambda plan: "join the most similar group" if plan.outliers == JOIN else "grouped like all others",
    )
    missing: str | Mapping[str, str] = choice(
        f"What to do with missing values: {', '.join(Missing)}; of one column: NAME=POLICY; repeatable.",
        Policies(
            rule=check_missing,
            meanings=(
                ("refuse", "none present"),
                ("drop", "such records left out"),
                ("value", "released as missing"),
                ("impute", "median imputed"),
                ("impute-any-share", "median imputed, whatever the share"),
            ),
        ),
        default="refuse",
        metavar="[NAME=]POLICY",
        doc="""What becomes of missing quasi-identifiers: "refuse", an error (default); "drop", records that lack one
        are left out; "value", missing is a category of its own, and numbers, dates and ordered values are grouped
        among records that lack the same, so that nothing is invented; "impute", the column's median (categories: the
        most frequent one) takes their place, in columns that lack at most 20% of their values, or "impute-any-share".
        By column: {"income": "drop", "*": "value"}; "*" are all others, which must not lack any by default.""",
        comment="missing quasi-identifiers: refuse, drop, value, impute or impute-any-share",
        title="Missing values",
    )
    round: bool | tuple[str, ...] | Mapping[str, int] = choice(
        "How released numbers are rounded.",
        Rounding(rule=check_digits),
        default=False,
        flags=(
            Flag(("--round",), help="Keep columns of whole numbers whole.", is_flag=True),
            Flag(
                ("--round-column",),
                "round_column",
                help="Round this column; repeatable.",
                metavar="NAME[=DIGITS]",
                repeats=True,
            ),
        ),
        doc="""True keeps columns of whole numbers whole; names are rounded to whole numbers; a mapping gives the digits
        of each column, -300 to 300 (negative: tens, hundreds). Every record of a group is rounded alike, so k-anonymity
        stays.""",
        title="Rounding",
    )
    exact_means: bool = choice(
        "Do not round: release common values with all their digits.",
        Truth(yes="with all digits", no="no finer than the input"),
        default=False,
        doc="""Release means with all their digits. By default no number is finer than those that came in: whole numbers
        stay whole, prices have two decimals where all have, days have no hours.""",
        comment="release means with all their digits",
        title="Means",
    )
    mask: Mapping[str, str] = choice(
        "Change a column that is not grouped at random: noise:SHARE, swap:PERCENT or pram:KEPT; repeatable.",
        Texts(rule=check_mask),
        default={},
        flag="--mask",
        metavar="NAME=MASK",
        doc="""Columns that are confidential, or have no role, and are changed at random: "noise:0.1" (variance of the
        noise; ":correlated" for several columns together, ":corrected" to keep variances), "swap:5" (percent of the
        ranks), "pram:0.8" (probability that a category is kept). A mask promises no k, so quasi-identifiers take
        none. The random numbers do not follow from the seed, and are others every time.""",
        comment="columns that are changed at random",
        title="Masks",
    )
    bound: float | None = choice(
        "Spend this long on proving how low the loss can be.",
        Number("float, optional", rule=check_seconds, optional=True),
        default=None,
        metavar="SECONDS",
        doc="""Seconds to spend on a lower bound, for numeric columns: the release then says how low the loss of any
        partition can be.""",
        comment="seconds for proving how low the loss can be",
        title="Seconds for the lower bound",
    )
    epsilon: float | None = choice(
        "Differential privacy: how much one record may change what is released; needs --limits.",
        Number("float, optional", rule=check_epsilon, optional=True),
        default=None,
        metavar="EPSILON",
        doc="""Differential privacy: no outcome is more than e^epsilon times as likely with a record as with any other
        in its place. Group means get noise; columns without limits are left out.""",
        comment="differential privacy: how much one record may change what is released",
        title="Epsilon",
        words=lambda plan: "none" if plan.epsilon is None else f"{plan.epsilon:g}",
    )
    limits: Mapping[str, tuple[float, ...]] = choice(
        "For --epsilon: the lowest and highest value that columns could have, NAME=LOW:HIGH or NAME=LOW:HIGH:STEP, "
        "separated by commas; never taken from the data.",
        LimitsOfColumns(),
        default={},
        metavar="NAME=LOW:HIGH",
        doc="""For epsilon: the lowest and highest value that each column could have, and the step in which values are
        told (default: whole numbers where both are whole and ten apart, else a thousandth of the range). From what is
        known of such columns, never from the data.""",
        title="Limits of columns",
    )
    shuffle: bool = choice(
        "Write the rows in a secret random order, another one every time.",
        Truth(yes="shuffled", no="as in the input"),
        default=False,
        doc="""Put the released rows into a random order that nobody can find out: it does not follow from the seed, and
        is another one every time.""",
        comment="write the rows in random order",
        title="Row order",
    )
    seed: int = choice(
        "What random choices follow from.",
        WholeNumber(rule=lambda name, value: check_seed(value)),
        default=0,
        needed=lambda plan: True,
    )

    device: str = choice(
        "Where groups are made: the processor, or a graphics card of NVIDIA.",
        OneOf('{"cpu", "cuda"}', DEVICES),
        default=CPU,
        doc="""Where groups are made: on the processor (default), or on a graphics card of NVIDIA ("cuda", with the
        extra gpu), for method mdav, with the same labels, for fast, and for refine="local". It is an error where there
        is none.""",
        comment="where groups are made: cpu or cuda",
        words=lambda plan: "the processor" if plan.device == CPU else "a graphics card (cuda)",
    )

    def __post_init__(self) -> None:
        for item in CHOICES:
            object.__setattr__(self, item.name, item.form.check(item.name, getattr(self, item.name)))
        promised = self.promised_columns
        object.__setattr__(self, "confidential", tuple(dict.fromkeys((*self.confidential, *promised))))
        self._check_method()
        self._check_together()
        self._named_roles()

    @property
    def promised(self) -> dict[str, dict[str, Constraint]]:
        """What is promised of confidential columns: field -> column -> constraint."""
        return {
            field: {name: CONSTRAINTS[field].read(name, said) for name, said in getattr(self, field).items()}
            for field in OF_COLUMNS
            if getattr(self, field)
        }

    @property
    def promised_columns(self) -> tuple[str, ...]:
        """The confidential columns that something is promised of."""
        return tuple(dict.fromkeys(name for field in OF_COLUMNS for name in getattr(self, field)))

    @property
    def standardise(self) -> bool:
        """The earlier spelling of `standardize`."""
        return self.standardize

    def _check_method(self) -> None:
        """Refuse what the method cannot do, whatever the columns are."""
        if self.method == AUTO:
            taken = {name: default for method in AUTOMATIC for name, default in METHODS[method].options.items()}
            check_options(f"method {AUTO!r}", taken, self.options)
            check_refinement(self.refine, METHODS[AUTOMATIC[0]], self.refine_options)
            return
        method = get_method(self.method, dict(self.options))
        check_refinement(self.refine, method, self.refine_options)
        check_on_device(self.device, method, self.refine)
        if self.promised_columns:
            check_promising(method)
        if self.bound is not None and method.per_column:
            raise InvalidOption(
                "bound holds for groups of whole records of numbers only: leave it out for this release."
            )
        if not self.standardize and method.takes != "numbers":
            raise InvalidOption("categories have no raw distance to numbers: standardize must stay True for them.")

    def _check_together(self) -> None:
        """Refuse choices that exclude each other."""
        if self.outliers == JOIN and self.by:
            raise InvalidOption("outliers='join' looks for similar records everywhere; it cannot be combined with by.")
        if self.outliers == JOIN and self.promised_columns:
            raise InvalidOption(
                "outliers='join' puts records into groups that are there already, and may break what is promised of "
                "confidential columns: leave l, p and t out, or choose outliers='group'."
            )
        for name in self.promised_columns:
            if name in self._bystanders():
                raise InvalidOption(
                    f"column {name!r} serves as by or weights; nothing can be promised of it by l, p or t."
                )
        if self.device != CPU:
            check_alone(self.promised_columns or self.unit or self.epsilon)
        if self.weights is not None and self.aggregate == "median":
            raise InvalidOption("weights enter group means only: leave weights out, or choose aggregate='mean'.")
        if self.unit_alias and self.unit is None:
            raise InvalidOption("unit_alias releases a random number for each unit: say which column that is (unit).")
        check_private(self)
        for name in set(self.recode) & set(self.identifiers):
            raise InvalidOption(f"column {name!r} is an identifier and is left out; it cannot be recoded.")
        check_units(self)

    def _named_roles(self) -> dict[str, Role]:
        """Give the roles of the columns that are named; each can have one only."""
        roles: dict[str, Role] = {}
        bystanders = self._bystanders()
        for role, columns in ((Role.IDENTIFIER, self.identifiers), (Role.CONFIDENTIAL, self.confidential)):
            for name in columns:
                _claim(roles, name, role)
        if self.unit is not None and self.unit not in self.identifiers:
            _claim(roles, self.unit, Role.IDENTIFIER)
        for name in self.quasi or ():
            if name in bystanders:
                what = "weights" if name == self.weights else "by"
                raise InvalidOption(f"column {name!r} is named in quasi and in {what}; it can have one role only.")
            _claim(roles, name, Role.QUASI)
        for name in self.keep:
            if roles.get(name, Role.CONFIDENTIAL) is not Role.CONFIDENTIAL:
                raise InvalidOption(
                    f"column {name!r} is named in keep and as {roles[name]}; it can have one role only."
                )
        for name in self.mask:
            self._check_masked(name, roles)
        for name in bystanders & {*self.identifiers, *((self.unit,) if self.unit is not None else ())}:
            raise InvalidOption(f"column {name!r} is an identifier and is left out; it cannot serve as by or weights.")
        return roles

    def _check_masked(self, name: str, roles: Mapping[str, Role]) -> None:
        """Refuse a mask on a column that it does not protect, or that others need as it is."""
        if roles.get(name) is Role.QUASI:
            raise InvalidOption(
                f"column {name!r} is a quasi-identifier and has a mask: a mask promises no k, which is reached by "
                "grouping. Leave the mask out, or the column out of quasi."
            )
        if roles.get(name) is Role.IDENTIFIER:
            raise InvalidOption(f"column {name!r} is an identifier and is left out; it cannot have a mask.")
        if name in self._bystanders():
            what = "weights" if name == self.weights else "by"
            raise InvalidOption(f"column {name!r} serves as {what}, which needs its values; it cannot have a mask.")
        if name in self.promised_columns:
            raise InvalidOption(
                f"column {name!r} has a mask, and something is promised of it (l, p or t): what is released would not "
                "keep it. Leave the mask out, or the promise."
            )

    def _bystanders(self) -> set[str]:
        return {*self.by, *((self.weights,) if self.weights is not None else ())}

    def roles(self, names: Sequence[str]) -> dict[str, Role]:
        """Give every column its role, or say which name is wrong.

        >>> Plan(k=3, quasi=("age",), identifiers=("name",)).roles(["name", "age", "pay"])["pay"].value
        'other'
        """
        if self.epsilon is not None:
            return private_roles(self, names)
        known = set(names)
        for what, columns in {
            "quasi": self.quasi or (),
            **{field: getattr(self, field) for field in OF_COLUMNS},
            "identifiers": self.identifiers,
            "confidential": self.confidential,
            "keep": self.keep,
            "by": self.by,
            "weights": (self.weights,) if self.weights is not None else (),
            "mask": tuple(self.mask),
            "recode": tuple(self.recode),
            "unit": (self.unit,) if self.unit is not None else (),
            "round": tuple(self.round) if not isinstance(self.round, bool) else (),
        }.items():
            for name in columns:
                if name not in known:
                    raise InvalidOption(f"{what}: {no_such_column(name, names)}")
        roles = self._named_roles()
        spoken_of = {*self._bystanders(), *self.keep, *self.mask}
        if self.quasi is None:
            left: Collection[str] = [name for name in names if name not in roles and name not in spoken_of]
            roles.update(dict.fromkeys(left, Role.QUASI))
        if Role.QUASI not in roles.values():
            raise InvalidData("there is no quasi-identifier to microaggregate: name at least one column in quasi.")
        others = [name for name in names if name not in roles and name not in spoken_of]
        if others and self.others == "refuse":
            raise InvalidOption(f"others='refuse': no role is given to {folded([*map(repr, others)])}. Give each one.")
        if self.others == "drop":
            roles.update(dict.fromkeys(others, Role.IDENTIFIER))
        return {name: roles.get(name, Role.OTHER) for name in names}

    def changed(self, **changes: Any) -> Plan:
        """Give the plan with some of its choices made anew.

        Kinds and options are added to those that stand, name by name. Another method, or another refinement, does not
        inherit the options of the one before it, and what was said of columns that are quasi-identifiers no longer is
        dropped.

        >>> plan = Plan(k=3, quasi=("age", "sex"), kinds={"sex": "nominal"}, method="vmdav", options={"gamma": 0.1})
        >>> plan.changed(k=5, method="mdav", quasi=("age",))
        Plan(k=5, quasi=('age',), ..., kinds={}, recode={}, method='mdav', refine=None, ..., options={}, ...)
        """
        changes = in_present_words(changes)
        known = [item.name for item in CHOICES]
        for name in changes:
            if name not in known:
                hint = did_you_mean(name, known)
                raise InvalidOption(
                    f"a plan has no {name!r}; {f'd{hint[1:]} It' if hint else 'it'} has {', '.join(known)}."
                )
        changes = {
            item.name: item.form.check(item.name, changes[item.name]) for item in CHOICES if item.name in changes
        }
        standing: dict[str, dict[str, Any]] = {
            "kinds": dict(self.kinds),
            "recode": dict(self.recode),
            "options": dict(self.options),
            "refine_options": dict(self.refine_options),
            "column_weights": dict(self.column_weights),
        }
        if changes.get("method", self.method) != self.method:
            standing["options"] = {}
        if changes.get("refine", self.refine) != self.refine:
            standing["refine_options"] = {}
        if changes.get("quasi") is not None:
            for what in ("kinds", "column_weights"):
                standing[what] = {name: said for name, said in standing[what].items() if name in changes["quasi"]}
            if isinstance(self.missing, Mapping) and "missing" not in changes:
                still = {*changes["quasi"], OTHERS}
                changes["missing"] = {name: policy for name, policy in self.missing.items() if name in still}
        for name, stands in standing.items():
            changes[name] = {**stands, **changes.get(name, {})}
        return replace(self, **changes)


CHOICES: tuple[Choice, ...] = choices_of(Plan)
"""Everything that a plan says, in order."""


def in_present_words(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Give what was asked for, with names of earlier versions replaced by those of today.

    >>> in_present_words({"k": 3, "standardise": False})
    {'k': 3, 'standardize': False}
    """
    present = {old: item.name for item in CHOICES for old in item.formerly}
    for old, name in present.items():
        if old in asked and name in asked:
            raise InvalidOption(f"{name} is given twice: {old} is its earlier spelling. Leave {old} out.")
    return {present.get(name, name): value for name, value in asked.items()}


def _claim(roles: dict[str, Role], name: str, role: Role) -> None:
    taken = roles.get(name)
    if taken is role:
        raise InvalidOption(f"column {name!r} is named twice as {role}.")
    if taken is not None:
        raise InvalidOption(f"column {name!r} is named as {taken} and as {role}; it can have one role only.")
    roles[name] = role
