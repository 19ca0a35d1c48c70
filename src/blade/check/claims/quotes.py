"""Claims that somebody said exactly these words: quotes and code beside a ref must stand in its rollout."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby, islice
from typing import Final, NamedTuple

from blade.check.claims import pairs
from blade.check.claims.claim import NOT_CHECKABLE, SUPPORTED, Claim, Judged, contradicted, not_checkable, supported
from blade.check.claims.contexts import most_alike
from blade.check.claims.scene import Scene
from blade.check.claims.truth import Texts, Truth
from blade.check.passages import Passage
from blade.check.text.blocks import CODE
from blade.check.text.inline import Inline
from blade.check.text.names import REFERENCE
from blade.check.text.said import Said
from blade.errors import RefError
from blade.ref import Ref

KIND: Final = "quote"

_QUOTED: Final = re.compile(r"“([^“”]{3,400})”|\"([^\"\n]{3,400})\"|(?<![\w'])'([^'\n]{3,300})'(?!\w)")
_PLACEHOLDER: Final = re.compile(
    r"<[a-z]{2,20}-\d{1,9}>|<[a-z]{0,20}(?:-\d{0,9})?\Z|⟨U\+[0-9A-F]{4,6}⟩|[\u2400-\u2421]"
)
_ELLIPSIS: Final = re.compile(r"\s*(?:…|\[\.\.\.\]|\.\.\.)\s*")
_SPACE: Final = re.compile(r"\s+")
_WORDS: Final = re.compile(r"\w+")
_STEP_LINE: Final = re.compile(r"[▶ ]*#i?\d+ (?:message|reasoning|call|result|other)\b(?: by \w+)? ?")
_ARGUMENT: Final = re.compile(r"[≠ ]*([\w.\-]+) = (.*)")

_FEWEST_WORDS: Final = 3
_MOST_CLAIMS: Final = 20_000
_ALIKE: Final = 0.72
"""How alike a quote and a text are where the one was made from the other."""

_LONGEST: Final = 600
_MOST_TRUE: Final = 0.5
_SHORTEST_LINE: Final = 12
_MOST_SHOWN: Final = 120


class _Quote(NamedTuple):
    text: str
    line: int
    refs: tuple[str, ...]
    block: bool
    excerpt: int = 0
    """The line where the excerpt begins that it is a line of; 0 for what is no excerpt."""


def find(scene: Scene) -> Iterator[Judged]:
    """Quotes beside refs, in sentences, rows and blocks."""
    texts = scene.truth.texts
    if texts is None:
        return
    quotes = list(islice(_quotes(scene), _MOST_CLAIMS))
    yield from pairs.find(scene)
    for begin, group in groupby(quotes, key=lambda quote: quote.excerpt):
        judged = [found for quote in group for found in _judge(quote, scene.truth, texts)]
        yield from _as_excerpt(judged) if begin else judged


def _as_excerpt(judged: list[Judged]) -> Iterator[Judged]:
    """Of an excerpt most of whose lines are true, a line that stands nowhere is false."""
    true = sum(each.verdict == SUPPORTED for each in judged)
    for each in judged:
        if each.verdict == NOT_CHECKABLE and true >= _MOST_TRUE * len(judged) and len(judged) > 1:
            yield contradicted(each.claim, "it stands nowhere in the rollout", each.claim.subject)
        else:
            yield each


def _quotes(scene: Scene) -> Iterator[_Quote]:
    before: list[Passage] = []
    for passage in scene.report.passages:
        if passage.kind == CODE:
            leads = (_refs(each.text) for each in reversed(before) if _leads(each, passage))
            refs = _refs(Inline(passage.lead)) or next(filter(None, leads), ())
            if len(refs) == 1:
                yield from _of_block(passage, refs)
        else:
            refs = _refs(passage.text)
            if refs and len(refs) <= 2:
                yield from (_Quote(text, _line_of(text, passage), refs, False) for text in _spoken(passage.text))
        before = [*before[-1:], passage] if passage.kind != CODE else []


def _line_of(quote: str, passage: Passage) -> int:
    """Where a quote stands in a passage of several lines."""
    return passage.line + passage.text.text.count("\n", 0, max(0, passage.text.text.find(quote)))


def _leads(before: Passage, passage: Passage) -> bool:
    return 0 < passage.line - before.line <= 7 and before.headings == passage.headings and len(before.text.text) < 400


def _refs(text: Inline) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.key for name in Said(text).named if name.kind == REFERENCE))


def _spoken(text: Inline) -> Iterator[str]:
    """What stands in quotation marks, and code that is more than a name; no keys with their values."""
    valued = [(match.start(), match.end()) for match in pairs.PAIR.finditer(text.text)]
    for match in _QUOTED.finditer(text.text):
        told = match[1] or match[2] or match[3]
        if any(begin <= match.start() < end for begin, end in valued):
            continue
        if len(_WORDS.findall(told)) >= _FEWEST_WORDS:
            yield told
    for told in text.quoted():
        is_pair = pairs.PAIR.fullmatch(told.strip("{} "))
        if len(_WORDS.findall(told)) >= _FEWEST_WORDS and not (is_pair or _is_ref(told) or _is_list(told)):
            yield told


def _is_ref(text: str) -> bool:
    return ":" in text and "/" in text and " " not in text


def _is_list(text: str) -> bool:
    """A comparison such as `field = value` is a claim of the report, and no quote."""
    return " = " in text or " != " in text


def _of_block(passage: Passage, refs: tuple[str, ...]) -> Iterator[_Quote]:
    text = passage.text.text
    if any(_STEP_LINE.match(line) for line in text.split("\n")):
        for number, line in enumerate(text.split("\n"), 1):
            if told := _bare(line):
                yield _Quote(told, passage.line + number, refs, False, passage.line)
    else:
        yield _Quote(text, passage.line, refs, True)


def _bare(line: str) -> str:
    """What a line of an excerpt quotes; empty for one that only gives shape."""
    if not line.strip() or line.lstrip().startswith("…") or _STEP_LINE.match(line):
        return ""
    argument = _ARGUMENT.fullmatch(line)
    told = argument[2] if argument else line.strip("▶≠ ")
    return told if len(told) >= _SHORTEST_LINE else ""


def _judge(quote: _Quote, truth: Truth, texts: Texts) -> Iterator[Judged]:
    shown = quote.text if len(quote.text) <= 200 else quote.text[:199] + "…"
    claim = Claim(KIND, shown, quote.line, ", ".join(quote.refs), shown)
    rollouts = [ref for ref in quote.refs if _is_known(ref, truth)]
    if not rollouts:
        return
    pieces = [piece for part in _ELLIPSIS.split(quote.text) for piece in _PLACEHOLDER.split(part) if piece.strip()]
    if not pieces:
        return
    if (
        quote.block
        and len(rollouts) == 1
        and (step := _step_text(rollouts[0], texts)) is not None
        and _holds(step, pieces)
    ):
        yield supported(claim, rollouts[0])
        return
    whole = "\n".join(texts.whole(ref) for ref in rollouts)
    if _holds(whole, pieces):
        yield supported(claim, rollouts[0])
        return
    nearest = _nearest(quote.text, whole)
    if nearest is not None:
        yield contradicted(claim, *_instead(quote, rollouts, nearest, texts))
    elif quote.block and len(_WORDS.findall(quote.text)) >= _FEWEST_WORDS:
        yield contradicted(claim, "nothing like it stands there", rollouts[0])
    else:
        yield not_checkable(claim, "nothing like it stands in the rollout: it may be no quote")


def _instead(quote: _Quote, refs: Sequence[str], nearest: str, texts: Texts) -> tuple[str, str]:
    """What stands there, and where: of a step that is cited its own text only."""
    cited = [] if quote.excerpt or quote.block else [(ref, _step_text(ref, texts)) for ref in refs]
    steps = [(ref, step) for ref, step in cited if step is not None]
    for ref, step in steps:
        if found := most_alike(quote.text, [step]):
            return found, ref
    for ref in refs:
        if ref not in dict(steps) and (found := most_alike(quote.text, _texts(ref, texts))):
            return found, ref
    return "nothing like it stands in that step" if steps else nearest[:_MOST_SHOWN], refs[0]


def _texts(ref: str, texts: Texts) -> list[str]:
    return [*texts.prompt(ref), *(texts.steps(ref) or ())]


def _is_known(ref: str, truth: Truth) -> bool:
    try:
        parsed = Ref.parse(ref)
    except RefError:
        return False
    return (parsed.run, parsed.task, parsed.rollout) in truth.rollouts


def _step_text(text: str, texts: Texts) -> str | None:
    ref = Ref.parse(text)
    if ref.step is None:
        return None
    steps = texts.prompt(text) if ref.step.startswith("i") else texts.steps(text)
    number = int(ref.step.removeprefix("i"))
    return steps[number] if steps and number < len(steps) else None


def _holds(text: str, pieces: Sequence[str]) -> bool:
    """Whether all pieces stand in a text, one behind the other; white space and the escapes of JSON do not count."""
    flat, place = _flat(text), 0
    for piece in pieces:
        found = flat.find(_flat(piece), place)
        if found < 0:
            return False
        place = found
    return True


def _flat(text: str) -> str:
    plain = text.replace('\\"', '"').replace("\\n", " ").replace("\\'", "'").replace("\\\\", "\\").replace("|", "")
    return _SPACE.sub("", plain)


def _nearest(quote: str, text: str) -> str | None:
    """The passage of a text that a quote was made from, where there is one."""
    words = _WORDS.findall(quote[:_LONGEST].lower())
    spans = [(match[0].lower(), match.start(), match.end()) for match in _WORDS.finditer(text[:400_000])]
    if len(words) < _FEWEST_WORDS:
        return None
    wanted, size, best = set(words), len(words), (0.0, 0)
    common = sum(word in wanted for word, _, _ in spans[:size])
    for begin in range(max(1, len(spans) - size + 1)):
        if common > best[0]:
            best = (common, begin)
        common -= begin < len(spans) and spans[begin][0] in wanted
        common += begin + size < len(spans) and spans[begin + size][0] in wanted
    begin = best[1]
    found = spans[begin : begin + size]
    if not found or best[0] < 0.5 * size:
        return None
    likeness = SequenceMatcher(None, words, [word for word, _, _ in found], autojunk=False).ratio()
    if likeness < _ALIKE and best[0] < 0.75 * size and best[0] < size - 1:
        return None
    return _SPACE.sub(" ", text[found[0][1] : found[-1][2]])[:200]
