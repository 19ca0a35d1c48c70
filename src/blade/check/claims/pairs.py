"""Claims that a key has a value: `"volume": 0.15` beside the ref of a step."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from blade.check.claims.claim import Claim, Judged, contradicted, not_checkable, supported
from blade.check.claims.leaves import leaves, written
from blade.check.claims.scene import Scene, Sentence
from blade.check.claims.truth import Texts, Truth
from blade.check.text.names import REFERENCE, Name
from blade.errors import RefError
from blade.ref import Ref

KIND: Final = "quote"

PAIR: Final = re.compile(
    r"[\"']([\w.\-]{1,80})[\"']\s{0,4}:\s{0,4}"
    r"(\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|-?\d{1,18}(?:\.\d{1,18})?(?:[eE][+-]?\d{1,3})?(?!\w)|true|false|null|True|False|None)"
)
_CURLY: Final = re.compile(r"“[^“”]{0,400}”")
_OTHERWISE: Final = frozenset(
    [
        *("instead", "rather", "not", "never", "expected", "expects", "should", "asked", "asks", "wanted", "wants"),
        *("where", "while", "whereas", "passing", "others", "other", "correct", "right", "without", "than", "if", "no"),
        *("had", "would", "needs", "needed", "but", "against"),
    ]
)
"""Words behind which another value than the one of the step may be told."""

_LITERALS: Final = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_LONGEST: Final = 1_000_000
_SHOWN: Final = 120


class _Told(NamedTuple):
    key: str
    value: str
    shown: str
    ref: str


def find(scene: Scene) -> Iterator[Judged]:
    """Keys with values in sentences that cite a step or a rollout."""
    texts = scene.truth.texts
    if texts is None:
        return
    for sentence in scene.sentences:
        refs = [name for name in sentence.said.named if name.kind == REFERENCE]
        for told in _pairs(sentence, refs):
            yield from _judge(told, sentence, scene.truth, texts)


def _pairs(sentence: Sentence, refs: Sequence[Name]) -> Iterator[_Told]:
    """The pairs of a sentence, each with the ref before it, or with the only one."""
    text = sentence.said.inline.text
    if not refs:
        return
    apart = [(match.start(), match.end()) for match in _CURLY.finditer(text)]
    apart += [
        (span.start, span.end)
        for span in sentence.said.inline.codes
        if not PAIR.fullmatch(text[span.start : span.end].strip("{} "))
    ]
    for match in PAIR.finditer(text):
        if any(begin <= match.start() < end for begin, end in apart):
            continue
        before = [name for name in refs if name.end <= match.start()]
        ref = before[-1] if before else refs[0] if len(refs) == 1 else None
        if ref is not None and not _is_of_another(sentence, min(ref.end, match.start()), max(ref.start, match.start())):
            yield _Told(match[1], match[2], match[0], ref.key)


def _is_of_another(sentence: Sentence, begin: int, end: int) -> bool:
    words = {token.word for token in sentence.said.tokens if begin <= token.start < end}
    return bool(words & _OTHERWISE)


def _judge(told: _Told, sentence: Sentence, truth: Truth, texts: Texts) -> Iterator[Judged]:
    try:
        ref = Ref.parse(told.ref)
    except RefError:
        return
    if (ref.run, ref.task, ref.rollout) not in truth.rollouts:
        return
    claim = Claim(KIND, sentence.text[:300], sentence.line, told.ref, told.shown)
    steps = texts.prompt(told.ref) if ref.step and ref.step.startswith("i") else texts.steps(told.ref)
    number = int(ref.step.removeprefix("i")) if ref.step else None
    if not steps or (number is not None and number >= len(steps)):
        yield not_checkable(claim, "the step cannot be read")
        return
    own = _values(steps if number is None else [steps[number]], told.key)
    if any(_is_same(told.value, value) for value in own):
        yield supported(claim, told.ref)
    elif number is not None and any(_is_same(told.value, each) for each in _values(steps, told.key)):
        yield not_checkable(claim, "it stands in another step of the rollout")
    elif own:
        yield contradicted(claim, _shown(told.key, own), told.ref)
    else:
        yield not_checkable(claim, f"nothing is named {told.key} there")


def _values(texts: Sequence[str], key: str) -> list[str]:
    """The values that a key has in some texts, each once."""
    found = [value for text in texts for line in text[:_LONGEST].split("\n") for value in _in_line(line, key)]
    return list(dict.fromkeys(found))


def _in_line(line: str, key: str) -> Iterator[str]:
    opened = leaves(line)
    if opened is not None:
        yield from (written(value) for name, value in opened if name == key)
        return
    plain = line.replace('\\"', '"').replace("\\'", "'")
    yield from (match[2] for match in PAIR.finditer(plain) if match[1] == key)


def _is_same(said: str, true: str) -> bool:
    one, other = _value(said), _value(true)
    if isinstance(one, str) and isinstance(other, str):
        head, cut, tail = one.replace("...", "…").partition("…")
        return other.startswith(head) and other.endswith(tail) if cut else one == other
    return isinstance(one, str) == isinstance(other, str) and one == other


def _value(text: str) -> str | int | float | bool | None:
    if text in _LITERALS:
        return _LITERALS[text]
    if text[0] in "\"'":
        return " ".join(text[1:-1].replace('\\"', '"').replace("\\n", " ").split())
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _shown(key: str, values: Sequence[str]) -> str:
    """The key with its value, as short as can be."""
    text = f'"{key}": ' + " or ".join(values[:3])
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
