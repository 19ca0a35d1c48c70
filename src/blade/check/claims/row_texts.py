"""The texts of rollouts, read again from their rows. Nothing of the engine is imported before it is needed."""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from blade.ref import Ref
    from blade.rollout import Rollout, Step
    from blade.scan.store import Store

_LONGEST: Final = 4_000_000
"""Characters of a rollout that a quote is looked for in."""

_KEPT: Final = 64
"""Rollouts whose texts are kept."""


class RowTexts:
    """The texts of rollouts, read again from their rows."""

    def __init__(self, store: "Store") -> None:
        from blade.report.reading import Library

        self._library = Library(store)
        self._kept: dict[str, Rollout | None] = {}

    def steps(self, ref: str) -> list[str] | None:
        """The texts of all steps of a rollout, in order; None for one that is not there."""
        rollout = self._rollout(ref)
        return None if rollout is None else [_step_text(step) for step in rollout.steps]

    def prompt(self, ref: str) -> list[str]:
        """The texts of the items of its prompt."""
        rollout = self._rollout(ref)
        return [] if rollout is None else [_step_text(step) for step in rollout.prompt]

    def whole(self, ref: str) -> str:
        """Everything that its row says."""
        import msgspec

        rollout = self._rollout(ref)
        if rollout is None:
            return ""
        fields = [f"{name}: {_field(value)}" for name, value in rollout.fields.items()]
        fields += [str(value) for value in msgspec.structs.astuple(rollout.evidence) if value is not None]
        fields += [str(value) for value in msgspec.structs.astuple(rollout.observed) if value is not None]
        sorted_calls = [_sorted(call.arguments_text) for step in rollout.steps for call in step.calls]
        return "\n".join([*self.prompt(ref), *(self.steps(ref) or ()), *fields, *sorted_calls])[:_LONGEST]

    def _rollout(self, text: str) -> "Rollout | None":
        ref = _parsed(text)
        if ref is None:
            return None
        key = str(ref)
        if key not in self._kept:
            if len(self._kept) >= _KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = next((rollout for _, rollout in self._library.read([ref])), None)
        return self._kept[key]


def _parsed(text: str) -> "Ref | None":
    from blade.errors import RefError
    from blade.ref import Ref

    try:
        return Ref.parse(text).at(None)
    except RefError:
        return None


def _step_text(step: "Step") -> str:
    calls = [f"{call.tool or ''}\n{call.arguments_text}" for call in step.calls]
    return "\n".join([*([step.name] if step.name else []), step.text, *calls])


def _sorted(arguments: str) -> str:
    """Arguments with their keys in order, as reports show them."""
    import msgspec

    try:
        return msgspec.json.encode(msgspec.json.decode(arguments), order="sorted").decode()
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return ""


def _field(value: Any) -> str:
    from blade import content

    return value if isinstance(value, str) else content.json_of(value)
