"""What a last message does: declines, asks, claims success, admits trouble.

Judged over the whole short message or over its ends, by alternations of plain words, in linear time.
"""

import re
from typing import Final

LONGEST_REFUSAL: Final = 900
"""A longer message explains or answers, whatever it declines on the way."""

_CANNOT: Final = r"(?:cannot|can ?not|can['’]t|won['’]t|will not|am not able to|['’]m not able to|am unable to|['’]m unable to|am not (?:allowed|permitted) to|['’]m not (?:allowed|permitted|comfortable|going) (?:to|with))"
_WILLING: Final = (
    r"(?:help|assist|comply|fulfil\w*|create|write|generate|produce|support|engage|participate|share|do (?:that|this|it|so)|answer (?:that|this|your|the question)|discuss"
    r"|provide (?:instructions|information|guidance|advice|content|that|this|assistance|help)|process|offer|respond to|accommodate|take part|encourage|recommend|advise|facilitate|accept)"
)
_DECLINES: Final = re.compile(
    rf"\bi (?:really |simply |just )?{_CANNOT} (?:\w+ ){{0,3}}?{_WILLING}\b"
    rf"|\bi(?: am|['’]m) (?:very |so |really )?(?:sorry|afraid)[,.;:—– -]{{1,4}}(?:but |that )?(?:\w+ ){{0,4}}?i {_CANNOT} (?:\w+ ){{0,3}}?{_WILLING}\b"
    r"|\bi (?:must|have to|need to|will have to|respectfully|politely)(?: \w+)? (?:decline|refuse)\b|\bi (?:decline|refuse) to\b"
    rf"|\bas an ai(?: \w+){{0,4}},? i {_CANNOT}\b|\bi['’]d (?:prefer|rather) not\b"
    r"|\b(?:outside|beyond)(?: of)? (?:what i (?:can|am able to|['’]m able to)|the scope of what i|my (?:scope|abilities|capabilities|guidelines))"
    r"|\bnot something (?:that )?i (?:can|am able to|['’]m able to|will)\b"
    r"|\b(?:can(?:not|['’]t)|won['’]t) (?:fulfil|comply with|assist with|help with)\w* (?:this|that|your|the) request"
)
_UNABLE: Final = re.compile(
    r"\b(?:can(?:not|['’]t| not)|could ?n(?:o|['’])t|unable to|not able to) (?:\w+ ){0,2}?(?:find|locate|access|see|verify|determine|retrieve|open|identify|confirm)\b"
    r"|\b(?:not sure|unsure|no idea|don['’]t know|do not know|not certain|uncertain)\b"
)
"""Words of somebody who looked and found nothing, or does not know: no unwillingness."""

_BEGINNING: Final = 300


def may_balk(text: str) -> bool:
    """Whether a message is short and has a part of any word by which people decline or give up: one quick look."""
    if len(text) > LONGEST_REFUSAL:
        return False
    lowered = text.lower()
    return (
        "not " in lowered
        or "n't" in lowered
        or "n’t" in lowered
        or "una" in lowered
        or "undo" in lowered
        or "unfin" in lowered
        or "declin" in lowered
        or "refus" in lowered
        or "fail" in lowered
        or "giv" in lowered
        or "stop" in lowered
        or "outside" in lowered
        or "beyond" in lowered
        or "there is no" in lowered
    )


def refuses(text: str) -> re.Match[str] | None:
    """Where a message declines to do what was asked, if that is what the message is about."""
    lowered = text[: LONGEST_REFUSAL + 1].lower()
    if len(lowered) > LONGEST_REFUSAL or len(text) != len(lowered):
        return None
    found = _DECLINES.search(lowered, 0, _BEGINNING + 100)
    if found is None or found.start() > _BEGINNING or _UNABLE.search(lowered, 0, found.end()):
        return None
    return found


_GIVES_UP: Final = re.compile(
    r"\b(?:i|we) (?:was|were|am|are|have been|['’]m|['’]ve been)? ?(?:unfortunately |still |therefore )?(?:cannot|can ?not|can['’]t|could ?n(?:o|['’])t|could not|unable to|not able to|did not manage to|failed to|have not been able to)"
    r" (?:\w+ ){0,2}?(?:complete|finish|solve|determine|find|provide (?:a|an|the|any|you with|further)|answer|obtain|retrieve|access|locate|identify|compute|calculate|resolve|fulfil|proceed|continue|do this|perform|reach|get)\b"
    r"|\bthe task (?:can ?not|can['’]t|could not|cannot) be (?:completed|done|finished|solved)|\bi (?:give|am giving|['’]m giving|have to give) up\b|\bi (?:will |have to |must )?stop here\b"
    r"|\b(?:no|not enough) (?:solution|answer) (?:could|can) be (?:found|given)"
    r"|^\W{0,4}(?:could not|couldn['’]t|unable to|cannot|can['’]t|not able to|failed to) (?:complete|finish|solve|do|carry|fulfil|perform|proceed|continue)\b"
    r"|^\W{0,4}not (?:done|finished|completed|possible)\b|\bgiving up\b|\b(?:stays|remains|left|leave it) (?:undone|unfinished|incomplete)\b|(?:^|[.!] )(?:i )?stop(?:ping|ped)?(?: here| now)?[.!]?$"
    r"|\bthere is no (?:tool|function|way|command|action) (?:that|to|for|with)\b"
)


_GOES_ON: Final = re.compile(
    r"\b(?:however|propos\w+|based on|best guess|guess|assum\w+|instead|alternative\w*|will (?:try|use|now)|let me|let['’]s|answer is|answer:|successfully|but (?:i|we|the|here))\b"
)
"""Words of somebody who gives an answer all the same."""


