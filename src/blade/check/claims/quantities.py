"""Claims of numbers: what a figure counts or measures, of which part of which run; and whether it is so."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from blade import numbers
from blade.check.claims import truth as known
from blade.check.claims.claim import Claim, Judged, contradicted, not_checkable, supported
from blade.check.claims.mentions import RUN, WHAT, Mention, parts, runs, whats
from blade.check.claims.scene import Label, Row, Scene, Sentence
from blade.check.claims.truth import Quantity, Truth
from blade.check.text.figures import COUNT, OF, PERCENT, POINTS, Figure, agrees
from blade.check.text.names import QUOTE, ROLLOUT, TASK
from blade.check.text.said import Said
from blade.check.text.tokens import MARK, NAME

KIND: Final = "number"

_OUTCOME_WHATS: Final = frozenset(["passed", "failed", "measured", "not measured", "missing"])
_UNITS: Final = {
    OF: (known.COUNT,),
    COUNT: (known.COUNT, known.AMOUNT, known.SHARE),
    PERCENT: (known.SHARE, known.COUNT, known.POINTS),
    POINTS: (known.POINTS,),
}
_ALSO: Final = {
    "failed": ("failing", "not measured"),
    "rollouts": ("failing", "measured", "passed", "failed", "seen", "in passes", "lost", "rows"),
    "tasks": ("common tasks", "better tasks", "worse tasks"),
    "pass@1": ("cost",),
    "passed": ("in passes",),
}
"""Words that a report may use for other things as well."""


_OF_ROLLOUTS: Final = frozenset([known.MODE, known.CAUSE, known.REASON, known.STAGE])
_GENERIC: Final = frozenset(
    ["value", "values", "count", "rate", "share", "n", "number", "total", "", "result", "score"]
)
"""Headers that say nothing about what is measured."""


_BESIDE: Final = 2
"""Tokens between a count and the word before it that says what is counted: `tasks: 24`."""


_MOST_FIGURES: Final = 100
"""Figures of a sentence; one that has more is a list, and nobody can say what of."""


class Reading(NamedTuple):
    """How a figure is to be read."""

    runs: tuple[str, ...]
    parts: tuple[tuple[str, str], ...]
    """Kinds and names; none for a run as a whole."""
    whats: tuple[str, ...]
    sure: bool
    """Whether run, part and measure are all told."""


def find(scene: Scene) -> Iterator[Judged]:
    """Every figure that says something of the runs."""
    for sentence in scene.sentences:
        yield from _in_sentence(sentence, scene.truth)
    for row in scene.rows:
        yield from _in_row(row, scene.truth)


def _in_sentence(sentence: Sentence, truth: Truth) -> Iterator[Judged]:
    figures = [figure for figure in sentence.said.figures if _counts(figure, sentence.said, sentence.mentions)]
    if not figures or len(figures) > _MOST_FIGURES or not _speaks_of_runs(sentence):
        return
    before: Reading | None = None
    for number, figure in enumerate(figures):
        begin = figures[number - 1].after if number else 0
        end = figures[number + 1].place if number + 1 < len(figures) else len(sentence.said.tokens)
        reading = _read(sentence, figure, begin, end, truth)
        if before and before.sure and _goes_on(sentence, figure, end):
            reading = before._replace(runs=tuple(_run_of(sentence, figure, end, truth)[0]))
        if reading is not None:
            yield _judge(figure, reading, truth, sentence.text, sentence.line)
        before = reading


def _goes_on(sentence: Sentence, figure: Figure, end: int) -> bool:
    """Whether a bare number goes on with what the number before it counts: `12 rollouts in A, 3 in B`."""
    behind = [each for each in sentence.mentions if figure.after <= each.first < min(end, figure.after + 4)]
    if figure.kind != COUNT or not behind or behind[0].kind != RUN:
        return False
    return _is_attached(sentence, figure.after, behind[0].first)


def _counts(figure: Figure, said: Said, mentions: Sequence[Mention]) -> bool:
    """Whether a figure is a number of the report's own: no end of an interval or a range, and no part of a name."""
    if figure.bound or _is_article(figure) or _is_of_range(figure, said) or _is_limit(figure, said):
        return False
    if any(each.kind != WHAT and each.first <= figure.place < each.after for each in mentions):
        return False
    return not any(name.kind == QUOTE and name.start <= figure.start < name.end for name in said.named)


