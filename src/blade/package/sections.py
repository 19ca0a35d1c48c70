"""The sections that a skill and a golden report must have, under whatever headings people give them."""

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from blade.check.text.blocks import CODE, HEADING, Block, blocks
from blade.check.text.inline import plain


class Wanted(NamedTuple):
    """A section that must be there: a heading with every word of one of the groups counts, and none of `without`."""

    name: str
    says: str
    """What has to stand in it."""
    groups: tuple[frozenset[str], ...]
    without: frozenset[str] = frozenset()


def _wanted(name: str, says: str, *groups: str, without: str = "") -> Wanted:
    return Wanted(name, says, tuple(frozenset(group.split()) for group in groups), frozenset(without.split()))


OF_A_SKILL: Final = (
    _wanted(
        "overview",
        "what the benchmark measures, who is evaluated, when a rollout passes",
        *("overview", "about", "introduction", "background", "purpose", "measures"),
    ),
    _wanted(
        "input schema",
        "the fields of a row with their types and an example of each",
        *("schema", "input", "inputs", "fields", "data format", "rollout format", "row format"),
    ),
    _wanted(
        "workflow funnel",
        "the stages on the way to a pass, in order, with how to tell that one was reached",
        *("funnel", "stages", "pipeline"),
    ),
    _wanted(
        "failure taxonomy",
        "the ways to fail, each with the rule that detects it",
        *("taxonomy", "failure modes", "failure categories", "failure types", "failure classes", "failure labels"),
        *("failure classification", "error categories"),
    ),
    _wanted(
        "analysis workflow",
        "what an analyst does, step by step",
        *("workflow", "analysis steps", "analysis process", "procedure", "how analyse", "how analyze", "methodology"),
        *("analysis", "loop"),
        without="funnel report template",
    ),
    _wanted(
        "report template",
        "the sections of a report and what stands in each",
        *("report template", "report structure", "report format", "report sections", "report outline", "template"),
        *("output format", "output structure", "report"),
    ),
)

OF_A_REPORT: Final = (
    _wanted("Executive Summary", "the answer first, with its numbers", "summary"),
    _wanted("Artifact Inventory", "what was read, and what was not", "inventory", "artifacts", "artifact", "inputs"),
    _wanted("Aggregate Results", "rates with their denominators", "aggregate", "results", "metrics", "scores"),
    _wanted("Workflow Funnel", "how many rollouts reach each stage", "funnel"),
    _wanted(
        "Task Outcome Buckets",
        "tasks that pass always, sometimes, never",
        *("buckets", "bucket", "task outcomes", "task outcome"),
    ),
    _wanted(
        "Dominant Failure Modes",
        "the ways to fail, how often, with evidence",
        *("failure modes", "failure mode", "failure analysis", "failure patterns", "failure categories", "failures"),
    ),
    _wanted(
        "Deep Dives",
        "single tasks that pass sometimes or never, step by step",
        *("deep dives", "deep dive", "sometimes pass", "never pass", "case studies", "task analysis"),
    ),
    _wanted("Recommendations", "what to do about it, and who", "recommendations", "recommendation", "next steps"),
    _wanted("Reproducibility Notes", "how to make the numbers again", "reproducibility", "reproduce", "method"),
)

FEWEST_WORDS: Final = 20
"""Words of a section that says something."""

_WORD: Final = re.compile(r"[^\W_]+")
_PLACEHOLDER: Final = re.compile(
    r"(?i)\b(?:TODO|TBD|FIXME|lorem ipsum|coming soon|placeholder text|to be (?:written|added|done|defined|completed)|"
    r"fill (?:this )?in|describe [a-z ]{1,40} here|insert [a-z ]{1,40} here|your (?:text|content|description) here)\b"
)


class Section(NamedTuple):
    """A heading with everything below it, deeper headings too."""

    title: str
    line: int
    level: int
    blocks: list[Block]

    @property
    def words(self) -> int:
        """How many words it has."""
        return sum(len(_WORD.findall(_content(block))) for block in self.blocks)

    @property
    def placeholder(self) -> str:
        """What stands in it for what should."""
        found = (_PLACEHOLDER.search(_content(block)) for block in self.blocks if block.kind != CODE)
        return next((match[0] for match in found if match), "")

    @property
    def text(self) -> str:
        return "\n".join(_content(block) for block in self.blocks)


def _content(block: Block) -> str:
    return " ".join(cell for row in block.rows for cell in row) if block.rows else block.text


def sections_of(source: str) -> list[Section]:
    """The sections of a Markdown text, in order; each holds those below it."""
    found: list[Section] = []
    open_: list[Section] = []
    for block in blocks(source):
        if block.kind == HEADING and not block.quoted:
            open_ = [section for section in open_ if section.level < block.level]
            section = Section(plain(block.text).text, block.line, block.level, [])
            for outer in open_:
                outer.blocks.append(block)
            found.append(section)
            open_.append(section)
        else:
            for section in open_:
                section.blocks.append(block)
    return found


def matching(wanted: Wanted, sections: Sequence[Section]) -> Section | None:
    """The section that is meant: the first heading that fits the earliest group, the title of the whole set aside."""
    plain_ones = [each for each in sections if each.level > 1] or list(sections)
    for group in wanted.groups:
        for section in plain_ones:
            words = _words(section.title)
            if group <= words and not words & wanted.without:
                return section
    return None


def lacking(section: Section) -> str:
    """What keeps a section from saying something; empty where it does."""
    if section.placeholder:
        return f"holds the placeholder “{section.placeholder}”"
    if not section.words:
        return "is empty"
    return f"has {section.words} words" if section.words < FEWEST_WORDS else ""


def _words(title: str) -> frozenset[str]:
    return frozenset(_WORD.findall(title.lower()))


def names_of(wanted: Iterable[Wanted]) -> str:
    """The names of sections, as a list in words."""
    return ", ".join(each.name for each in wanted)
