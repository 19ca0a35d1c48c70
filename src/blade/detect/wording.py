"""The language of errors: what a message says about whose doing it was.

A wording is a row of `WORDINGS`: a pattern over lower-case text, and whether what it says is the doing of the
infrastructure, of the verifier, or a limit that the agent ran into. It judges the words alone; where the words
stand (an error field, the end of a trajectory, a file that somebody printed) is judged by who calls it.

Every pattern is an alternation of literals with bounded gaps, so that hostile text costs linear time.
"""

import re
from typing import Final, NamedTuple

INFRASTRUCTURE: Final = "infrastructure"
VERIFIER: Final = "verifier"
LIMIT: Final = "limit"

LONGEST_READ: Final = 4_000
"""Characters of a text that are looked at."""

_TRACEBACK: Final = "Traceback (most recent call last)"


class Wording(NamedTuple):
    """A way in which errors speak."""

    name: str
    says: str
    meaning: str
    pattern: str


_JUDGE = r"(?:judge|grader|grading|verifier|verification|scorer|scoring|evaluator|reward (?:model|server))"
_FAILS = (
    r"(?:errors?\b|errored|crash|exception|timed? ?out|unavailable|unreachable|unpars|overloaded|(?:is|was"
    r"|went) down"
    r"|(?:could|can|did|was) ?n[o'’]t|not (?:be )?(?:parsed?|reached|respond)|no (?:answer|response|verdict)"
    r"|(?:gave|returned|raised|threw|answered|responded)[^.\n]{0,20}(?:error|exception|nothing|empty"
    r"|invalid|malformed|[45]\d\d)"
    r"|failed to (?:answer|respond|return|parse|run|start|load|connect|produce|complete|execute)|malformed)"
)
_MACHINE = r"(?:sandbox|container|pod|vm|virtual machine|node|host|worker|instance|runner|executor|kernel|environment)"
_GONE = (
    r"(?:died|crashed|vanished|disappeared|evicted|preempted|unreachable|unresponsive|not running"
    r"|not responding"
    r"|no longer (?:available|running|exists?|reachable)|went away|has gone|is gone|is down|was (?:killed"
    r"|lost|terminated|removed)"
    r"|lost\b|terminated unexpectedly|exited unexpectedly|stopped unexpectedly|stopped responding"
    r"|failed to (?:start|boot|launch|provision)"
    r"|could not (?:be )?(?:start|creat|launch|provision|reach|allocat)\w*|creation failed|startup failed"
    r"|was reclaimed|unavailable)"
)