def _is_of_range(figure: Figure, said: Said) -> bool:
    """`2 to 4`, `3–5`."""
    tokens = said.tokens
    after = tokens[figure.after].word if figure.after < len(tokens) else ""
    before = tokens[figure.place - 1].word if figure.place else ""
    numbers_around = {other.place for other in said.figures} | {other.after for other in said.figures}
    return (after in ("to", "–", "-") and figure.after + 1 in numbers_around and figure.kind == COUNT) or (
        before in ("to", "–") and figure.place - 1 in numbers_around and figure.kind == COUNT
    )


def _is_limit(figure: Figure, said: Said) -> bool:
    """`at least 4`, `more than 80 %`: the number is where something begins or ends."""
    before = tuple(token.word for token in said.tokens[max(0, figure.place - 2) : figure.place])
    return before in _LIMITS


_LIMITS: Final = frozenset(
    (one, other)
    for one, other in (
        *(("at", "least"), ("at", "most"), ("up", "to"), ("no", "more")),
        *((word, "than") for word in ("more", "less", "fewer", "greater", "higher", "lower", "better")),
    )
)


def _is_article(figure: Figure) -> bool:
    """`the one run`, `both`: words rather than numbers."""
    return figure.spelled and (figure.value == 1 or (figure.value == 2 and figure.of == 2))


def _speaks_of_runs(sentence: Sentence) -> bool:
    """Whether a sentence is about runs and their parts at all, and not about single tasks or rollouts."""
    labels = [sentence.said, *(label.said for label in sentence.above[:2])]
    kinds = {name.kind for said in labels for name in said.named}
    return bool(sentence.mentions) and not kinds & {TASK, ROLLOUT}


def _read(sentence: Sentence, figure: Figure, begin: int, end: int, truth: Truth) -> Reading | None:
    run, run_sure = _run_of(sentence, figure, end, truth)
    own, attached = _parts_of(sentence, figure, begin, end)
    over = own or _first_parts(sentence.above)
    measures = _whats_of(sentence, figure, begin, end)
    if not (over or measures):
        return None
    run_sure = (
        run_sure
        and (attached or not own)
        and not _is_between(sentence, over)
        and not _is_supposed(sentence.said)
        and (bool(over) or _is_count_of_all(sentence, figure))
        and _is_plainly_said(sentence, figure, end, of_part=bool(over))
    )
    told = tuple(run) or tuple(_runs_above(sentence.above)) or tuple(truth.run_names)
    sure = run_sure and len(over) <= 1 and len(measures) == 1
    return _settled(Reading(told, tuple(over), tuple(measures), sure), sure=run_sure and len(told) == 1)


def _is_supposed(said: Said) -> bool:
    """Whether a text speaks of what could be, rather than of what is."""
    words = {token.word for token in said.tokens}
    return bool(_SUPPOSED & words) or ("too" in words and bool(_SUPPOSED_TOO & words))


_SUPPOSED: Final = frozenset(
    ["would", "could", "might", "may", "if", "unless", "without", "suppose", "needs", "enough"]
)
_SUPPOSED_TOO: Final = frozenset(["few", "little", "small"])


def _is_count_of_all(sentence: Sentence, figure: Figure) -> bool:
    """Whether a count can be one of everything in a run: `has 80 rollouts`, and not `failed on 4 rollouts`."""
    if figure.kind != COUNT or figure.decimals:
        return True
    tokens = sentence.said.tokens
    behind = tokens[figure.after].word if figure.after < len(tokens) else ""
    if behind not in _THINGS:
        return True
    before = [token.word for token in tokens[max(0, figure.place - 2) : figure.place]]
    if not before or before[-1] in _OPENS or not before[-1].isalpha():
        return True
    return before[-1] in _ON and before[0] in _EVALUATED


