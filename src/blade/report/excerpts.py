"""Bounded excerpts of rollouts: the steps around those that are cited, with what was asked and how it ended."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from blade import content
from blade.ref import Ref
from blade.report.pieces import Cited, Code, Excerpt, Line, Step
from blade.report.visible import bounded, one_line, slug, visible
from blade.rollout import Rollout
from blade.rollout import Step as RolloutStep

Clean = Callable[[str], str]
"""Takes out what must not be shared."""

_MARKED: Final = 900
"""Characters of a step that something points at."""

_BESIDE: Final = 280
_ASKED: Final = 420
_MARGIN: Final = 400
"""Characters read beyond what is shown, so that a secret that the cut would split is seen whole."""

_LARGEST_DECODED: Final = 4_000_000
"""Bytes of a step that is decoded whole to find a quote in it; of a larger one the beginning is read."""

_LONGEST_ARGUMENT: Final = 400


def anchor_of(ref: Ref) -> str:
    """Where the evidence of a ref stands; the same in every report."""
    place = f"e.{slug(ref.run)}.{slug(ref.task)}.{slug(ref.rollout)}"
    return place if ref.step is None else f"{place}.s{ref.step}"


class Excerpter:
    """Makes excerpts; texts go through `clean` before they are cut."""

    def __init__(self, clean: Clean) -> None:
        self._clean = clean

    def around(self, ref: Ref, rollout: Rollout, cited: Iterable[str], quotes: dict[str, str]) -> Excerpt:
        """A rollout around the steps that are cited; quotes are found in their steps."""
        steps = rollout.steps
        marked = {int(step) for step in cited if step.isdigit() and int(step) < len(steps)}
        wanted = _around(marked, len(steps))
        shown = [
            self.step(steps[number], marked=number in marked, quote=quotes.get(str(number), "")) for number in wanted
        ]
        asked = self._asked(rollout, {step for step in cited if step.startswith("i")})
        anchored = [_anchored(step, ref) for step in (*asked, *shown)]
        return Excerpt(
            ref=str(ref),
            title=[Cited(str(ref))],
            facts=self.facts(rollout),
            steps=anchored,
            gaps={place + len(asked): gap for place, gap in _gaps(wanted, len(steps)).items()},
            anchor=anchor_of(ref),
        )

    def part(
        self, ref: Ref, rollout: Rollout, numbers: Sequence[int], *, marked: int, differs: Sequence[str]
    ) -> Excerpt:
        """Some steps of a rollout, of which one is where it parts from another."""
        steps = rollout.steps
        shown = [
            self.step(steps[number], marked=number == marked, differs=differs if number == marked else ())
            for number in numbers
        ]
        return Excerpt(ref=str(ref), title="", facts=self.facts(rollout), steps=shown, gaps=_gaps(numbers, len(steps)))

    def question(self, rollout: Rollout) -> Step | None:
        """What was asked: the last thing that the prompt says, the instructions before it left out."""
        prompt = [step for step in rollout.prompt if step.kind == "message"]
        asking = next((step for step in reversed(prompt) if step.actor == "user"), prompt[-1] if prompt else None)
        return self._shown(asking, f"i{asking.number}", _ASKED) if asking else None

    def step(self, step: RolloutStep, *, marked: bool = False, quote: str = "", differs: Iterable[str] = ()) -> Step:
        """One step; a quote in it is shown, however far down it stands."""
        most = _MARKED if marked else _BESIDE
        return self._shown(step, str(step.number), most, quote=quote, marked=marked, differs=list(differs))

    def facts(self, rollout: Rollout) -> list[tuple[str, Line]]:
        """What the row itself says of its end."""
        said: list[tuple[str, Line]] = []
        if rollout.reward is not None:
            said.append((rollout.reward_field or "reward", f"{rollout.reward:g}"))
        for label, text in (("reason", rollout.evidence.failure_text), ("error", rollout.evidence.error)):
            if text and (label, text) != ("error", rollout.evidence.failure_text):
                said.append((label, [Code(one_line(self._clean(text[:2_000]), 400))]))
        return said

    def text(self, text: str, most: int) -> str:
        """A text of the data on one line."""
        return one_line(self._clean(text[: 4 * most + _MARGIN]), most)

    def _asked(self, rollout: Rollout, cited: set[str]) -> list[Step]:
        """The question, and cited items of the prompt."""
        if not cited:
            question = self.question(rollout)
            return [question] if question else []
        prompt = rollout.prompt
        numbers = sorted(int(step[1:]) for step in cited)
        return [self._shown(prompt[n], f"i{n}", _MARKED, marked=True) for n in numbers if n < len(prompt)]

    def _shown(
        self,
        step: RolloutStep,
        number: str,
        most: int,
        *,
        quote: str = "",
        marked: bool = False,
        differs: list[str] | None = None,
    ) -> Step:
        whole, more = _text_of(step, most, whole=bool(quote))
        text, before = _from_quote(self._clean(whole), quote, most)
        kept, cut = bounded(visible(text), most)
        return Step(
            number=number,
            kind=step.kind,
            actor=step.actor,
            name=one_line(step.name or "", 60),
            text=("… " if before else "") + kept,
            cut=cut + before + more,
            marked=marked,
            differs=differs or [],
        )


def _around(marked: set[int], count: int) -> list[int]:
    """The steps to show: each marked one with its neighbours, and the last one."""
    if not count:
        return []
    near = {number for mark in marked for number in range(mark - 2, mark + 3)} or {count - 3, count - 2}
    return sorted(number for number in near | {count - 1} if 0 <= number < count)


def _gaps(numbers: Sequence[int], count: int) -> dict[int, int]:
    """Before which places of the list steps were left out, and how many; behind the last one too."""
    gaps: dict[int, int] = {}
    following = 0
    for place, number in enumerate(numbers):
        if number > following:
            gaps[place] = number - following
        following = number + 1
    if following < count:
        gaps[len(numbers)] = count - following
    return gaps


def _anchored(step: Step, ref: Ref) -> Step:
    import msgspec

    return msgspec.structs.replace(step, anchor=anchor_of(ref.at(step.number)))


def _text_of(step: RolloutStep, most: int, *, whole: bool) -> tuple[str, int]:
    """The text of a step as far as it is wanted, and about how many characters were not read."""
    if step.kind == "call" and step.calls:
        return _arguments(step, most), 0
    spoken = "\n".join(f"→ {call.tool or 'unknown tool'} {call.arguments_text[:most]}" for call in step.calls[:20])
    if step.size > (_LARGEST_DECODED if whole else 8 * most):
        head = step.head(most + _MARGIN)
        return _joined(head, spoken), max(0, step.size - len(head))
    return _joined(step.text, spoken), 0


def _joined(text: str, spoken: str) -> str:
    return f"{text}\n{spoken}" if text and spoken else text or spoken


def _arguments(step: RolloutStep, most: int) -> str:
    """The arguments of a call, one on each line where they are an object."""
    call = step.calls[0]
    if step.size > _LARGEST_DECODED:
        return step.head(most + _MARGIN)
    value = call.arguments_value
    if not isinstance(value, dict) or not value:
        return call.arguments_text
    return "\n".join(f"{name} = {_short(part)}" for name, part in value.items())


def _short(value: Any) -> str:
    text = content.canonical(value)
    return text if len(text) <= _LONGEST_ARGUMENT else f"{text[:_LONGEST_ARGUMENT]}…"


def _from_quote(text: str, quote: str, most: int) -> tuple[str, int]:
    """A text from a little before a quote on, where the quote would not be seen otherwise."""
    place = text.find(quote) if quote else -1
    if place < 0 or place + len(quote) <= most:
        return text, 0
    start = max(0, place - most // 4)
    return text[start:], start
