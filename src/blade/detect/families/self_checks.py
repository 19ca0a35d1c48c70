"""What the model did to check its own work, and what it said of it."""

from collections.abc import Iterator

from blade.detect import speech
from blade.detect.commands import is_test_tool
from blade.detect.deeds import Deed
from blade.detect.reading import Reading
from blade.detect.signal import BEHAVIOUR, EVIDENCE, QUOTE_LIMIT, Signal, detector, quoted


@detector(
    "self-check passed",
    needs="checks",
    family="self-checks",
    role=EVIDENCE,
    title="Own tests passed",
    meaning="The model ran tests, or a program with assertions, and they passed.",
    but="It does not say that the work is right: the model may have tested the wrong thing. The verdict is apart.",
)
def self_check_passed(reading: Reading) -> Iterator[Signal]:
    for check in reading.checks if reading.actions else ():
        if check.passed:
            yield Signal(check.step, check.quote[:QUOTE_LIMIT], check.how)


@detector(
    "self-check failed",
    needs="checks",
    family="self-checks",
    role=BEHAVIOUR,
    title="Own tests failed when last run",
    meaning="The last time that the model ran tests, or a program with assertions, they failed.",
    but="It does not say that the model saw it, nor that the work it handed in last is the work that failed.",
)
def self_check_failed(reading: Reading) -> Iterator[Signal]:
    if reading.actions and reading.checks and not reading.checks[-1].passed:
        check = reading.checks[-1]
        yield Signal(check.step, check.quote[:QUOTE_LIMIT], check.how)


@detector(
    "success claimed",
    needs="actions",
    family="self-checks",
    role=BEHAVIOUR,
    title="Claimed success after a failure",
    meaning="The last message says that the work is done and admits no trouble, although the model's own last check"
    " failed or its last call was answered with an error.",
    but="It does not say that the work is undone: what failed may not have mattered.",
)
def success_claimed(reading: Reading) -> Iterator[Signal]:
    last = reading.actions[-1]
    check_failed = bool(reading.checks) and not reading.checks[-1].passed
    if not check_failed and not (last.error and not last.error.infrastructure):
        return
    if reading.closing is None:
        return
    step, text = reading.closing
    claim = speech.claims_success(text)
    if claim:
        detail = "own check failed" if check_failed else f"{last.tool} failed"
        yield Signal(step, quoted(text, max(0, text.rfind("\n", 0, claim.start()) + 1)), detail)


@detector(
    "edits never checked",
    needs="edits",
    family="self-checks",
    role=BEHAVIOUR,
    title="Changed code and ran nothing afterwards",
    meaning="The model changed a file of code, and ran nothing after the last change although it could run commands.",
    but="It does not say that the change is wrong.",
)
def edits_never_checked(reading: Reading) -> Iterator[Signal]:
    if not reading.actions:
        return
    edits = [deed for deed in reading.edits if deed.edit and deed.edit.is_code and not deed.action.error]
    if not edits:
        return
    last = edits[-1]
    ran = [deed.nth for deed in reading.deeds if not deed.edit and (deed.command or is_test_tool(deed.action.tool))]
    if (ran and ran[-1] > last.nth) or not (ran or _can_run(reading)) or _ran_with_the_edit(reading, last):
        return
    paths = last.edit.paths if last.edit else ()
    yield Signal(last.action.step, quoted(reading.head(last.action.step)), ", ".join(paths[:3]))


def _ran_with_the_edit(reading: Reading, deed: Deed) -> bool:
    """Whether the call that changed a file ran something as well, or a tool that tests came after it."""
    command = deed.command
    after_heredoc = command.rsplit("\n", 1)[-1] if "<<" in command else ""
    later = any(check.nth >= deed.nth for check in reading.checks)
    return later or "&&" in command or " " in after_heredoc.strip()


def _can_run(reading: Reading) -> bool:
    """Whether a tool was offered that takes a command, or that runs tests."""
    return bool(reading.toolbox.runners) or any(map(is_test_tool, reading.toolbox.names))