_THINGS: Final = frozenset(["rollouts", "tasks", "rows", "attempts", "problems", "trials", "repeats"])
_OPENS: Final = frozenset(
    [
        *(
            "has",
            "have",
            "had",
            "holds",
            "with",
            "over",
            "of",
            "made",
            "comprises",
            "contains",
            "covers",
            "are",
            "were",
        ),
        *(
            "all",
            "the",
            "its",
            "across",
            "and",
            "both",
            "these",
            "those",
            "includes",
            "spans",
            "measured",
            "ran",
            "total",
        ),
    ]
)
_ON: Final = frozenset(["on", "in", "at", "from"])
_EVALUATED: Final = frozenset(["run", "ran", "evaluated", "tested", "scored", "measured", "based"])


def _is_between(sentence: Sentence, over: Sequence[tuple[str, str]]) -> bool:
    """Whether a figure is of what is lost from one stage to the next."""
    return any(kind == known.STAGE for kind, _ in over) and bool(_WAY & set(sentence.said.words))


_WAY: Final = frozenset(["between", "before", "after", "from"])


def _is_plainly_said(sentence: Sentence, figure: Figure, end: int, *, of_part: bool) -> bool:
    """Whether nothing beside a figure makes it one of some rollouts only: `29 rollouts without a verdict`."""
    tokens = sentence.said.tokens
    if figure.kind == COUNT and figure.place and tokens[figure.place - 1].text in ("(", "of"):
        return False
    if figure.kind == COUNT and figure.spelled and not any(each.first == figure.after for each in sentence.mentions):
        return False
    nouns = [each for each in sentence.mentions if each.kind == WHAT and figure.after <= each.first < end]
    if figure.kind == COUNT and nouns and nouns[0].key == "tasks":
        of_part = False
    if of_part:
        end = nouns[0].first if nouns else figure.after
    mentioned = {at for each in sentence.mentions for at in range(each.first, each.after)}
    for at in range(figure.after, end):
        if tokens[at].text in ",;:()—→" or tokens[at].word in ("and", "while", "but", "than", "as"):
            return True
        if at not in mentioned and tokens[at].word not in _PLAIN:
            return False
    return True


_PLAIN: Final = frozenset(
    [
        "in",
        "of",
        "for",
        "by",
        "on",
        "the",
        "its",
        "all",
        "a",
        "run",
        "runs",
        "per",
        "is",
        "are",
        "was",
        "were",
        "over",
        "out",
        "from",
        "to",
        "it",
        "at",
        ".",
        "%",
        "pass@1",
        "that",
        "there",
        "here",
    ]
)


def _parts_of(sentence: Sentence, figure: Figure, begin: int, end: int) -> tuple[list[tuple[str, str]], bool]:
    """The parts that a figure is of, behind it, else before, else in the sentence; and whether they are beside it."""
    tokens, mentions = sentence.said.tokens, sentence.mentions
    stop = next((at for at in range(figure.after, end) if tokens[at].text in ",;()"), end)
    behind = [each for each in mentions if figure.after <= each.first < min(stop, figure.after + 6)]
    before = [
        each
        for each in mentions
        if begin <= each.first < figure.place and _is_in_clause(sentence, each.first, figure.place)
    ]
    beside = _main(behind) or _main(before)
    if beside:
        return beside, True
    found = _main(mentions)
    earlier = [
        each
        for each in mentions
        if (each.kind, each.key) in found
        and each.first < figure.place
        and _is_in_clause(sentence, each.first, figure.place)
    ]
    return found, len(found) == 1 and bool(earlier)


_LABELS: Final = frozenset([known.CAUSE, known.SIGNAL])


def _main(mentions: Iterable[Mention]) -> list[tuple[str, str]]:
    """The parts among some mentions; beside a mode neither its cause counts, nor what stands within its name."""
    found = list(mentions)
    modes = [each for each in found if each.kind == known.MODE]
    if not modes:
        return parts(found)
    inside = [
        each
        for each in found
        if each.kind in _LABELS or any(mode.first <= each.first < mode.after for mode in modes if mode is not each)
    ]
    kept = [each for each in found if each.kind == known.MODE or each not in inside]
    return parts(kept)


