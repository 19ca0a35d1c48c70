"""What errors are about, by their words."""

import re
from functools import lru_cache
from typing import Final

OTHER: Final = "error"
"""The kind of an error that no row of `KINDS` knows."""

KINDS: Final = (
    ("unknown tool", r"(?:unknown|no such|unrecogni[sz]ed|invalid|undefined|unsupported) (?:tool|function|action|command name)\b|(?:tool|function) [^\n]{0,80}?(?:not found|does not exist|is not (?:available|a valid|registered|one of)|unknown)|no tool (?:named|called)"),
    ("missing software", r"no module named|modulenotfound|importerror|command not found|bad interpreter|cannot import name|is not recogni[sz]ed as an internal|could not find a version|no matching distribution"),
    ("syntax", r"syntax ?error|unexpected (?:token|indent|eof|end of|character|identifier)|parse error|indentationerror|taberror|unterminated|invalid syntax"),
    ("assertion", r"assertion ?error|assertion failed|panicked at .{0,40}assert"),
    ("invalid arguments", r"(?:missing|unexpected|required|invalid|unknown|extra|unrecogni[sz]ed|wrong|bad|malformed)(?: \w+){0,3} (?:argument|parameter|field|property|input|key|value|option|format|json|type|date|id)\b|validation ?error|\bmust (?:be|include|have|look|start|end|contain|match|not)\b|\bis required\b|got an unexpected keyword|takes \d+ positional|not of type|is not (?:a )?valid|could not (?:parse|decode)|jsondecodeerror|schema"),
    ("not found", r"not ?found|no such|does not exist|doesn't exist|could not find|cannot find|can't find|unknown|no (?:\w+ ){1,3}(?:with|named|found|matches|matching)|cannot access|\b404\b"),
    ("permission", r"permission ?(?:denied|error)|not (?:allowed|permitted|authori[sz]ed)|forbidden|unauthori[sz]ed|access denied|read-only|\b40[13]\b|operation not permitted"),
    ("conflict", r"already (?:exists|in use|taken|booked|done|closed|cancelled|canceled|used)|conflict|duplicate|overlap"),
    ("not available", r"not (?:enough|sufficient|available)|unavailable|insufficient|out of stock|is full\b|sold out"),
    ("time-out", r"time[ds]?[ -]?out|deadline exceeded|took too long"),
    ("network", r"connection|could not resolve|name resolution|network|unreachable|ssl|proxy|max retries"),
    ("not possible", r"cannot be|can ?not|can't|could not|not supported|unsupported|not possible|exceeds|out of range|limit|does not (?:add up|match)|not match"),
    ("exception", r"[a-z](?:error|exception|warning|exit|interrupt)\b|traceback|panic|segmentation fault|core dumped"),
)  # fmt: skip
"""What an error is about, the most telling first; over lower-case text."""

_COMPILED: Final = tuple((kind, re.compile(words)) for kind, words in KINDS)

_OF_THE_CODE: Final = re.compile(
    r"(?:[a-z_]+\.)*(?:type|name|attribute|index|key|zerodivision|overflow|recursion|unboundlocal|arithmetic|stopiteration|floatingpoint|lookup|sympify)"
    r"(?:error|exception)\b"
)
"""Exceptions that say of code what is wrong with it: what their messages say besides is about that code."""


@lru_cache(maxsize=8_192)
def kind_of(words: str) -> str:
    """What an error is about, by its words."""
    lowered = words.lower()
    if _OF_THE_CODE.match(lowered):
        return "exception"
    return next((kind for kind, pattern in _COMPILED if pattern.search(lowered)), OTHER)
