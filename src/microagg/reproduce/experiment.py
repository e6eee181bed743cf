"""What an experiment is. One file holds one, as EXPERIMENT; one line in `reproduce/__init__.py` registers it.

An experiment is a value: its name and the tables it repeats, what a user may set (`Setting`), the tasks that follow
from the settings, how rows stand beside the printed numbers, what it draws, where it departs from the text
(`deviations`), and why numbers differ where we know (`Reason`). The runner, the command `microagg reproduce NAME` and
the page of `microagg reproduce all` follow from it:

- `runner.reproduce(experiment, folder, **settings)` runs what has not been run yet and gives a `Reproduction`.
- A row is a frozen dataclass of `str`, `int` and `float` fields, one line of the file of runs. `key` names the fields
  that tell rows apart, the seed among them: rows that are kept under a key are not run again.
- A `Task` gives the rows of several keys that share work (one path, cut for each k); the runner hands it those that are
  missing. Tasks run in parallel unless the experiment is `alone`, which those are that take the time.
- `compare` gives a `PrintedComparison` for each printed number that was run. Printed numbers lie in
  `printed/NAME.csv` (dataset, method, k, average, min, max, source), read by `comparison.printed`.
- Where a method, path or refinement itself departs from its text, its own `deviations` say so (METHODS, PATHS,
  REFINEMENTS have the field); what an experiment does otherwise is in `Experiment.deviations`.
- A task whose data are missing raises FileProblem; `reproduce all` puts the reason on the page and goes on.

Most tables are datasets x methods x k x seeds: `grid.grid(...)` makes an experiment of a dictionary of solvers
(`solvers.by_method("mdav")`, `solvers.by_path("lk")`, or any function of that shape):

    EXPERIMENT = grid(
        name="rcs", title="loss of random cluster shuffling after MDAV", source="Maya-Lopez 2023 (thesis), Table 6.1",
        datasets=("census",), ks=(3, 5, 10), solvers={"MDAV": by_method("mdav")}, fixed=frozenset({"MDAV"}),
        tolerance=0.02, seeds=5, draw=loss_boxes("rcs"),
        deviations=("Algorithm 4 returns the last round; ours returns the best one.",),
        reasons=(Reason("The paper has one run only.", methods=("MDAV",), ks=(10,)),),
    )

Other shapes build `Experiment` themselves: see categorical.py and stages.py.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from microagg.base.checks import check_count
from microagg.errors import InvalidOption
from microagg.reproduce.comparison import PrintedComparison, ResultTable

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row", bound="DataclassInstance")
Key = tuple[Any, ...]
"""The values of the fields in `Experiment.key`, in their order."""
Chosen = Mapping[str, Any]
"""The settings by name, defaults filled in and checked."""


@dataclass(frozen=True)
class Setting:
    """What a user may set of an experiment: a keyword of `reproduce` and an option of its command.

    Attributes
    ----------
    name : str
        The keyword, and the name under which tasks get the value.
    flags : tuple of str
        How the option is spelt.
    form : {"names", "counts", "numbers", "count", "choice", "folder"}
        Names, whole numbers or numbers separated by commas; one whole number from 1 on; one of `allowed`; a folder.
    default : Any
        What is run otherwise: a tuple for the first three forms.
    help : str
        A line for the command; the default is added.
    allowed : tuple of str
        For names and choices: what they may be.
    noun : str
        What one of them is called in a message; the name by default.
    """

    name: str
    flags: tuple[str, ...]
    form: Literal["names", "counts", "numbers", "count", "choice", "folder"]
    default: Any
    help: str = ""
    allowed: tuple[str, ...] = ()
    noun: str = ""

    def check(self, value: Any) -> Any:
        """Give the value that is used; the default where there is none.

        >>> Setting("ks", ("-k",), "counts", (3, 5)).check([])
        (3, 5)
        """
        if value is None or value == () or value == []:
            return self.default
        if self.form == "count":
            return check_count(self.name, value)
        if self.form in ("names", "counts", "numbers"):
            value = tuple(value)
        for name in value if self.form == "names" else [value] if self.form == "choice" else []:
            if name not in self.allowed:
                noun = self.noun or self.name
                raise InvalidOption(f"{noun} must be one of {', '.join(self.allowed)}; got {name!r}.")
        return value


@dataclass(frozen=True)
class Task(Generic[Row]):
    """Rows that are computed together: `run` gets those of `keys` that are missing, and gives a row for each."""

    keys: tuple[Key, ...]
    run: Callable[[Sequence[Key]], Iterable[Row]]


@dataclass(frozen=True)
class Reason:
    """Why numbers are not as printed, for some datasets, methods and k.

    Where all three are empty it is a guess at what is left: it counts only where nothing else is known.
    """

    why: str
    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    ks: tuple[int, ...] = ()

    @property
    def is_general(self) -> bool:
        """Whether it is about no number in particular."""
        return not (self.datasets or self.methods or self.ks)

    def explains(self, comparison: PrintedComparison) -> bool:
        """Say whether it is about this number."""
        pairs = ((comparison.dataset, self.datasets), (comparison.method, self.methods), (comparison.k, self.ks))
        return all(not which or one in which for one, which in pairs)


@dataclass(frozen=True)
class Experiment(Generic[Row]):
    """Printed tables and figures, and how to make them again.

    Attributes
    ----------
    name : str
        What users type.
    title : str
        What it shows, in a line without a full stop.
    source : str
        The paper, and which of its tables and figures.
    settings : tuple of Setting
        What a user may set.
    row : type
        The dataclass of its rows.
    key : tuple of str
        The fields of a row that tell it from others.
    tasks : callable
        From the settings to the tasks; data are loaded when a task runs, not before.
    compare : callable
        From the experiment and rows to comparisons with printed numbers.
    draw : callable
        From rows to drawings, SVG by file name.
    tolerance : float
        How far outside the printed least..most, or from the printed number where there are none, ours may lie.
    rule : str
        The tolerance in words, where one number does not say it.
    summary : callable, optional
        From rows to the table that is shown and written beside the comparisons, a mapping for each line; the
        comparisons alone by default.
    on_screen : callable
        Which lines of the summary are printed on a terminal.
    alone : bool
        True where time is taken, so that one task runs after the other.
    runs_of : str
        The experiment whose file of runs it shares; its own by default.
    quick : mapping
        Settings of a run of a few seconds, for `--quick`.
    fixed : frozenset of str
        The methods in which nothing is random: tests run them again and hold them to what is published in the docs.
    minutes : float
        How long a whole run takes on two processors, roughly; for the time that is left.
    page : str
        The page of the docs that it stands on.
    further : callable
        From rows to tables that go beyond what is printed, for the docs and the page of all experiments.
    notes : tuple of str
        What to know of the numbers, one paragraph each, in plain words and with code between backticks.
    deviations : tuple of str
        Where it departs from the text of the paper: what is written, and what is done here.
    reasons : tuple of Reason
        Why numbers are not as printed; of several that fit, the first counts.
    """

    name: str
    title: str
    source: str
    settings: tuple[Setting, ...]
    row: type[Row]
    key: tuple[str, ...]
    tasks: Callable[[Chosen], Iterable[Task[Row]]]
    compare: Callable[[Experiment[Row], Sequence[Row]], list[PrintedComparison]]
    draw: Callable[[Sequence[Row]], dict[str, str]]
    tolerance: float = 0.02
    rule: str = ""
    summary: Callable[[Sequence[Row]], list[dict[str, Any]]] | None = None
    on_screen: Callable[[Mapping[str, Any]], bool] = lambda _: True
    alone: bool = False
    runs_of: str = ""
    quick: Mapping[str, Any] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()
    minutes: float = 1.0
    page: str = "published"
    further: Callable[[Sequence[Row]], list[ResultTable]] = lambda _: []
    notes: tuple[str, ...] = ()
    deviations: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()

    @property
    def runs_file(self) -> str:
        """The name of the file that keeps the rows."""
        return f"{self.runs_of or self.name}-runs.csv"

    @property
    def outside(self) -> str:
        """Say in words which numbers are marked as outside."""
        return self.rule or f"more than {100 * self.tolerance:g}% outside what was printed"

    def command(self, settings: Chosen) -> str:
        """Write the command that runs it with these settings.

        >>> from microagg.reproduce import EXPERIMENTS
        >>> EXPERIMENTS["rcs"].command({"ks": (3, 5), "seeds": 5})
        'microagg reproduce rcs -k 3,5'
        """
        words = [f"microagg reproduce {self.name}"]
        for setting in self.settings:
            value = settings.get(setting.name)
            if value is None or value == setting.default or setting.form == "folder":
                continue
            text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
            words.append(f"{setting.flags[0]} {shlex.quote(text)}")
        return " ".join(words)

    def key_of(self, row: Row) -> Key:
        """Give the key of a row."""
        return tuple(getattr(row, name) for name in self.key)

    def setting(self, name: str) -> Setting:
        """Give a setting by its name."""
        for setting in self.settings:
            if setting.name == name:
                return setting
        raise InvalidOption(f"{self.name} has no setting {name!r}; it has {', '.join(s.name for s in self.settings)}.")

    def choose(self, given: Chosen) -> dict[str, Any]:
        """Check what is set, and fill in the rest."""
        for name in given:
            self.setting(name)
        return {setting.name: setting.check(given.get(setting.name)) for setting in self.settings}

    def reason(self, comparison: PrintedComparison, *, general: bool = False) -> str:
        """Say why a number is not as printed, from the reasons for it or from the general ones; empty for none."""
        fitting = [r for r in self.reasons if r.is_general == general and r.explains(comparison)]
        return fitting[0].why if fitting else ""


@dataclass(frozen=True)
class Reproduction(Generic[Row]):
    """What came out of an experiment: rows, numbers beside the printed ones, drawings, and what could not be run."""

    experiment: Experiment[Row]
    chosen: Chosen
    rows: tuple[Row, ...]
    comparisons: tuple[PrintedComparison, ...]
    drawings: Mapping[str, str]
    skipped: tuple[str, ...] = ()

    @property
    def table(self) -> list[dict[str, Any]]:
        """The lines of its summary; none where the comparisons are all there is."""
        summary = self.experiment.summary
        return summary(self.rows) if summary is not None else []