def _settled(reading: Reading, *, sure: bool) -> Reading:
    """What is counted of a part: of buckets it is tasks, of modes and stages rollouts, whatever became of them."""
    kinds = {kind for kind, _ in reading.parts}
    if kinds == {known.BUCKET}:
        return reading._replace(whats=("tasks",), sure=sure and len(reading.parts) == 1)
    if kinds <= _OF_ROLLOUTS and kinds and set(reading.whats) <= _OUTCOME_WHATS | {"rollouts"}:
        return reading._replace(whats=("rollouts",))
    return reading


def _run_of(sentence: Sentence, figure: Figure, end: int, truth: Truth) -> tuple[list[str], bool]:
    """The runs that a figure may speak of, and whether it is one for sure."""
    mentions = [each for each in sentence.mentions if each.kind == RUN]
    named = runs(mentions)
    if len(named) == 1:
        return named, any(_is_in_clause(sentence, each.first, figure.place) for each in mentions)
    if not named:
        return _runs_above(sentence.above) or truth.run_names, True
    behind = [each for each in mentions if figure.after <= each.first < min(end, figure.after + 7)]
    if behind and _is_attached(sentence, figure.after, behind[0].first):
        return [behind[0].key], True
    return _runs_of_clause(sentence, mentions, figure) or named, True


def _runs_of_clause(sentence: Sentence, mentions: Sequence[Mention], figure: Figure) -> list[str]:
    """The runs that share a clause with a figure; behind `A:` it is A alone, up to the next of the kind."""
    tokens = sentence.said.tokens
    titles = [each for each in mentions if each.after < len(tokens) and tokens[each.after].text == ":"]
    before = [each for each in titles if each.after < figure.place]
    if before:
        return [before[-1].key]
    return runs(each for each in mentions if _is_in_clause(sentence, each.first, figure.place))


def _is_in_clause(sentence: Sentence, one: int, other: int) -> bool:
    """Whether no semicolon stands between two places."""
    return all(token.text != ";" for token in sentence.said.tokens[min(one, other) : max(one, other)])


_TO: Final = frozenset(
    ["in", "of", "for", "by", "with", "on", "(", "rollouts", "tasks", "measured", "its", "the", "run", "pass@1", "%"]
)


def _is_attached(sentence: Sentence, begin: int, end: int) -> bool:
    """Whether only words such as `in` stand between a figure and a run."""
    return all(token.word in _TO for token in sentence.said.tokens[begin:end]) and begin < end


def _runs_above(above: Sequence[Label]) -> list[str]:
    for label in above:
        if found := runs(label.mentions):
            return found
    return []


def _first_parts(above: Sequence[Label]) -> list[tuple[str, str]]:
    for label in above:
        if found := _main(label.mentions):
            return found
    return []


def _whats_of(sentence: Sentence, figure: Figure, begin: int, end: int) -> list[str]:
    """What a figure measures: the words right behind it, else those before it."""
    mentions = [each for each in sentence.mentions if each.kind == WHAT]
    tokens = sentence.said.tokens
    stop = next((at for at in range(figure.after, end) if tokens[at].word in _STOPS), end)
    behind = [each for each in mentions if figure.after <= each.first < min(stop, figure.after + 4)]
    before = [each for each in mentions if begin <= each.first < figure.place]
    if [token.word for token in sentence.said.tokens[max(0, figure.place - 2) : figure.place]] in _P_VALUES:
        return ["p"]
    if figure.kind == POINTS and not whats(mentions) and len(runs(sentence.mentions)) == 2:
        return ["delta"]
    if figure.kind == COUNT and figure.decimals and figure.value <= 1 and (rates := _metrics(before[-1:])):
        return whats(rates)
    if figure.kind == POINTS:
        return whats([each for each in (*before[-1:], *behind[:1]) if each.key in ("delta", "cost", "lost")][:1])
    if figure.kind == PERCENT:
        before = [each for each in before if each.key not in _NO_RATES]
        return whats(before[-1:]) or whats(behind[:1]) or whats(_metrics(mentions))
    titled = figure.place and sentence.said.tokens[figure.place - 1].text in (":", "=", "(")
    if figure.kind == OF and not behind and before and before[-1].after == figure.place:
        return whats(before[-1:])
    return whats(_first_nouns(behind)) or whats(
        each for each in before[-1:] if titled and figure.place - each.after <= _BESIDE
    )


