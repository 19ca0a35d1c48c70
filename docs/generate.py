"""Write the parts of the pages that are made from the code.

    python -m docs.generate            rewrites them
    python -m docs.generate --check    exits 1 where one is stale

A part stands between `<!-- generated: NAME -->` and `<!-- end -->`; `PARTS` says what each name gives. To
add one, add a row there and the two markers to a page.
"""

import argparse
import importlib
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from click.testing import CliRunner

import blade
from blade import vocabulary
from blade.artifacts import config, files
from blade.artifacts.nemo_gym import names
from blade.cli import VERBS
from blade.cli import blade as command
from blade.detect.detectors import all_detectors
from blade.detect.signal import Detector
from blade.item import FORMS
from blade.scan.catalog import documented_tables
from docs import irregular, records

HERE: Final = Path(__file__).parent
PAGES: Final = (HERE.parent / "README.md", *sorted(HERE.glob("*.md")))
WIDTH: Final = 80
_PART = re.compile(r"(<!-- generated: (?P<name>[\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def help_text(*verb: str) -> str:
    """What `blade VERB --help` prints, at a fixed width."""
    shown = CliRunner().invoke(command, [*verb, "--help"], prog_name="blade", terminal_width=WIDTH)
    if shown.exit_code:
        raise RuntimeError(f"blade {' '.join(verb)} --help failed: {shown.output}")
    return f"```text\n{shown.output.strip()}\n```\n"


def tables() -> str:
    """Every table that a question may name, with its columns."""
    parts = []
    for table in documented_tables():
        rows = ((f"`{column.name}`", column.type.lower(), column.meaning) for column in table.columns)
        parts.append(
            f"### `{table.name}`\n\nOne row per {table.what}.\n\n{_table(('column', 'type', 'meaning'), rows)}"
        )
    return "\n".join(parts)


def words() -> str:
    """The vocabulary, one table for each group of words."""
    parts = []
    for title, group in word_groups().items():
        rows = ((f"`{word}`", meaning) for word, meaning in group.items())
        parts.append(f"### {title}\n\n{_table(('word', 'meaning'), rows)}")
    return "\n".join(parts)


def word_groups() -> dict[str, Mapping[str, str]]:
    """The groups of `blade.vocabulary` by their titles: `STEP_KINDS` is `Step kinds`."""
    found = {name: value for name, value in vars(vocabulary).items() if name.isupper() and isinstance(value, Mapping)}
    return {name.replace("_", " ").capitalize(): group for name, group in found.items()}


def sidecars() -> str:
    """The files that are recognised beside the rollouts file."""
    own = ((f"`STEM{sidecar.ending}`", sidecar.kind, sidecar.meaning) for sidecar in names.SIDECARS)
    shared = ((f"`{sidecar.ending}`", sidecar.kind, sidecar.meaning) for sidecar in names.SHARED)
    return _table(("file", "kind", "what it holds"), [*own, *shared])


def item_types() -> str:
    """The types of items that have a row of their own."""
    return _table(
        ("type", "kind of step", "content stands in"),
        ((f"`{name}`", form.kind, _listed(form.keys + form.own_result)) for name, form in FORMS.items()),
    )


def settings() -> str:
    """The names that are looked for in configs, and the ids that name a task."""
    rows = (
        ("an id of a task, the first that is there", names.ID_FIELDS),
        ("repeats, in a config", config.REPEAT_KEYS),
        ("a limit of tasks, in a config", config.LIMIT_KEYS),
        ("other settings, in a config", config.TRAIT_KEYS),
    )
    return _table(("what is looked for", "under these names"), ((what, _listed(keys)) for what, keys in rows))


def tiers() -> str:
    """Where failure modes come from, the most telling first."""
    from blade.explain.mode import all_tiers

    rows = ((f"{tier.place:g}", tier.name, tier.meaning) for tier in all_tiers())
    return _table(("place", "tier", "its modes"), rows)


def health() -> str:
    """The kinds of findings about a benchmark, with what each check says of itself."""
    from blade.explain.health.registry import all_checks

    rows = []
    for kind, find in all_checks().items():
        rows.append((f"`{kind}`", vocabulary.HEALTH_KINDS[kind], (inspect.getdoc(find) or "").split("\n")[0]))
    return _table(("kind", "what it says", "what is looked for"), rows)


def profile_keys() -> str:
    """Every section and key of a profile."""
    from blade.profile.keys import SECTIONS

    rows = []
    for section in SECTIONS:
        name = f"[[{section.name}]]" if section.listed else f"[{section.name}]"
        rows.append((f"`{name}`", "", f"{section.meaning}{' Any number of them.' if section.listed else ''}"))
        for key in section.keys:
            rows.append((f"`{key.name}`", f"{key.what}{', needed' if key.needed else ''}", key.meaning))
    return _table(("section or key", "what it holds", "meaning"), rows)


def kinds_of_claims() -> str:
    """What `blade check` looks for."""
    from blade.check.claims.kinds import KINDS

    return _table(("kind", "a claim of this kind"), ((kind.name, kind.says) for kind in KINDS))


def controls() -> str:
    """The controls that `blade calibrate` makes, family by family."""
    from blade.check.controls.registry import FAMILIES, all_controls

    parts = []
    for family, about in FAMILIES.items():
        rows = ((f"`{each.name}`", each.says) for each in all_controls() if each.family == family)
        parts.append(f"### {family.capitalize()}\n\n{about}\n\n{_table(('control', 'what it does'), rows)}")
    return "\n".join(parts)


def public_names() -> str:
    """The names of the library, with the first sentence of each docstring."""
    rows = []
    for name in blade.__all__:
        thing = getattr(blade, name)
        said = (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")
        rows.append((f"`blade.{name}`", said))
    return _table(("name", "what it is"), rows)


def rooms() -> str:
    """The packages and modules of the project in the order of the layers, the top first."""
    import tomllib

    project = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))
    layers = [
        name for layer in project["tool"]["importlinter"]["contracts"][0]["layers"] for name in layer.split(" | ")
    ]
    rows = ((f"`{name}`", (importlib.import_module(name).__doc__ or "").split("\n")[0]) for name in layers)
    return _table(("module", "what it does"), rows)


