"""Whether a trajectory ends in an error that its policy could not have caused.

A tool's output is the policy's doing as a rule: a program that it wrote may well print "connection refused", a page
that it opened may explain what 503 means. So the end must *be* an error, not hold one: short, with the words of an
infrastructure error at its very beginning, no code, log, listing or explanation, and not about something that the
policy itself tried to reach. Where the tool ran a command of the policy, only words about the machine it ran on count.
"""

import re
from typing import Final, NamedTuple

from blade.detect import wording
from blade.detect.wording import INFRASTRUCTURE, Said

LONGEST_ERROR: Final = 600
"""A longer text is output in which an error stands, rather than an error."""

_NEAR_THE_BEGINNING: Final = 100
_LONGEST_SPOKEN: Final = 400
_TRACEBACK: Final = "traceback (most recent call last)"

_LOOPBACK: Final = re.compile(r"localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]")
_OWN_REACH: Final = re.compile(
    r"https?://|\b(?:curl|wget|ssh|scp|ping|telnet|nc|git|pip3?|npm|apt|apt-get|docker|kubectl|psql|mysql|redis-cli)\b"
    r"|requests\.|urllib|socket\.|aiohttp|httpx"
)
"""Arguments with which the policy itself reaches for a network or a service."""

_COMMAND: Final = re.compile(r'"(?:command|cmd|commands|script|code|bash|shell|keystrokes|source|program|stdin)" ?:')
"""Arguments that are run: what comes back may be printed by a program of the policy."""

_MACHINERY: Final = re.compile(
    r"sandbox|container|gateway|harness|kubelet|virtual machine|\bvm\b|\bpod\b|remote (?:host|machine|environment)"
    r"|(?:tool|environment|env|exec|execution|command|runtime) (?:server|service|host|backend|worker)|\bmcp\b"
    r"|tool (?:execution|call|error)|(?:executing|execute|calling|call|running|run|invoking|invoke) (?:the )?(?:tool|command)"
)
"""What a program that the policy runs does not know of."""

_OF_A_PROGRAM: Final = re.compile(
    r"\s*(?:(?:curl|wget|ssh|scp|rsync|ping|telnet|nc|git|npm|yarn|pip3?|apt(?:-get)?|bash|/bin/\w{1,10}|sh|zsh|grep|ls|cat|make"
    r"|psql|mysql|redis-cli|mongo|sqlite3?|kubectl|nginx|node|java|go|cargo|gcc|ld|tar|cp|mv|rm|dd|find)(?:\[\d+\])?(?: err!|:)"
    r"|fatal: (?:could not|unable to|not a git|repository)|error: rpc failed|error \d{4} \()"
)
"""How programs name themselves when they fail."""

_OUTPUT: Final = re.compile(
    r"\s*(?:http/\d|#{1,6} |//|/\*|#!|\[?\d{4}-\d\d-\d\d[ t]|[\w./-]{1,80}\.\w{1,5}:\d+:|(?:async )?def |class |import |from [\w.]{1,60} import"
    r"|except\b|raise |try:|with |while |return |public |private |function |const |let |var |package |func |@\w"
    r"|(?:if|for|elif) [^\n]{1,80}[:{]\s*\n)"
)
"""How code, logs, headings and findings of a search begin; no error begins so."""

_JSON: Final = re.compile(r"\s*[\[{]\s*[\"'{\[]")
_JSON_ERROR: Final = re.compile(
    r'["\'](?:\w{0,20}error\w{0,20}|exception|detail|message|reason|fault|status|code)["\'] ?:'
    r'|["\'](?:text|content|output|result|stderr)["\'] ?: ?["\']\W{0,3}(?:[\w.]{0,80}(?:error|exception)|failed|[45]\d\d)\b'
)
"""In JSON an error stands under a key that says so, or begins a text; elsewhere it is data."""

_SPEECH: Final = re.compile(
    r"\b(?:means?|usually|typically|indicates?|refers? to|explains?|occurs? when|happens? when|my|i['’](?:m|ve|ll|d))\b"
    r"|\bis (?:an?|what|when|raised|returned|thrown|caused)\b|\bto (?:avoid|fix|solve|handle|prevent)\b|\bi\b(?!/)"
)
"""Somebody speaks about an error; an error does not speak so."""