_STOPS: Final = frozenset([",", ";", "(", ")", "and", "while", "but", "against"])
_NO_RATES: Final = frozenset(["measured", "tasks", "rollouts", "rows", "repeats", "common tasks", "duplicates"])
_P_VALUES: Final = (["p", "="], ["p", "<"])


def _metrics(mentions: Iterable[Mention]) -> list[Mention]:
    return [each for each in mentions if "@" in each.key or "^" in each.key][:1]


def _first_nouns(behind: Sequence[Mention]) -> list[Mention]:
    """`failed rollouts` are failures, `rollouts passed` are passes, `tasks` are tasks."""
    if behind and behind[0].key == "tasks":
        return list(behind[:1])
    outcome = [each for each in behind[:2] if each.key in _OUTCOME_WHATS]
    return outcome[:1] or list(behind[:1])


def _in_row(row: Row, truth: Truth) -> Iterator[Judged]:
    cells = row.cells
    if not cells:
        return
    label = cells[0][1]
    labels = [label, *(value for _, value in cells[1:] if not value.said.figures)]
    tasks = any(name.kind == TASK for cell in (cells[0],) for name in [*cell[0].said.named, *cell[1].said.named])
    if tasks or _is_task_header(cells[0][0]):
        return
    for header, value in cells:
        if value is label:
            continue
        for figure in value.said.figures:
            if not _counts(figure, value.said, value.mentions):
                continue
            figure = _in_unit_of(header, figure)
            reading = _read_cell(row, header, value, labels, figure, truth)
            if reading is not None:
                text = f"{label.said.inline.text}: {header.said.inline.text}: {value.said.inline.text}"
                yield _judge(figure, reading, truth, text, row.line)


def _in_unit_of(header: Label, figure: Figure) -> Figure:
    """A bare number under a header that tells its unit."""
    words = {token.word for token in header.said.tokens}
    if figure.kind == COUNT and words & {"points", "pp", "pts"}:
        return figure._replace(kind=POINTS)
    if figure.kind == COUNT and words & {"%", "percent", "pct"}:
        return figure._replace(kind=PERCENT)
    return figure


def _is_task_header(header: Label) -> bool:
    return header.said.inline.text.strip().lower() in ("task", "task id", "task_id", "task index", "problem")


def _read_cell(
    row: Row, header: Label, value: Label, labels: Sequence[Label], figure: Figure, truth: Truth
) -> Reading | None:
    across = [each for label in labels for each in label.mentions]
    down = header.mentions
    named = runs(down) or [run for label in labels if _is_of_run(label) for run in runs(label.mentions)]
    titled_by = _main(labels[0].mentions) or _main(down)
    over = titled_by or _main(across) or _main(value.mentions)
    own = _whats_in_cell(value, figure)
    titled = [label for label in (header, *labels) if _is_titled(label)]
    measures = own or whats(each for label in titled for each in label.mentions)
    above = [each for label in row.above for each in label.mentions]
    if not (over or measures):
        return None
    told = tuple(named) or tuple(runs(above)) or tuple(truth.run_names)
    measures = measures or _metric_above(row, figure) or _usual(over, down, figure)
    heads = bool(down) or header.said.inline.text.strip().lower() in _GENERIC
    sure = len(over) <= 1 and len(measures) == 1 and not (own and titled) and heads
    loose = measures or whats([*down, *across, *above])
    heads = heads and (bool(titled_by) or not over) and not (_is_supposed(header.said) or _is_supposed(labels[0].said))
    reading = Reading(told, tuple(over), tuple(loose), sure and heads and bool(measures))
    return _settled(reading, sure=heads)


