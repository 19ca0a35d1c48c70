"""A first profile, drafted from what was found in runs, for a person to correct."""

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import msgspec

from blade.explain.assign import assign
from blade.explain.cases import Cases
from blade.explain.fields import fields_of
from blade.explain.funnel import field_stages
from blade.explain.judged import judged_of
from blade.explain.mode import Mode
from blade.explain.profiling import cases_of
from blade.explain.rules import rules_of
from blade.explain.signals import BY_KIND
from blade.measure.panel import summary_of
from blade.measure.run import Settings
from blade.measure.slices import Seen, find_slices
from blade.numbers import counted
from blade.profile.keys import NAME, SECTIONS
from blade.scan.rules import signal_name

if TYPE_CHECKING:
    from blade.scan.store import Store

MOST_MODES: Final = 20
_MOST_FIELDS: Final = 8
_WIDTH: Final = 116


def draft_profile(store: "Store", settings: Settings) -> str:
    """A first profile, from what was found in the runs of a store; comments say what each part is for."""
    cases = cases_of(store, msgspec.structs.replace(settings, profile=None))
    parts = [_head(), *_tables(cases, settings), *_drafted_stages(cases), *_drafted_modes(cases)]
    return "\n\n".join(parts) + "\n"


def _head() -> str:
    return "\n".join(
        _comment(
            "What is known of this benchmark, drafted from its runs: a person has to read it. "
            "`blade profile check FILE RUN...` says what each rule catches. Rules are SQL expressions over the facts,"
            " fields, signals and calls of one rollout, as they could stand behind WHERE; the check lists their names."
        )
    )


def _tables(cases: Cases, settings: Settings) -> Iterator[str]:
    yield _table("benchmark", {"name": _name(cases)})
    ids = cases.store.connection.execute(
        "SELECT row_id_field FROM rollouts WHERE row_id_field IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1"
    ).fetchall()
    if ids:
        yield _table("tasks", {"id_fields": [name for (name,) in ids]})
    yield _table("pass", {"threshold": settings.rule.threshold})
    if slices := _slices(cases):
        yield _table("slices", {"fields": slices[:_MOST_FIELDS]})
    pairs = [pair for pair in cases.once(judged_of)[0].pairs if not pair.given_field.startswith("the ")]
    if pairs:
        expected, given = [pair.expected_field for pair in pairs], [pair.given_field for pair in pairs]
        yield _table("answers", {"expected": expected, "given": given})


def _name(cases: Cases) -> str:
    query = "SELECT environment FROM rollouts WHERE environment <> '' GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1"
    found = [name for (name,) in cases.store.connection.execute(query).fetchall()]
    return found[0] if found else (summary_of(cases.store, cases.runs[0]).agent or "benchmark")


def _slices(cases: Cases) -> list[str]:
    first = cases.panels[0]
    return [slicing.field for slicing in find_slices(cases.store, Seen.of([first]))]


def _drafted_stages(cases: Cases) -> Iterator[str]:
    """Stages that nearly all passes go through: an answer, and true-or-false fields."""
    about = "Stages of the way to a pass, in order: each is reached by those who reached the one before."
    stages = [("answered", "answer_step IS NOT NULL")]
    for name, _ in field_stages(cases, cases.once(fields_of)):
        field, value = (name[4:], "false") if name.startswith("not ") else (name, "true")
        stages.append((name, f"{_column(cases, field)} = {value}"))
    for number, (name, when) in enumerate(stages):
        lines = _comment(about) if number == 0 else []
        yield "\n".join([*lines, "[[stage]]", f"name = {_quoted(_plain_name(name))}", f"when = {_quoted(when)}"])


def _drafted_modes(cases: Cases) -> Iterator[str]:
    """Failure modes that were found and can be said as a rule, in the order in which they are tried."""
    found = assign(cases)
    about = "Failure modes, the most telling first. Each was found in these runs; write what you know instead."
    drafted = 0
    for number, mode in enumerate(found.modes):
        when = _as_rule(cases, mode)
        if when and drafted < MOST_MODES:
            lines = _comment(about) if not drafted else []
            drafted += 1
            own = len(found.having(number))
            yield "\n".join([*lines, *_comment(f"{counted(own, 'rollout')} of these runs"), *_mode(mode, when)])


def _mode(mode: Mode, when: str) -> list[str]:
    return [
        "[[mode]]",
        f"name = {_quoted(_plain_name(mode.key))}",
        f"title = {_quoted(mode.title)}",
        f"when = {_quoted(when)}",
        f"cause = {_quoted(mode.cause)}",
        f"owner = {_quoted(mode.owner)}",
    ]


def _as_rule(cases: Cases, mode: Mode) -> str:
    """A mode as an expression; empty where it is none that facts, fields and signals can say."""
    names = cases.once(rules_of)[0].names
    signal = signal_name(mode.key)
    if signal in names.signals and mode.key not in BY_KIND:
        return f"{signal} > 0"
    field, equals, value = mode.key.partition(" = ")
    if mode.tier == "verifier's fields" and equals:
        boolean = value in ("true", "false")
        return f"{_column(cases, field)} = {value if boolean else _sql_text(value)}"
    return ""


def _column(cases: Cases, field: str) -> str:
    """A field as rules name it."""
    names = set(cases.once(rules_of)[0].names.fields)
    shown = field if field in names else f"field.{field}"
    return shown if re.fullmatch(r"[a-z_][a-z0-9_]*", shown) else '"' + shown.replace('"', '""') + '"'


def _sql_text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _table(name: str, values: dict[str, Any]) -> str:
    """A section with the meaning of each of its keys beside it."""
    section = next(each for each in SECTIONS if each.name == name)
    lines = [*_comment(section.meaning), f"[{name}]"]
    for key, value in values.items():
        known = section.key(key)
        lines += _comment(known.meaning) if known else []
        lines.append(f"{key} = {_value(value)}")
    return "\n".join(lines)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_quoted, value))}]"
    return f"{value:g}" if isinstance(value, float) else _quoted(str(value))


def _quoted(text: str) -> str:
    """A text as TOML writes it; its escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=True).replace("\\/", "/")


def _plain_name(text: str) -> str:
    """A key as a name that a profile may have."""
    plain = re.sub(r"[^\w .,:/()’'-]+", " ", text).strip()[:80].strip()
    return plain if NAME.fullmatch(plain) else f"x {plain}"[:80].strip()


def _comment(text: str) -> list[str]:
    """A text as comments."""
    lines, line = [], "#"
    for word in text.split():
        if len(line) + 1 + len(word) > _WIDTH:
            lines.append(line)
            line = "#"
        line += f" {word}"
    return [*lines, line]