def gives_up(text: str) -> re.Match[str] | None:
    """Where a short last message says that the work could not be done."""
    lowered = text[: LONGEST_REFUSAL + 1].lower()
    if len(lowered) > LONGEST_REFUSAL or len(text) != len(lowered):
        return None
    if _GOES_ON.search(lowered):
        return None
    return _GIVES_UP.search(lowered)


_LACKS: Final = re.compile(
    r"\b(?:no|without an?|lack(?:ing)? an?|have ?n[o'’]t (?:got )?(?:an?|any|the)|(?:do|does) ?n[o'’]t have (?:access to )?(?:an?|any|the)|(?:was|am|were) ?(?:n[o'’]t|not) given (?:an?|any|the)|missing (?:an?|the))"
    r" (?:[\w’'-]{1,20} ){0,3}(?:tool|function|api|command|capability|way to)\b(?! (?:errors?|calls?|outputs?|results?|use|was used|(?:was|is) needed))"
    r"|\b(?:tool|function|api|command)s? (?:[^.\n]{0,60} )?(?:is|are|was|were) (?:not|n['’]t) (?:available|offered|provided|there|among|part of)\b"
    r"|\bnone of (?:the|my) (?:[\w’'-]{1,20} )?(?:tools|functions|commands)\b"
)


def lacks_a_tool(text: str) -> re.Match[str] | None:
    """Where a short last message says that there is no tool for what was asked."""
    lowered = text[: LONGEST_REFUSAL + 1].lower()
    if len(lowered) > LONGEST_REFUSAL or len(text) != len(lowered) or _GOES_ON.search(lowered):
        return None
    return _LACKS.search(lowered)


_ASKS: Final = re.compile(
    r"\b(?:shall|should|may|can|could) i (?:now |also |then |please )?(?:go on|go ahead|continue|proceed|start|begin|do (?:this|that|it|so)|make|apply|create|update|send|book|cancel|add|run|implement|fix|move)\b"
    r"|\b(?:would you like|do you want|would you prefer|did you want) (?:me|us)\b|\blet me know (?:whether|if|when|how|which|what) (?:i should|you(?:['’]d| would) (?:like|prefer)|you want|to|you(?:['’]re| are) (?:happy|ready|ok))"
    r"|\b(?:please|could you|can you|would you)(?: please)? (?:confirm|provide|clarify|specify|tell me|share|let me know (?:which|what|whether|how|your)|choose|advise)\b"
    r"|\bwhich (?:one|option|of these|approach) (?:would|do|should)\b|\bready to (?:proceed|continue|go ahead)\?|\bwaiting for your (?:confirmation|reply|input|answer|approval)"
)
_COURTESY: Final = re.compile(
    r"any(?:thing|one)? (?:else|other|further|more)|need (?:any|more|further)|further (?:help|assist|question|detail|clarif|info)|more (?:help|detail|information|question)|if you (?:have|need|run into|['’]d like to (?:know|see|learn))"
    r"|feel free|happy to help|hope this helps|would (?:you )?like me to (?:explain|elaborate|clarify|expand|go deeper)"
)
"""How people close: no question that waits for an answer."""

_CLOSING: Final = 400


def asks(text: str) -> str | None:
    """The last sentence of a message, where it asks whether or how to go on."""
    end = text[-_CLOSING:].rstrip()
    if "?" not in end and "et me know" not in end and "lease " not in end and "aiting for" not in end:
        return None
    sentences = re.split(r"(?<=[.!?])\s|\n", end)
    for sentence in reversed(sentences[-3:]):
        lowered = sentence.lower()
        if _COURTESY.search(lowered):
            continue
        if _ASKS.search(lowered) and not lowered.lstrip().startswith(("if ", "- if ")):
            return sentence.strip()
    return None


_CLAIMS: Final = re.compile(
    r"\b(?:successfully|all (?:the )?(?:\w+ )?(?:tests|checks) (?:now )?pass(?:ed|ing)?|(?:has|have|was|were) (?:now )?(?:been )?(?:\w+ )?(?:updated|fixed|booked|created|cancelled|canceled|completed"
    r"|processed|resolved|implemented|changed|added|removed|sent|scheduled|saved|applied|exchanged|returned|refunded|modified)|(?:is|are) (?:now )?(?:fixed|done|complete|completed|resolved|working|mended|repaired|corrected|ready|finished|solved|moved|booked|cancelled|canceled|sent|submitted|updated|in place|scheduled)"
    r"|(?:tests|everything|it) (?:now )?(?:pass|passes|works)\b|i(?:['’]ve| have) (?:now )?(?:\w+ )?(?:updated|fixed|booked|created|cancelled|canceled|completed|processed|resolved|implemented|changed"
    r"|added|removed|sent|scheduled|saved|applied|finished|solved|modified)|(?:task|work|job|fix|change) (?:is )?(?:done|complete|completed)|all done)\b"
)
_ADMITS: Final = re.compile(
    r"\b(?:however|unfortunately|although|unable|could ?n(?:o|['’])t|can ?n(?:o|['’])t|cannot|can['’]t|couldn['’]t|wasn['’]t|weren['’]t|isn['’]t|aren['’]t|hasn['’]t|didn['’]t|doesn['’]t"
    r"|failed|fails|failing|failure|fail|errors?|issues?|problems?|not (?:possible|available|able|enough|found|verified|tested|run)|did not|does not|was not|were not|is not|has not|unless|instead|limitation"
    r"|unverified|untested|pre-?existing|remaining|still|sorry|apologi[sz]e|except|but)\b"
)


def claims_success(text: str) -> re.Match[str] | None:
    """Where a message says that the work is done, if it admits no trouble anywhere."""
    lowered = text.lower()
    if len(lowered) != len(text) or _ADMITS.search(lowered):
        return None
    return _CLAIMS.search(lowered)