def _usual(over: Sequence[tuple[str, str]], down: Sequence[Mention], figure: Figure) -> list[str]:
    """What a bare count under the name of a run counts: rollouts of a stage, a mode or a cause."""
    kinds = {kind for kind, _ in over}
    is_plain = len(over) == 1 and kinds <= _OF_ROLLOUTS and bool(runs(down))
    return ["rollouts"] if is_plain and figure.kind in (COUNT, OF) and not figure.decimals else []


def _metric_above(row: Row, figure: Figure) -> list[str]:
    """The one rate that a caption names, for percentages."""
    if figure.kind != PERCENT:
        return []
    found = next((whats(_metrics(label.mentions)) for label in row.above if _metrics(label.mentions)), [])
    return found if len(found) == 1 else []


def _is_of_run(label: Label) -> bool:
    """Whether a label is the name of a run, rather than a path in which it occurs."""
    words = [token for token in label.said.tokens if token.kind != MARK]
    return len(words) <= 3 and not any("." in token.text or "/" in token.text for token in words)


def _is_titled(label: Label) -> bool:
    """Whether a header or a label is the name of a measure, rather than a text in which one occurs."""
    words = [token for token in label.said.tokens if token.kind != MARK and token.word not in _UNIT_WORDS]
    named = sum(each.after - each.first for each in label.mentions if each.kind == WHAT)
    if any(token.kind == NAME for token in words):
        return False
    return bool(words) and 2 * named >= len(words)


_UNIT_WORDS: Final = frozenset(["in", "of", "points", "percent", "pp", "the", "number"])


def _whats_in_cell(value: Label, figure: Figure) -> list[str]:
    behind = [each for each in value.mentions if each.kind == WHAT and figure.after <= each.first < figure.after + 3]
    return whats(_first_nouns(behind))


def _judge(figure: Figure, reading: Reading, truth: Truth, text: str, line: int) -> Judged:
    claim = Claim(KIND, _shortened(text), line, _subject(reading), _written(figure))
    loose = list(_candidates(figure, reading, truth, strictly=False))
    for each in loose:
        if _says(figure, each) or (not truth.directed and _says_backwards(figure, each)):
            return supported(claim, each.source)
    if figure.kind == COUNT and len(reading.runs) > 1 and _is_sum(figure, loose):
        return supported(claim, f"{loose[0].source}, and of the other runs")
    strict = list(_candidates(figure, reading, truth, strictly=True)) if reading.sure else []
    if reading.whats == ("p",):
        strict = []
    if not strict:
        why = "run, part or measure is not told clearly" if not reading.sure else "the data have no such number"
        return not_checkable(claim, why)
    if not _is_close_kind(figure, strict):
        return not_checkable(claim, "it may count something else")
    nearest = min(strict, key=lambda each: abs(_scaled(figure, each) - figure.value))
    return contradicted(claim, _true(nearest), nearest.source)


def _is_sum(figure: Figure, found: Sequence[Quantity]) -> bool:
    """Whether a figure is what all runs have together."""
    sums: dict[tuple[str, str, str, float | None], float] = {}
    for each in {
        (each.run, each.about, each.name, each.what): each for each in found if each.unit == known.COUNT
    }.values():
        key = (each.about, each.name, each.what, None)
        sums[key] = sums.get(key, 0.0) + each.value
    return figure.value in sums.values()


