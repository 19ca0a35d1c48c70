"""D1: the benchmark's own analysis skill, with every section that an analyst needs."""

import re
from collections.abc import Iterator
from typing import Final

from blade.check.text.blocks import HEADING, ITEM
from blade.package.findings import FAIL, PASS, SKILL, SKIP, Finding, check
from blade.package.frontmatter import Frontmatter, frontmatter_of
from blade.package.rows import listed
from blade.package.sections import OF_A_SKILL, Section, lacking, matching, sections_of
from blade.package.subject import Subject

LONGEST_NAME: Final = 64
LONGEST_DESCRIPTION: Final = 1_024
_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_FEWEST_MODES: Final = 2
_FIELD: Final = re.compile(r"`([A-Za-z_][\w.\[\]*-]{1,80})`")
_RULE: Final = re.compile(r"(?i)`[^`\n]{2,200}`|\b(?:detect(?:ed|ion)?|rule|when|if|where|fires|matches)\b")


def _shown(subject: Subject) -> str:
    return subject.layout.shown(subject.layout.skill) if subject.layout.skill else ""


@check(SKILL, 10)
def present(subject: Subject) -> Iterator[Finding]:
    """There is a skill."""
    fix = "write skill/SKILL.md with the benchmark's own taxonomy, or draft one: `blade package init`"
    if subject.layout.skill is None:
        yield Finding(FAIL, SKILL, "D1 skill missing", "neither skill/SKILL.md nor SKILL.md is there", fix)
        return
    trouble = subject.text(subject.layout.skill).trouble
    if trouble:
        yield Finding(FAIL, SKILL, "D1 skill missing", trouble, fix, _shown(subject))
    else:
        yield Finding(PASS, SKILL, "D1 skill present", file=_shown(subject))


@check(SKILL, 20)
def frontmatter(subject: Subject) -> Iterator[Finding]:
    """The skill says its name and when it is to be used."""
    if not subject.skill:
        return
    found = frontmatter_of(subject.skill)
    problem = _of_frontmatter(found)
    fix = "begin SKILL.md with `---`, `name: my-benchmark-analysis`, `description: when to use it`, `---`"
    told = problem or f"name {found.values['name']}"
    yield Finding(FAIL if problem else PASS, SKILL, "skill frontmatter", told, fix if problem else "", _shown(subject))


def _of_frontmatter(found: Frontmatter) -> str:
    name, description = found.values.get("name", ""), found.values.get("description", "")
    if found.trouble:
        return found.trouble
    if not name or not description:
        return f"{'description' if name else 'name'} is missing"
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        return f"the name {name[:80]!r} is not small letters, digits and hyphens, at most {LONGEST_NAME}"
    if len(description) > LONGEST_DESCRIPTION:
        return f"the description has {len(description):,} characters, more than {LONGEST_DESCRIPTION:,}"
    return ""


@check(SKILL, 30)
def sections(subject: Subject) -> Iterator[Finding]:
    """Every section is there and says something."""
    if not subject.skill:
        return
    there = sections_of(subject.skill)
    for wanted in OF_A_SKILL:
        section = matching(wanted, there)
        problem = lacking(section) if section else "no heading names it"
        place = f"line {section.line} “{section.title}”" if section else ""
        told = f"{place} {problem}".strip()
        fix = f"write what belongs there: {wanted.says}" if problem else ""
        yield Finding(FAIL if problem else PASS, SKILL, f"skill section: {wanted.name}", told, fix)


def _section(subject: Subject, name: str) -> Section | None:
    wanted = next(each for each in OF_A_SKILL if each.name == name)
    section = matching(wanted, sections_of(subject.skill)) if subject.skill else None
    return section if section and not lacking(section) else None


@check(SKILL, 40)
def detection_rules(subject: Subject) -> Iterator[Finding]:
    """Every failure mode of the taxonomy can be told from what a rollout shows."""
    section = _section(subject, "failure taxonomy")
    if section is None:
        return
    modes = [
        *(" ".join(row) for block in section.blocks for row in block.rows[1:]),
        *(block.text for block in section.blocks if block.kind in (ITEM, HEADING)),
    ]
    ruled = [mode for mode in modes if _RULE.search(mode)] or (modes if _RULE.search(section.text) else [])
    holds = len(modes) >= _FEWEST_MODES and bool(ruled)
    told = f"{len(modes)} entries, {len(ruled)} with a rule"
    fix = "list the failure modes, each with the field, error or step by which it is detected"
    yield Finding(PASS if holds else FAIL, SKILL, "failure taxonomy has detection rules", told, "" if holds else fix)


@check(SKILL, 50)
def schema_is_true(subject: Subject) -> Iterator[Finding]:
    """The fields that the schema names are in the rows."""
    section, name = _section(subject, "input schema"), "input schema matches the rollouts"
    if section is None:
        return
    named = list(dict.fromkeys(_FIELD.findall("\n".join(_first_cells(section)))))
    keys = frozenset(key for each in subject.rows.values() for key in each.keys)
    if not keys or not named:
        why = "it names no field in `code`" if keys else "no row can be read"
        yield Finding(SKIP, SKILL, name, why)
        return
    absent = [field for field in named if not _is_key(field, keys)]
    holds = 2 * len(absent) < len(named)
    told = f"{len(named) - len(absent)} of {len(named)} fields are in the rows"
    told += f"; not seen: {listed(absent, 5)}" if absent else ""
    fix = "describe the rows as they are: `blade runs` and `blade sql --tables` list their fields"
    yield Finding(PASS if holds else FAIL, SKILL, name, told, "" if holds else fix)


def _first_cells(section: Section) -> Iterator[str]:
    """Where a schema names its fields: the first cells of its tables, else the text."""
    cells = [row[0] for block in section.blocks for row in block.rows[1:]]
    yield from cells or [block.text for block in section.blocks]


def _is_key(field: str, keys: frozenset[str]) -> bool:
    """Whether a field, `a.b[0].c` too, is a key of the rows; files and languages are no fields."""
    if field.endswith((".jsonl", ".json", ".md", ".toml", ".py")):
        return True
    last = re.split(r"[.\[\]*]+", field.rstrip(".[]*"))[-1]
    return field in keys or last in keys
