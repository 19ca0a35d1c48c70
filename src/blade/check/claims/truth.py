"""What is true of some runs, as plain data that claims are held against."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final, NamedTuple, Protocol

from blade.check.text.names import key_of

COUNT: Final = "count"
SHARE: Final = "share"
POINTS: Final = "points"
AMOUNT: Final = "amount"

BUCKET: Final = "bucket"
STAGE: Final = "stage"
MODE: Final = "mode"
CAUSE: Final = "cause"
SLICE: Final = "slice"
TOOL: Final = "tool"
REASON: Final = "reason"
SIGNAL: Final = "signal"
WHOLE: Final = ""
"""A quantity of a run as a whole."""


class Quantity(NamedTuple):
    """One number that is true."""

    run: str
    """Empty for a number about two runs."""
    about: str
    """A kind of part, or `WHOLE`."""
    name: str
    """Of the part."""
    what: str
    """What is counted or measured: a word of `WHATS`, or a metric such as `pass@2`."""
    value: float
    unit: str
    of: float | None = None
    source: str = ""
    others: tuple[str, ...] = ()
    """Of a number about two runs: their names."""


class Run(NamedTuple):
    """A run, and by which names a report may call it."""

    name: str
    model: str | None
    agent: str | None


class Task(NamedTuple):
    """A task in one run."""

    passed: int
    measured: int
    bucket: str
    causes: frozenset[str]
    modes: frozenset[str]
    """Titles of the modes of its rollouts."""


class Pair(NamedTuple):
    """Two runs compared."""

    baseline: str
    candidate: str
    points: float | None
    verdict: str


class Texts(Protocol):
    """Where the texts of rollouts can be read."""

    def steps(self, ref: str) -> list[str] | None:
        """The texts of all steps of a rollout, in order; None for one that is not there."""

    def whole(self, ref: str) -> str:
        """Everything that its row says, prompt and fields too."""

    def prompt(self, ref: str) -> list[str]:
        """The texts of the items of its prompt."""


class Truth:
    """Everything that is known of some runs."""

    def __init__(
        self,
        runs: Iterable[Run],
        quantities: Iterable[Quantity],
        *,
        tasks: Mapping[tuple[str, str], Task] | None = None,
        rollouts: Mapping[tuple[str, str, str], str] | None = None,
        modes: Mapping[str, frozenset[str]] | None = None,
        pairs: Iterable[Pair] = (),
        texts: Texts | None = None,
        parts: Mapping[str, frozenset[str]] | None = None,
        directed: bool = True,
        rest: frozenset[str] = frozenset(),
    ) -> None:
        self.runs = list(runs)
        self.quantities = list(quantities)
        self.tasks = dict(tasks or {})
        self.rollouts = dict(rollouts or {})
        self.modes = dict(modes or {})
        """Of each title the rollouts that have the mode, as refs without steps."""
        self.pairs = list(pairs)
        self.texts = texts
        self.parts = dict(parts or {})
        """Further names of parts, such as tools that were offered and never called."""
        self.rest = rest
        """Titles of what nothing explains: no failure mode that could be the most frequent one."""
        self.directed = directed
        """Whether it is known which run a report takes as the baseline, so that signs of differences count."""

    @property
    def baseline(self) -> str | None:
        """The run that the others are compared with."""
        return self.pairs[0].baseline if self.pairs else None

    @cached_property
    def task_ids(self) -> frozenset[str]:
        return frozenset(task for _, task in self.tasks)

    @cached_property
    def run_names(self) -> list[str]:
        return [run.name for run in self.runs]

    @cached_property
    def names(self) -> dict[tuple[str, str], str]:
        """Of each kind of part and each spelling of it the name of the part."""
        found: dict[tuple[str, str], str] = {}
        for each in self.quantities:
            if each.about != WHOLE:
                for spelling in spellings(each.about, each.name):
                    found.setdefault((each.about, spelling), each.name)
        return found

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Spellings that stand for one run, and for one only; a run's own name comes before models and agents."""
        own: dict[str, set[str]] = {}
        others: dict[str, set[str]] = {}
        for run in self.runs:
            own.setdefault(key_of(run.name), set()).add(run.name)
            for spelling in filter(None, (run.model, run.agent)):
                others.setdefault(key_of(spelling), set()).add(run.name)
        found = {**others, **own}
        return {spelling: next(iter(runs)) for spelling, runs in found.items() if len(runs) == 1 and spelling}

    def of(self, about: str, name: str) -> list[Quantity]:
        """All numbers about one part."""
        return self._by_part.get((about, name), [])

    @cached_property
    def _by_part(self) -> dict[tuple[str, str], list[Quantity]]:
        found: dict[tuple[str, str], list[Quantity]] = {}
        for each in self.quantities:
            found.setdefault((each.about, each.name), []).append(each)
        return found


def spellings(about: str, name: str) -> set[str]:
    """How a report may write the name of a part."""
    found = {key_of(name)}
    if about == SLICE:
        value = name.partition(" = ")[2]
        if value and not value.replace(".", "").isdigit():
            found.add(key_of(value))
    return {spelling for spelling in found if spelling}
