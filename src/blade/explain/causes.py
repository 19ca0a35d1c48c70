"""The plain table of causes: what kind of thing went wrong, whose doing it is as a rule, who can act on it."""

import re
from typing import Final, NamedTuple

from blade.detect import wording
from blade.detect.wording import INFRASTRUCTURE, LIMIT, VERIFIER
from blade.measure.outcomes import kind_says


class Blame(NamedTuple):
    """A cause with the owner who can act on it, and what it is called."""

    cause: str
    owner: str
    what: str = ""


MODEL: Final = Blame("BI", "model")
TOOLS: Final = Blame("BI", "tools")
HARNESS: Final = Blame("BI", "harness")
MACHINERY: Final = Blame("IR", "infrastructure")
JUDGE: Final = Blame("TI", "verifier")
UNKNOWN: Final = Blame("unknown", "model")
ABSENT: Final = Blame("DA", "data")

_BY_WHAT_IT_SAYS: Final = {INFRASTRUCTURE: MACHINERY, VERIFIER: JUDGE, LIMIT: HARNESS}

_IN_WORDS: Final = tuple(
    (blame, re.compile(words))
    for blame, words in (
        (MODEL._replace(what="format"), r"format|pars(?:e|ed|ing|able)\b|extract|malformed|no[_ ]answer|answer[_ ]missing|boxed|not[_ ]json|json|schema|tag"),
        (TOOLS._replace(what="tool"), r"(?:unknown|missing|unavailable|renamed|no[_ ]such)[_ ](?:tool|function)|(?:tool|function)[_ ](?:missing|unavailable|unknown|not[_ ]found)"),
        (HARNESS._replace(what="limit"), r"time(?:d)?[_ -]?out|truncat|max[_ ]|[_ ]limit|limit[_ ]|too[_ ]long|budget|overflow|^\W*length\W*$|(?:max\w*|exceed\w*|context|token)[_ ](?:\w{1,20}[_ ]){0,2}length"),
        (MODEL._replace(what="refusal"), r"refus|declin"),
        (MODEL._replace(what="no action"), r"no[_ ](?:action|call|tool|output|patch|diff|submission)|empty|nothing"),
        (MODEL._replace(what="code"), r"syntax|compil|import[_ ]?error|runtime|exception|crash|build"),
        (MODEL._replace(what="tool use"), r"tool|argument|param|call|action|step|order|policy|constraint|instruction|forbidden|unauthori[sz]ed|hallucinat|premature|incomplete|skipp|loop|repeat"),
    )
)  # fmt: skip
"""What the words of a verifier's own category mean; over lower-case text, the most telling first."""

_WRONG: Final = re.compile(
    r"\W*(?:the )?(?:(?:final |model |predicted |given )?(?:answer|result|output|response|prediction|solution|state|value)s? (?:is |was |are |did )?)?"
    r"(?:fail(?:ed|ure|s)?|false|wrong|incorrect|not[ _]?correct|error|mismatch(?:ed)?|no[ _]?match|not[ _](?:match(?:ed|ing)?|equal|accepted|solved|resolved|passed|equivalent|ok)"
    r"|unresolved|unsolved|bad|partial|differs?|different|rejected|negative|lose|lost|loss|0|no|none|null|n/a|unsatisf\w+|not[ _]met)"
    r"(?:[ _](?:answer|result|output|value|response|prediction|solution|tests?|final|state|case|label|option|choice|verdict|outcome|score))*\W*"
    r"|\W*(?:the |final |model |predicted |given ){0,2}(?:answer|result|output|response|prediction|solution|value|outcome|state|content)s?\W*"
)
"""Words that say no more than that the result was wrong; a category that is called `answer` says no more either."""

_WRONG_ANSWER: Final = re.compile(r"\W{0,8}(?:wrong|incorrect) (?:answer|output|result|response)\W{0,4}(?:$|[:;,(-])")
"""How a sentence begins that goes on to say in what the answer is wrong."""

LIMITS_ANSWERS: Final = (
    r"(?i)(?:max\w*[ _-]{0,3}|number[ _]of[ _])(?:\w{1,40}[ _])?(?:propos|answer|submi|guess)"
    r"|(?:answer|submission|proposal|guess)\w{0,10}[ _](?:limit|exhausted|exceeded|used[ _]up)"
)
"""Words for a limit on answers: it ends rollouts that have answered, and what they answered is what went wrong."""

_MERIT: Final = re.compile(
    r"(?:^|[_.])(?:match\w*|correct\w*|pass\w*|success\w*|succeeded|solved|resolved|right|accura\w+|equal\w*|equivalen\w+|accepted|win|won|score|reward"
    r"|verdict|grade\w*|is_true|satisf\w+|ok|valid|met|achieved|complete\w*)(?:[_.]|$)"
)
"""Names of fields that say whether the result was right."""


def of_words(text: str) -> Blame | None:
    """What a category, a reason or a message says; None where it says no more than that something was wrong."""
    lowered = text.lower()
    if says_only_wrong(lowered):
        return None
    said = wording.read(text)
    if said and said.says in _BY_WHAT_IT_SAYS:
        return _BY_WHAT_IT_SAYS[said.says]._replace(what=said.wording.name)
    if (says := kind_says(lowered)) in _BY_WHAT_IT_SAYS:
        return _BY_WHAT_IT_SAYS[says]
    return next((blame for blame, words in _IN_WORDS if words.search(lowered)), None)


def says_only_wrong(text: str) -> bool:
    """Whether a text says no more than that the result was wrong."""
    text = text.strip().lower()[:200]
    return bool(_WRONG.fullmatch(text) or _WRONG_ANSWER.match(text) or re.search(LIMITS_ANSWERS, text))


def names_merit(name: str) -> bool:
    """Whether a field's name says that it holds a verdict, in other words."""
    return bool(_MERIT.search(name.lower()))


def of_tool_error(kind: str) -> Blame:
    """Of an error that a tool answered with, by its kind."""
    if any(each.name == kind and each.says == INFRASTRUCTURE for each in wording.WORDINGS):
        return MACHINERY
    return TOOLS if kind == "unknown tool" else MODEL