def limits() -> str:
    """Bounds that keep memory and time in hand."""
    from blade.artifacts import sidecars as sidecar_files
    from blade.detect import signal
    from blade.scan import ask, fields, summary, tables, work

    rows = (
        ("longest line that is read (`--max-line`)", f"{files.LONGEST_LINE / 1e6:,.0f} MB"),
        ("characters kept of a call's arguments", f"{tables.ARGUMENTS_LIMIT:,}"),
        ("characters kept of an answer", f"{tables.ANSWER_LIMIT:,}"),
        ("characters kept of a field's text", f"{tables.FIELD_LIMIT:,}"),
        ("characters kept of the last step and of the last result of a tool", f"{tables.END_LIMIT:,}"),
        ("fields kept of one row", f"{fields.MOST_FIELDS:,}"),
        ("places kept of one signal in one rollout", f"{signal.MOST_PLACES:,}"),
        ("skipped lines described one by one, for each file", f"{work.MOST_SKIPPED:,}"),
        ("skipped lines and missing rollouts that a summary names", f"{summary.MOST_SHOWN:,}"),
        ("rows of an answer to `blade sql`", f"{ask.MOST_ROWS:,}"),
        ("largest sidecar that is one JSON document", f"{sidecar_files.LARGEST_JSON / 1e6:,.0f} MB"),
        ("largest config", f"{config.LARGEST_CONFIG / 1e6:,.0f} MB"),
        ("characters read of the notes", f"{config.LONGEST_NOTES:,}"),
        ("bytes of rows that a worker holds at once", f"{work.BATCH_BYTES / 1e6:,.0f} MB, and one line more"),
    )
    return _table(("what", "limit"), rows)


def irregularities() -> str:
    """What is said about each of `docs.irregular.EXAMPLES`."""
    rows = []
    for example, said in irregular.told():
        texts = [*(f"skipped: {_code(why)}" for why in said.skipped), *(f"noted: {_code(note)}" for note in said.noted)]
        rows.append((example.what, "; ".join(texts), example.then))
    return _table(("irregularity", "what is said", "what becomes of it"), rows)