_ERROR_FIRST: Final = re.compile(
    r"\W{0,3}(?:(?:api|llm|model|provider|server|request|http|internal|fatal|connection|network|sandbox|unexpected"
    r"|system|tool|upstream|environment|harness|rate limit|service)\W{1,2}){0,3}"
    r"(?:error|exception|failed|failure|crashed|[45]\d\d\b|[\w.:]{1,80}(?:error|exception|exhausted|timeout)\b)"
)
_HEAD: Final = re.compile(r"[^\n:]{0,60}\b(?:error|failed|failure|exception|unable|crashed|aborted)\b[^\n:]{0,30}:")
_AT_ONCE: Final = len("[the ")
"""Words that begin here have no head of another kind before them, such as the name of a field or a ticket."""

_A_NAME_ALONE: Final = re.compile(r"\W{0,3}\w{1,80}\W{0,3}\s*")

_ADMITS: Final = re.compile(
    r"unavailable|not available|unable|could ?n[o'’]t|can ?n?[o'’]t|cannot|can't|couldn't|try again|later|technical|"
    r"\bdown\b|outage|not respond|unreachable|not reach|offline|error|fail|interrupt|issue|problem|trouble"
)


class End(NamedTuple):
    """How a rollout ends, as the store has it: texts may be cut in the middle."""

    kind: str | None
    actor: str | None
    text: str
    steps: int
    result_step: int | None = None
    result: str = ""
    arguments: str = ""
    """Of the call that `result` answers."""


class Broken(NamedTuple):
    """An end that was not the policy's doing: the step that shows it, its words, and what they mean."""

    step: int
    quote: str
    meaning: str


def broken_end(end: End) -> Broken | None:
    """The infrastructure error that a trajectory ends in, or None."""
    last = end.steps - 1
    result = blamed_result(end.result, end.arguments)
    if result and end.result_step is not None:
        at_the_end = end.kind in ("result", "call")
        gave_up = end.kind == "message" and end.actor == "model" and _admits(end.text)
        if (at_the_end and end.result_step >= last - 1) or (gave_up and end.result_step >= last - 2):
            return Broken(end.result_step, result.quote, result.wording.meaning)
    spoken = _spoken_error(end) if end.kind in ("message", "other") and end.actor != "user" else None
    return Broken(last, spoken.quote, spoken.wording.meaning) if spoken else None


def blamed_result(text: str, called_with: str) -> Said | None:
    """What the result of a tool says, if it is an error of the infrastructure and nothing else.

    `called_with` are the arguments of the call that it answers.
    """
    if len(text) > LONGEST_ERROR:
        return None
    result, arguments = text.lower(), called_with.lower()
    if _LOOPBACK.search(result) or _OWN_REACH.search(arguments) or _TRACEBACK in result or _SPEECH.search(result):
        return None
    said = _blame(text)
    if said is None or said.wording.doubtful or not _is_an_error(result, said):
        return None
    of_machinery = said.wording.machinery or _MACHINERY.search(result)
    return said if of_machinery or not _ran_a_command(arguments) else None


def _blame(text: str) -> Said | None:
    """What a text that begins with an error of the infrastructure says."""
    said = wording.read(text)
    return said if said and said.says == INFRASTRUCTURE and said.start <= _NEAR_THE_BEGINNING else None


def _is_an_error(text: str, said: Said) -> bool:
    """Whether a result is the error that it speaks of, rather than output that mentions it."""
    start = said.start
    if _JSON.match(text):
        return bool(_JSON_ERROR.search(text[:start]))
    if "\n" in text[:start].lstrip() or _OUTPUT.match(text) or _OF_A_PROGRAM.match(text):
        return False
    return start <= _AT_ONCE or said.wording.machinery or bool(_ERROR_FIRST.match(text) or _HEAD.match(text))


def _ran_a_command(arguments: str) -> bool:
    """Whether a call had something run: a known argument, or a text that is no JSON."""
    is_json = _JSON.match(arguments) or arguments.strip() in ("", "{}", "[]", "null")
    return bool(_COMMAND.search(arguments)) or not is_json


def _spoken_error(end: End) -> Said | None:
    """What a last message says that is no speech but the text of an error, put there by the harness."""
    text = end.text.lower()
    if len(text) > _LONGEST_SPOKEN or _SPEECH.search(text) or _A_NAME_ALONE.fullmatch(text):
        return None
    said = _blame(end.text)
    if said is None or _OUTPUT.match(text) or _OF_A_PROGRAM.match(text):
        return None
    if end.actor == "model" and (said.wording.doubtful or _LOOPBACK.search(text)):
        return None
    by_machine = end.actor != "model" and said.wording.machinery
    return said if by_machine or _ERROR_FIRST.match(text[:200]) else None


def _admits(text: str) -> bool:
    """Whether a last message says that something did not work."""
    return bool(_ADMITS.search(text[: 2 * LONGEST_ERROR].lower()))
