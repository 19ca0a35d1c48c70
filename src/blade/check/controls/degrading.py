"""Controls that spoil something and leave most of the truth standing."""

import re
from typing import Final

from blade.check.controls import editing
from blade.check.controls.registry import DEGRADING, Source, control

_REF: Final = re.compile(r"(?<![\w/])([\w.@%+-]+):([\w.%-]+)/([\w.%-]+)(#i?\d+)?")
_ROLLOUT: Final = re.compile(
    r"\b([Rr]ollouts?|[Rr]epeats?|[Aa]ttempts?|[Ss]teps?) (\d+(?:(?:, | and )\d+)*)(?! of| out|\s?%)\b"
)
_CODE: Final = re.compile(r"`[^`\n]{3,200}`|“[^“”\n]{3,200}”|\"[^\"\n]{3,200}\"")
_SAYS: Final = re.compile(r"[\s=(,]")
_FENCED: Final = re.compile(r"^(```[^\n]*\n)(.*?)(^```)", re.MULTILINE | re.DOTALL)
_SENTENCE: Final = re.compile(r"(?<=[.!?]) (?=[A-Z`*“\"])")


@control(DEGRADING)
def ids_invented(source: Source) -> str:
    """Refs, rollouts and steps are invented, so that nobody can look the evidence up."""

    def invented(match: re.Match[str]) -> str:
        run, task, _, step = match.groups()
        return (
            f"{run}:{task}/{source.stream.randrange(40, 99)}{(step and f'#{source.stream.randrange(200, 999)}') or ''}"
        )

    def elsewhere(match: re.Match[str]) -> str:
        numbers = re.sub(r"\d+", lambda _: str(source.stream.randrange(40, 99)), match[2])
        return f"{match[1]} {numbers}"

    told = editing.bodies(source.golden, lambda body: _REF.sub(invented, body))
    return editing.bodies(told, lambda body: _ROLLOUT.sub(elsewhere, body))


@control(DEGRADING)
def quotes_altered(source: Source) -> str:
    """What stands as a quote is no longer what was said: words in it are others."""

    def altered(match: re.Match[str]) -> str:
        text = match[0]
        if text[0] == "`" and not _SAYS.search(text[1:-1]):
            return text  # a name is no quote
        return text[0] + _reworded(text[1:-1], source) + text[-1]

    def block(match: re.Match[str]) -> str:
        return match[1] + "\n".join(_reworded(line, source) for line in match[2].split("\n")) + match[3]

    told = _FENCED.sub(block, source.golden)
    return "\n".join(
        line if line.lstrip().startswith(("#", "```")) else _CODE.sub(altered, line) for line in told.split("\n")
    )


def _reworded(text: str, source: Source) -> str:
    """Text with every third word changed, the last one of a short text."""
    found = text.split(" ")
    at = source.stream.randrange(3) if len(found) > 2 else len(found) - 1
    return " ".join(
        f"{word[: len(word) // 2]}xq" if place % 3 == at % 3 and word else word for place, word in enumerate(found)
    )


@control(DEGRADING)
def sentences_scattered(source: Source) -> str:
    """Every sentence, item and row stands in some other section."""
    before, sections = editing.sections(source.golden)
    pieces = [piece for section in sections for piece in _pieces(section)]
    sizes = [len(_pieces(section)) for section in sections]
    source.stream.shuffle(pieces)
    told, begin = [before], 0
    for section, size in zip(sections, sizes, strict=True):
        told += [section.split("\n")[0], "", *(f"{piece}\n" for piece in pieces[begin : begin + size])]
        begin += size
    return "\n".join(told)


def _pieces(section: str) -> list[str]:
    """What a section says, cut where it can be cut; rows of tables lose their table."""
    found = []
    for run in editing.table_runs(section.partition("\n")[2]):
        line = run[0]
        if line.lstrip().startswith("|"):
            found += ["\n".join([*run[:2], row]) for row in run[2:]]
        elif line.startswith("#") or not line.strip() or line.lstrip().startswith(("```", "<")):
            continue
        else:
            found += [f"- {part.lstrip('-*> ')}" for part in _SENTENCE.split(line) if part.strip("-*> ")]
    return found