def _code(text: str) -> str:
    """A text of the program as it stands, also where it has backticks."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def signals() -> str:
    """Every detector, family by family."""
    parts = []
    for family, about in vocabulary.SIGNAL_FAMILIES.items():
        rows = [_signal_row(row) for row in all_detectors().values() if row.family == family]
        header = ("signal", "title of a failure mode", "role", "meaning", "what it does not mean", "cause", "owner")
        parts.append(f"### {family.capitalize()}\n\n{about}\n\n{_table(header, rows)}")
    return "\n".join(parts)


def _signal_row(row: Detector) -> tuple[str, ...]:
    return f"`{row.name}`", row.title, row.role, row.meaning, row.but, f"`{row.cause}`", row.owner


def analysis_keys() -> str:
    """Every record of `analysis.json` with its keys."""
    parts = []
    for name, about, keys in records.tables():
        rows = ((f"`{key}`", kind, meaning) for key, kind, meaning in keys)
        parts.append(f"### {name}\n\n{about}\n\n{_table(('key', 'type', 'meaning'), rows)}")
    return "\n".join(parts)


def coverage() -> str:
    """How often the intervals of rates hold the truth, for every shape and size."""
    cells = {(cell["shape"], cell["tasks"], cell["repeats"]): cell for cell in _figures("coverage", interval="shares")}
    shapes, tasks, repeats = (list(dict.fromkeys(key[place] for key in cells)) for place in range(3))
    rows = (
        (shape, f"{count:,}", *(f"{100 * cells[shape, count, k]['coverage']:.1f} %" for k in repeats))
        for shape in shapes
        for count in tasks
    )
    header = ("true pass rates of tasks", "tasks", *(f"{k} repeat{'s' if k > 1 else ''}" for k in repeats))
    return f"{_simulated('coverage')}\n\n{_table(header, rows)}"


def other_coverage() -> str:
    """The same for the other intervals: the lowest and the highest figure over all shapes."""
    names = {
        "paired": "difference",
        "these tasks": "rates of these tasks",
        "means": "means",
        "ratios": "spent per pass",
    }
    rows = []
    for interval, title in names.items():
        cells = list(_figures("coverage", interval=interval))
        for candidate in dict.fromkeys(cell.get("candidate", "") for cell in cells):
            some = [cell for cell in cells if cell.get("candidate", "") == candidate]
            rows.append((title + (f": {candidate}" if candidate else ""), *_by_tasks(some, "coverage")))
    return _table(("interval", *_TASK_HEADER), rows)


def false_alarms() -> str:
    """How often a difference is claimed in pure noise."""
    rows = []
    cells = list(_figures("noise", question="false alarms"))
    for first, second in dict.fromkeys((cell["repeats"], cell.get("of_second", cell["repeats"])) for cell in cells):
        some = [c for c in cells if (c["repeats"], c.get("of_second", c["repeats"])) == (first, second)]
        rows.append((f"{first} and {second} repeats", *_by_tasks(some, "claimed")))
    terms = list(_figures("noise", question="false alarms of terms"))
    rows.append(("any of eight terms, 4 repeats", *_by_tasks(terms, "claimed")))
    return f"{_simulated('noise')}\n\n{_table(('both runs from one policy', *_TASK_HEADER), rows)}"


def power() -> str:
    """How often the minimum detectable difference is found."""
    cells = list(_figures("noise", question="power"))
    rows = [
        (f"better {candidate}, {repeats} repeat{'s' if repeats > 1 else ''}", *_by_tasks(some, "claimed"))
        for candidate in dict.fromkeys(cell["candidate"] for cell in cells)
        for repeats in dict.fromkeys(cell["repeats"] for cell in cells)
        if (some := [cell for cell in cells if (cell["candidate"], cell["repeats"]) == (candidate, repeats)])
    ]
    return _table(("the candidate is", *_TASK_HEADER), rows)


_TASK_HEADER: Final = ("20 tasks", "50 tasks", "100 tasks", "500 tasks")


def _figures(bench: str, **chosen: str) -> Iterator[dict[str, Any]]:
    """The cells of a simulation with these values."""
    for cell in _bench(bench)["cells"]:
        if all(cell.get(name) == value for name, value in chosen.items()):
            yield cell


def _bench(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE.parent / "bench" / f"{name}.json").read_text(encoding="utf-8"))
    return found


def _simulated(name: str) -> str:
    return f"In {_bench(name)['simulations']:,} simulations for each figure:"


def _by_tasks(cells: list[dict[str, Any]], figure: str) -> Iterator[str]:
    """The lowest and the highest figure over all shapes, for each number of tasks."""
    for tasks in (20, 50, 100, 500):
        found = [100 * cell[figure] for cell in cells if cell["tasks"] == tasks and cell[figure] is not None]
        yield f"{min(found):.1f} to {max(found):.1f} %" if found else ""


PARTS: Final[dict[str, Callable[[], str]]] = {
    "help": help_text,
    **{f"help {verb}": (lambda verb=verb: help_text(verb)) for verb in VERBS},
    **{f"help profile {below}": (lambda below=below: help_text("profile", below)) for below in ("draft", "check")},
    "tables": tables,
    "tiers": tiers,
    "health": health,
    "profile keys": profile_keys,
    "kinds of claims": kinds_of_claims,
    "controls": controls,
    "words": words,
    "sidecars": sidecars,
    "item types": item_types,
    "settings": settings,
    "public names": public_names,
    "irregularities": irregularities,
    "rooms": rooms,
    "limits": limits,
    "signals": signals,
    "analysis keys": analysis_keys,
    "coverage": coverage,
    "coverage of others": other_coverage,
    "false alarms": false_alarms,
    "power": power,
}


def refreshed(text: str) -> str:
    """A page with its generated parts made anew."""
    return _PART.sub(lambda match: f"{match[1]}\n{PARTS[match['name']]()}\n{match[3]}", text)


def by_hand(text: str) -> str:
    """A page without its generated parts."""
    return _PART.sub("", text)


def main() -> None:
    """Rewrite the pages, or say which are stale."""
    parser = argparse.ArgumentParser(prog="python -m docs.generate", description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 where a page is stale")
    check = parser.parse_args().check
    stale = [path for path in PAGES if refreshed(path.read_text(encoding="utf-8")) != path.read_text(encoding="utf-8")]
    for path in stale:
        if not check:
            path.write_text(refreshed(path.read_text(encoding="utf-8")), encoding="utf-8")
        print(f"{'stale' if check else 'rewritten'}: {path.relative_to(HERE.parent)}")
    if check and stale:
        sys.exit("run `make docs`")


if __name__ == "__main__":
    main()