def _candidates(figure: Figure, reading: Reading, truth: Truth, *, strictly: bool) -> Iterator[Quantity]:
    """The numbers that a figure could mean."""
    wanted = list(reading.parts) or [(known.WHOLE, "")]
    if not strictly and not (reading.sure and reading.parts):
        wanted.append((known.WHOLE, ""))
    measures = set(reading.whats)
    if wanted[0][0] in (known.MODE, known.CAUSE) and figure.kind in (PERCENT, POINTS):
        measures |= {"cost", "delta"}
    if not measures and figure.kind == POINTS and not strictly:
        measures = {"delta", "cost", "lost"}
    if not strictly:
        measures |= {other for what in reading.whats for other in _ALSO.get(what, ())}
    if not strictly and "missing" in measures:
        wanted.append((known.BUCKET, "missing"))
        measures.add("tasks")
    for about, name in dict.fromkeys(wanted):
        for each in truth.of(about, name):
            if each.unit not in _UNITS[figure.kind]:
                continue
            if each.run and each.run not in reading.runs:
                continue
            if strictly and not each.run and not _is_of_pair(each, reading, truth):
                continue
            if (
                (not strictly and not measures and about != known.WHOLE)
                or each.what in measures
                or (not strictly and not each.run and figure.kind == POINTS)
            ):
                yield each


def _is_of_pair(each: Quantity, reading: Reading, truth: Truth) -> bool:
    """Whether a difference is the one between the runs that are told: there is one pair only, or it is named."""
    if len(truth.pairs) == 1:
        return True
    named = set(reading.runs)
    if len(named) == 1:
        return truth.directed and named == {each.others[1]}
    return named == set(each.others)


def _is_close_kind(figure: Figure, strict: Sequence[Quantity]) -> bool:
    """Whether the figure is of the kind that the data have: `so many of so many` of as many."""
    if figure.kind == OF:
        return any(each.of is None or each.of == figure.of or each.value == figure.value for each in strict)
    if figure.kind == PERCENT:
        return any(each.unit == known.SHARE or _is_outcome_of_run(each) for each in strict)
    if figure.kind != COUNT:
        return True
    units = (known.AMOUNT, known.SHARE) if figure.decimals or figure.value < 0 else (known.COUNT, known.AMOUNT)
    return any(each.unit in units for each in strict)


def _is_outcome_of_run(each: Quantity) -> bool:
    """Whether a count is of all rollouts of a run that passed, or failed: what a percentage of them can only mean."""
    return each.about == known.WHOLE and each.what in ("passed", "failed") and bool(each.of)


def _says(figure: Figure, each: Quantity) -> bool:
    if figure.kind == OF:
        return each.value == figure.value and (each.of is None or each.of == figure.of)
    if figure.kind == PERCENT and each.unit == known.COUNT:
        return each.of is not None and each.of > 0 and agrees(figure, 100 * each.value / each.of)
    if figure.kind == COUNT and each.unit == known.SHARE and not figure.decimals:
        return False
    scaled = _scaled(figure, each)
    return agrees(figure, scaled) or (agrees(figure, abs(scaled)) and figure.value >= 0)


def _says_backwards(figure: Figure, each: Quantity) -> bool:
    """Whether a figure is the difference taken the other way round."""
    return bool(each.others) and _says(figure, each._replace(value=-each.value))


def _scaled(figure: Figure, each: Quantity) -> float:
    if figure.kind == PERCENT:
        if each.unit == known.SHARE:
            return 100 * each.value
        if each.unit == known.COUNT and each.of:
            return 100 * each.value / each.of
    return each.value


def _written(figure: Figure) -> str:
    value = f"{figure.value:g}"
    if figure.kind == OF:
        return f"{value} of {figure.of:g}"
    return value + {PERCENT: " %", POINTS: " points"}.get(figure.kind, "")


def _true(each: Quantity) -> str:
    if each.unit == known.SHARE:
        return numbers.percent(each.value)
    if each.unit == known.POINTS:
        return f"{numbers.points(each.value)} points"
    shown = f"{each.value:,.0f}" if each.unit == known.COUNT else numbers.amount(each.value)
    return f"{shown} of {each.of:,.0f}" if each.of else shown


def _subject(reading: Reading) -> str:
    told = [*([reading.runs[0]] if len(reading.runs) == 1 else []), *(name for _, name in reading.parts[:2])]
    return ", ".join([*told, *reading.whats[:2]])


def _shortened(text: str) -> str:
    return text if len(text) <= 300 else text[:299] + "…"