WORDINGS: Final = (
    Wording("judge trouble", VERIFIER, "The judge or verifier itself failed.", rf"\b{_JUDGE}\b[^.\n]{{0,60}}?{_FAILS}"),
    Wording(
        "judge trouble, named last",
        VERIFIER,
        "Something failed in the judge or verifier.",
        rf"(?:error|exception|timeout|crash)\w*[^.\n]{{0,25}} (?:in|from|by|calling|of|while (?:calling"
        rf"|running)) "
        rf"(?:the )?(?:\w+ )?{_JUDGE}\b",
    ),
    Wording(
        "gold trouble",
        VERIFIER,
        "The expected answer could not be used.",
        r"\b(?:gold|reference|expected)[ _](?:answer|sql|query|solution|execution|output|action)?[ _]?"
        r"(?:execution[ _])?(?:error|timeout|invalid|failed to|crash)",
    ),
    Wording(
        "context overflow",
        LIMIT,
        "The conversation outgrew the context.",
        r"context[ _-]?(?:length|window|size|limit|overflow)|maximum context|prompt is too long"
        r"|input is too long|too many tokens",
    ),
    Wording(
        "service down",
        INFRASTRUCTURE,
        "A server answered that it cannot serve.",
        r"service (?:is )?(?:temporarily |currently )?unavailable|temporarily unavailable|bad gateway"
        r"|gateway time-?\s?out"
        r"|internal server error|internalservererror|serviceunavailable"
        r"|server (?:is )?(?:currently )?overloaded|overloaded_error"
        r"|no healthy upstream|upstream (?:connect error|request timeout|prematurely closed|server error)"
        r"|\b(?:http|status|code|error|error code|status code)[ :=/]{0,3}(?:50[0-4]|52\d|529)\b"
        r"|\b(?:50[234]|529) (?:server|error)"
        r"|(?:backend|service|server|upstream|gateway|proxy|endpoint|cluster)(?: \S+)? (?:is |was "
        r"|has )?(?:currently |temporarily )?"
        r"(?:down\b|unavailable|unreachable|offline|not (?:available|reachable|responding|respond)"
        r"|timed out|did not (?:respond|answer)"
        r"|shutting down|stopped responding|crashed)",
    ),
    Wording(
        "rate limit",
        INFRASTRUCTURE,
        "A server refused because of too many requests or an empty account.",
        r"rate[ _-]?limit(?:ed|s? exceeded| reached|error|_exceeded| hit|ing)|ratelimiterror|too many requests"
        r"|\b(?:http|status|code|error)[ :=/]{0,3}429\b|\b429 (?:too|client)|quota (?:has been "
        r"|was )?(?:exceeded|exhausted)"
        r"|exceeded your current quota|insufficient[_ ]quota|resource[_ ]?exhausted|throttl(?:ed"
        r"|ing)(?:exception| by)",
    ),
    Wording(
        "connection",
        INFRASTRUCTURE,
        "A connection could not be made or broke.",
        r"connection (?:was |has been |to [^\n]{1,60}? )?(?:refused|reset|aborted|closed|lost|dropped"
        r"|broken|timed out|failed|error)"
        r"|connection(?:refused|reset|aborted|closed)?error|\b(?:econnrefused|econnreset|epipe|etimedout"
        r"|ehostunreach|econnaborted)\b"
        r"|broken pipe|socket hang ?up|(?:remote|peer|server) (?:end |host )?(?:closed|dropped"
        r"|reset) (?:the )?connection"
        r"|server disconnected|remote(?:protocol|disconnected)|peer closed"
        r"|(?:could not|couldn't|cannot|can't|failed to|unable to) (?:connect"
        r"|establish a (?:new )?connection|reach the (?:server|service|host|backend))"
        r"|max(?:imum)? retries exceeded|newconnectionerror|network (?:is )?(?:unreachable|error|failure)"
        r"|no route to host"
        r"|(?:connect|read|request|api)[ _]?time(?:d )?out\b|(?:connect|read|api)timeout(?:error)?"
        r"|apiconnectionerror|request timed out"
        r"|ssl(?:error|_error| handshake)|tls handshake|websocket (?:closed|error|connection)",
    ),
    Wording(
        "name resolution",
        INFRASTRUCTURE,
        "A host's name could not be resolved.",
        r"name or service not known|temporary failure in name resolution|\bgetaddrinfo\b|\benotfound\b"
        r"|nodename nor servname|could not resolve (?:host|address)|name resolution (?:error|fail)"
        r"|dns (?:failure|error|lookup fail|resolution fail)",
    ),
    Wording(
        "sandbox",
        INFRASTRUCTURE,
        "The machine that the agent worked on was lost or never came.",
        rf"\b{_MACHINE}(?: \S+)?(?: (?:has|was|is|had))? {_GONE}"
        rf"|\b(?:lost|losing) (?:the |its )?(?:connection to (?:the )?)?{_MACHINE}\b|docker daemon"
        rf"|no such container"
        rf"|(?:failed|unable|could not|cannot|error) (?:to )?(?:start|create|launch|provision|allocate"
        rf"|acquire|reach)\w* (?:the |a |an )?(?:\w+ )?{_MACHINE}\b"
        r"|imagepullbackoff|errimagepull|crashloopbackoff|sandbox(?:_?error|_?lost|_?timeout)|containerd"
        r"|session (?:was )?(?:lost|expired)",
    ),
    Wording(
        "memory of a host",
        INFRASTRUCTURE,
        "A process was killed for want of memory.",
        r"oom[- _]?kill(?:ed|er)?|out[- _]of[- _]memory|cuda error|cannot allocate memory|outofmemoryerror"
        r"|memory cgroup",
    ),
    Wording(
        "disk",
        INFRASTRUCTURE,
        "A disk was full or failed.",
        r"no space left on device|\benospc\b|disk (?:is )?full|disk quota exceeded|input/output error",
    ),
    Wording(
        "scheduler",
        INFRASTRUCTURE,
        "The work was taken off its machine.",
        r"preempt(?:ed|ion)|slurmstepd|node[_ ]fail(?:ure)?\b|\bevicted\b|actordiederror|workercrashederror"
        r"|\bactor (?:has )?died"
        r"|spot (?:instance )?(?:interrupt|reclaim)|job (?:was )?(?:cancelled|killed|preempted|evicted)"
        r"|received sigterm",
    ),
    Wording(
        "model server",
        INFRASTRUCTURE,
        "The server of the model failed.",
        r"enginedeaderror|engine (?:core |process )?(?:is dead|died|crashed)|\bapi[ _]error\b"
        r"|apistatuserror|apierror\b"
        r"|(?:litellm|openai|anthropic)\.(?:\w+\.)?(?:timeout|internalserver\w*|serviceunavailable\w*"
        r"|tryagain\w*|api)(?:error|exception)?\b"
        r"|(?:model|inference|completion|llm|policy) (?:server|endpoint|backend|provider|api)[^.\n]{0,40}"
        r"(?:unavailable|down|unreachable|crash|died|failed|not respond|timed out|error|refused)",
    ),
    Wording(
        "credentials",
        INFRASTRUCTURE,
        "The run's own keys were refused.",
        r"(?:invalid|incorrect|expired|missing) (?:api[ _]?key|credentials?)|api[ _]?key (?:is )?(?:invalid"
        r"|expired|missing)"
        r"|authenticationerror|billing (?:hard )?limit",
    ),
    Wording(
        "turn limit",
        LIMIT,
        "The agent used up its turns.",
        r"max(?:imum)?[ _-]?(?:number of )?(?:turns?|steps?|iterations?|rounds?|actions?|tool[ _]calls?)"
        r"|(?:turn|step|iteration|round|action|recursion)[ _-]?(?:limit|budget)|(?:turns?|steps?"
        r"|iterations?) (?:exceeded|exhausted|used up)",
    ),
    Wording(
        "output limit",
        LIMIT,
        "The output was cut.",
        r"max[_ ](?:output[_ ]|completion[_ ])?tokens|token (?:limit|budget)|output (?:was )?(?:truncated"
        r"|cut)|\bfinish_reason.{0,5}length",
    ),
    Wording(
        "time limit",
        LIMIT,
        "The agent used up its time.",
        r"(?:agent|episode|rollout|task|run|command|execution|wall[- ]?clock"
        r"|overall)[ _-]?(?:time[ds]?[ _-]?out|time[ _-]?limit)"
        r"|(?:agent|episode|rollout|task|run|command|execution) (?:has )?(?:timed out|exceeded)"
        r"|time[ _-]?(?:limit|budget)"
        r"|deadline exceeded|ran out of time",
    ),
)
"""What a message may say: the verifier before the infrastructure it fails with, what is most telling first."""

_COMPILED: Final = tuple((wording, re.compile(wording.pattern)) for wording in WORDINGS)
_KEYWORD: Final = "|".join(wording.pattern for wording in WORDINGS if wording.says == INFRASTRUCTURE)


class Said(NamedTuple):
    """What a text says: which wording, where it begins, and the words themselves."""

    wording: Wording
    start: int
    quote: str

    @property
    def says(self) -> str:
        return self.wording.says


def read(text: str) -> Said | None:
    """The first wording that a text has, or None where it speaks of none. A traceback speaks in its last lines."""
    start = max(0, text.rstrip().rfind("\n", 0, -1) + 1) if _TRACEBACK in text[:LONGEST_READ] else 0
    head = text[start : start + LONGEST_READ]
    lowered = head.lower()
    for wording, pattern in _COMPILED:
        if match := pattern.search(lowered):
            return Said(wording, start + match.start(), head[match.start() : match.end()])
    return None


def sql_pattern() -> str:
    """One pattern for the store's engine that finds every text with a wording of the infrastructure."""
    return _KEYWORD.replace("(?:", "(").replace("’", "")
