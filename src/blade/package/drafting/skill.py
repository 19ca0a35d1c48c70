"""D1 drafted: the benchmark's own skill, from what its runs show. A person reviews it and adds what data do not say."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from blade.check.text.names import key_of
from blade.numbers import counted
from blade.package.drafting.tables import code, table
from blade.package.sanitizing import is_example
from blade.profile.reading import Profile
from blade.ref import Ref
from blade.report.reading import Library
from blade.report.redact import Redactor
from blade.vocabulary import CAUSES

if TYPE_CHECKING:
    from blade.explain.records import ModeShare
    from blade.measure.run import RunMetrics
    from blade.report.findings import Findings
    from blade.scan.store import Store

_MOST_FIELDS: Final = 40
_MOST_TOOLS: Final = 30
_MOST_MODES: Final = 20
_PROMPT: Final = 600

_STANDARD: Final = (
    ("_ng_task_index", "task_index", "integer", "the task; with `_ng_rollout_index` it names a rollout"),
    ("_ng_rollout_index", "rollout_index", "integer", "the repeat of the task, from 0"),
    ("reward", "reward", "number", "what the verifier gave"),
    ("response.model", "model", "text", "the model that was evaluated"),
    ("agent_ref", "agent", "object", "the agent that ran it"),
)
"""Keys that NeMo Gym itself writes: name in the row, column of the store, type, meaning."""


def skill_name(benchmark: str) -> str:
    """A name that a skill may have."""
    plain = "-".join(key_of(benchmark).split())
    kept = "".join(char for char in plain if char.isascii() and (char.isalnum() or char == "-")).strip("-")
    return f"{kept or 'benchmark'}-analysis"[:64].rstrip("-")


class Known(NamedTuple):
    """What a person knows of a benchmark and its data do not say."""

    overview: str = ""
    meanings: Mapping[str, str] = MappingProxyType({})
    """Of fields, by their names."""


class SkillText:
    """The text of a benchmark's skill."""

    def __init__(
        self, benchmark: str, findings: "Findings", store: "Store", profile: Profile, known: Known | None = None
    ) -> None:
        self._benchmark = benchmark
        self._known = known or Known()
        self._findings = findings
        self._store = store
        self._profile = profile
        self._redactor = Redactor(spare=is_example)

    def text(self) -> str:
        """All of it."""
        parts = (
            self._head(),
            self._overview(),
            self._schema(),
            self._funnel(),
            self._taxonomy(),
            self._workflow(),
            _report_template(),
            self._review(),
        )
        return "\n".join(line.rstrip() for part in parts for line in part).rstrip() + "\n"

    def _ask(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return list(self._store.connection.execute(query, list(values)).fetchall())

    def _head(self) -> Iterator[str]:
        yield "---"
        yield f"name: {skill_name(self._benchmark)}"
        yield (
            f"description: Analyses evaluation rollouts of the {self._benchmark} benchmark. Use it when someone asks "
            "which of its tasks failed, why, and what to fix, or wants a report on runs of it or a comparison of two."
        )
        yield "---"
        yield ""
        yield f"# {self._benchmark}: how to analyse its rollouts"
        yield ""

    # Overview

    def _overview(self) -> Iterator[str]:
        yield "## Benchmark Overview"
        yield ""
        runs = self._findings.metrics
        tasks = max((len(run.by_task) for run in runs), default=0)
        if self._known.overview:
            yield from (*self._known.overview.strip().splitlines(), "")
        yield (
            f"{self._benchmark} has {counted(tasks, 'task')} in these runs. A rollout passes by the rule: "
            f"{self._findings.analysis.pass_rule}. What a task asks and how it is judged shows in its rows: the prompt "
            "in `responses_create_params.input`, what the agent did in `response.output`, what the verifier saw in the "
            "fields below."
        )
        yield ""
        header = ("run", "model", "agent", "rollouts", "repeats", "pass@1")
        yield from table(header, [_run_row(run) for run in runs])
        yield from self._tools()
        yield from self._prompt()

    def _tools(self) -> Iterator[str]:
        query = (
            "SELECT tool, count(*), count(error), count(DISTINCT (file, row)) FROM actions WHERE tool <> '' "
            "GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?"
        )
        found = self._ask(query, [_MOST_TOOLS])
        if not found:
            yield "The agents call no tools: everything happens in their messages."
            yield ""
            return
        yield "What the agents call:"
        yield ""
        rows = [(code(tool), f"{calls:,}", f"{rollouts:,}", f"{errors:,}") for tool, calls, errors, rollouts in found]
        yield from table(("tool", "calls", "rollouts that call it", "answers that are errors"), rows)

    def _prompt(self) -> Iterator[str]:
        asked = next(self._asked(), "")
        if asked:
            yield "A task as the agent sees it:"
            yield ""
            yield "```text"
            yield from _cut(self._redactor.text(asked), _PROMPT).replace("```", "'''").splitlines()
            yield "```"
            yield ""

    def _asked(self) -> Iterator[str]:
        """What the user says in the first rollout."""
        query = "SELECT ref FROM rollouts WHERE standing = 'row' ORDER BY run, task_index, task, rollout LIMIT 1"
        refs = [Ref.parse(ref) for (ref,) in self._ask(query)]
        for _, rollout in Library(self._store).read(refs):
            yield from (step.text for step in rollout.prompt if step.actor == "user" and step.text)

    # Input schema

    def _schema(self) -> Iterator[str]:
        yield "## Input Schema"
        yield ""
        yield "A row of `rollouts/*.jsonl` is one rollout. `response.output` holds its steps in order. Its fields:"
        yield ""
        [(rows,)] = self._ask("SELECT count(*) FROM rollouts WHERE standing = 'row'")
        standard = [self._standard(*each, rows) for each in _STANDARD]
        own = [self._own(each, rows) for each in self._fields()]
        yield from table(("field", "type", "rows", "example", "meaning"), [row for row in (*standard, *own) if row])
        if not self._known.meanings:
            yield "What the benchmark's own fields mean is not in the data: whoever knows the verifier adds it."
            yield ""

    def _standard(self, name: str, column: str, kind: str, meaning: str, rows: int) -> tuple[str, ...] | None:
        query = f"SELECT count({column}), any_value({column} ORDER BY file, row) FROM rollouts WHERE standing = 'row'"
        [(present, example)] = self._ask(query)
        return (code(name), kind, f"{present:,} of {rows:,}", code(str(example)), meaning) if present else None

    def _fields(self) -> list[tuple[Any, ...]]:
        query = """
            SELECT name, mode(kind), count(*) FILTER (kind <> 'null'), count(DISTINCT coalesce(text, number::VARCHAR)),
                   arg_min(coalesce(text, number::VARCHAR), (file, row)) FILTER (kind <> 'null'),
                   mode(kind) FILTER (kind <> 'null')
            FROM fields WHERE standing = 'row' GROUP BY name ORDER BY min((file, row, name)), name LIMIT ?
        """
        return self._ask(query, [_MOST_FIELDS])

    def _own(self, field: tuple[Any, ...], rows: int) -> tuple[str, ...]:
        name, kind, present, values, example, held = field
        shown = {"1.0": "true", "0.0": "false"}.get(str(example), str(example)) if held == "boolean" else example
        told = counted(values, "value") if values else "always null"
        return (
            code(name),
            held or kind,
            f"{present:,} of {rows:,}",
            code(self._redactor.text(str(shown))) if shown is not None else "",
            "; ".join(filter(None, (self._known.meanings.get(name), told))),
        )

    # Funnel and taxonomy

    def _funnel(self) -> Iterator[str]:
        yield "## Workflow Funnel"
        yield ""
        yield "The stages on the way to a pass, and how many rollouts of each run came as far:"
        yield ""
        rules = {key_of(stage.name): stage.when for stage in self._profile.stages}
        runs = self._findings.runs
        stages = runs[0].funnel if runs else []
        rows = [
            (
                stage.stage,
                *(f"{run.funnel[place].reached:,} of {_owed(run):,}" for run in runs),
                code(rules.get(key_of(stage.stage), ""), 90) or _USUAL_STAGES.get(stage.stage, ""),
            )
            for place, stage in enumerate(stages)
        ]
        yield from table(("stage", *(run.run for run in runs), "how to tell"), rows)
        yield "`profile.toml` holds the stages as rules that run; `blade failures` shows the funnel of any run."
        yield ""

    def _taxonomy(self) -> Iterator[str]:
        yield "## Failure Taxonomy"
        yield ""
        yield (
            "Every failing or not-measured rollout has one mode, the most telling that fits; each mode has a usual "
            f"cause ({', '.join(CAUSES)}) and an owner who can act on it. Found in these runs:"
        )
        yield ""
        rules = {key_of(mode.name): mode.when for mode in self._profile.modes}
        rows = [
            (
                mode.title,
                mode.cause,
                mode.owner,
                f"{rollouts:,}",
                code(rules[key_of(mode.mode)], 100) if key_of(mode.mode) in rules else mode.rule,
                code(mode.refs[0]) if mode.refs else "",
            )
            for mode, rollouts in self._modes()
        ]
        header = ("mode", "cause", "owner", "rollouts", "detection rule", "one of its rollouts")
        yield from table(header, rows)
        yield "What the causes mean:"
        yield ""
        yield from (f"- **{name}**: {meaning}" for name, meaning in CAUSES.items())
        yield ""
        yield (
            "A mode that passing rollouts of the same task and run show as often is a habit and no cause. Rules that "
            "can be said as SQL stand in `profile.toml`; `blade profile check` says what each catches."
        )
        yield ""

    def _modes(self) -> "list[tuple[ModeShare, int]]":
        """The modes of all runs, the most frequent first."""
        found: dict[str, ModeShare] = {}
        counts: dict[str, int] = {}
        for run in self._findings.runs:
            for mode in run.modes:
                found.setdefault(mode.mode, mode)
                counts[mode.mode] = counts.get(mode.mode, 0) + mode.rollouts
        order = sorted(found, key=lambda mode: -counts[mode])[:_MOST_MODES]
        return [(found[mode], counts[mode]) for mode in order]

    # Workflow

    def _workflow(self) -> Iterator[str]:
        first, *others = [run.run for run in self._findings.runs]
        worst = next((label for label in self._findings.analysis.tasks if label.mode), None)
        task = worst.task if worst else "0"
        ref = worst.refs[0] if worst and worst.refs else f"{first}:0/0"
        yield "## Analysis Workflow"
        yield ""
        steps = (
            ("See what is there: rows, repeats, what is missing.", "blade runs rollouts"),
            ("Let the engine count: rates, modes, what changed.", "blade report rollouts -o out"),
            ("Read the tasks that matter, in the order of their steps.", f"blade task rollouts {task}"),
            ("Open every step that you are going to cite.", f"blade show '{ref}' rollouts"),
            ("Ask what no page answers.", 'blade sql "select run, avg(reward) from rollouts group by 1" rollouts'),
            (
                "Write report.md by the template below, and hold it against the data.",
                "blade check report.md --runs rollouts",
            ),
        )
        for number, (says, command) in enumerate(steps, 1):
            yield from (f"{number}. {says}", "", "   ```sh", f"   {command}", "   ```", "")
        yield "Never write a number that no command printed, nor a quote that no step holds."
        if others:
            yield f"Comparisons take {first} as the baseline unless another one is named with `--baseline`."
        yield ""

    def _review(self) -> Iterator[str]:
        if self._known.overview:
            return
        yield "## To Review"
        yield ""
        yield "This was drafted from data. A person who knows the benchmark has to say whether"
        yield ""
        yield "- the overview tells what is measured, and the pass rule is the benchmark's own;"
        yield "- each field means what its name suggests;"
        yield "- the modes are the right ones, with the right cause and owner, and none is missing;"
        yield "- the golden reports tell what matters, and each anchor fact is worth asking for."
        yield ""


_USUAL_STAGES: Final = {
    "owed": "a line of the materialized inputs, or a row",
    "started": "the row has a response",
    "acted": "the agent called a tool or gave an answer",
    "answered": "the rollout ends with an answer",
    "judged": "the verifier gave a verdict",
    "measured": "the row counts as a measurement",
    "passed": "the reward reaches the pass rule",
}


def _run_row(run: "RunMetrics") -> tuple[str, ...]:
    rate = run.metrics.get("pass@1")
    repeats = str(run.usual_repeats)
    return (
        code(run.run),
        run.model or "",
        run.agent or "",
        f"{run.rollouts:,}",
        repeats,
        f"{100 * rate.value:.1f} %" if rate and rate.value is not None else "",
    )


def _owed(run: Any) -> int:
    return int(run.funnel[0].reached) if run.funnel else 0


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rstrip() + " …"


def _report_template() -> Iterator[str]:
    yield "## Report Template"
    yield ""
    yield "Eleven sections under second-level headings, in this order:"
    yield ""
    for number, (title, says) in enumerate(_REPORT, 1):
        yield f"{number}. **{title}**: {says}"
    yield ""


_REPORT: Final = (
    (
        "Executive Summary",
        "the answer first: rates with intervals, whether a difference is beyond noise, the first fix.",
    ),
    ("Artifact Inventory", "what was read, and what is missing, skipped or not measured."),
    ("Aggregate Results", "pass@1, pass@k, consistency, each with its denominator, as a table."),
    ("Workflow Funnel", "how many rollouts reach each stage, and where most are lost, as a table."),
    ("Task Outcome Buckets", "tasks that pass always, sometimes, never, by their ids."),
    ("Dominant Failure Modes", "each with its cause, owner, count, tasks, refs and one exact quote."),
    ("Sometimes-Pass Deep Dives", "a failing and a passing rollout side by side from the step where they part."),
    ("Never-Pass Deep Dives", "what stands in the way each time; whether the task or its verifier is at fault."),
    ("Cross-Model Comparison", "what changed from run to run, in terms that sum to the difference."),
    ("Recommendations", "who does what, the gain to expect, and the rerun that would confirm it."),
    ("Reproducibility Notes", "the commands, the pass rule, what was not read."),
)
