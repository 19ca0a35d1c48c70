"""The language of errors: what a message says about whose doing it was.

A wording is a row of `WORDINGS`: a pattern over lower-case text, and whether what it says is the doing of the
infrastructure, of the verifier, a limit that the agent ran into, or a finding about what the policy made. It judges
the words alone; where the words stand (an error field, the end of a trajectory, a file that somebody printed) is
judged by who calls it. Words that people use for the work of a policy as well are left out: a failure that is
excused by mistake flatters a run, one that is not excused can be seen and disputed.

Every pattern is an alternation of literals with bounded gaps, so that hostile text costs linear time.
"""

import re
from typing import Final, NamedTuple

INFRASTRUCTURE: Final = "infrastructure"
VERIFIER: Final = "verifier"
LIMIT: Final = "limit"
FINDING: Final = "finding"

LONGEST_READ: Final = 4_000
"""Characters of a text that are looked at."""

_TRACEBACK: Final = "Traceback (most recent call last)"
_FRAME: Final = '\n  File "'
"""What every call in a traceback begins with; the exception stands below the last one."""


class Wording(NamedTuple):
    """A way in which errors speak."""

    name: str
    says: str
    meaning: str
    pattern: str
    unless: str = ""
    """Words that, in what was found or close behind it, give it another meaning."""
    machinery: bool = False
    """Whether it names the machine that tools run on, of which no program running there speaks in these words."""
    doubtful: bool = False
    """Whether programs and arguments of the policy bring it about as well: true in an error field, not in a result."""


def _any(*alternatives: str) -> str:
    return f"(?:{'|'.join(alternatives)})"


_JUDGE = _any(
    "(?:llm[- ]as[- ](?:a[- ])?)?judge", "(?:auto)?grader", "verifier", "scorer", "evaluator", "nl_assertions?",
    "reward[ _](?:model|server|function|fn)", "(?:grading|scoring|evaluation|eval)[ _](?:server|script|harness|process|model|container)",
)  # fmt: skip
_ITS_PART = r"(?:['’]s)?(?:[ _-](?:llm|model|server|endpoint|process|service|api|call|request|query|worker|script|binary|container|image|step)){0,2}"
_NAMED = r"(?: (?:\([^)\n]{1,40}\)|(?:at|on|for) [^ \n]{1,60}))?"
_ADVERBS = r"[ :_-]{0,3}(?:(?:has|have|had|is|was|were|itself|currently|temporarily|unexpectedly) ){0,2}"
_SAID = r"(?:verdict|score|rating|reply|output|response|answer|json)"
_GIVES_NOTHING = _any(
    r"(?:gave|returned|raised|threw|answered|responded|produced|sent)[^.\n]{0,20}?"
    r"(?:error|exception|nothing|empty|invalid|malformed|unpars|nan\b|http|\b[45]\d\d\b|no (?:answer|response|verdict|score|reply))",
    r"(?:raised|threw) [^ \n]{1,60}(?:error|exception)", r"verdict (?:must be|should be|is not one|was not one|not in|could not)", "no (?:verdict|score|reply)",
)  # fmt: skip
_BREAKS = _any(
    r"error\b", "errored", "crash", "exception", "time[ds]?[ _-]?out", "unavailable", "unreachable", "unpars",
    "overloaded", r"down\b", r"went down\b", r"died\b", r"hung\b", r"missing\b", "rate[ _-]?limit", r"killed\b",
    r"(?:http|status)?[ :=]{0,2}(?:429|5\d\d)\b", r"(?:exited|killed|died) (?:with|by) signal", "not respond",
    "refused to (?:answer|give|judge|grade|score|return)", "(?:call|request|query|api|server|process)[ _]failed",
    "(?:could|can|did|was) ?n[o'’]t (?:be )?(?:pars|reach|start|respond|return|connect|produc|execut|creat|load|pull|called)",
    "(?:failed|died|exited) before", "failed to (?:answer|respond|return|parse|start|load|connect|produce|execute|give|generate)",
)  # fmt: skip
_SPOILT = (
    r"(?:is |was )?(?:unpars\w{1,10}|malformed|empty|invalid|nan\b|truncated|cut off|could not be (?:parsed|read))"
)
_OF_THE_POLICY = r"\b(?:solution|submission|submitted|candidate|program|patch|student|tests?|cases?|agent['’]s|model['’]s|predict\w*)\b"
"""What a verifier looks at: where this breaks, the verifier does not."""

_NOT = r"(?:could ?n[o'’]t|can ?n[o'’]t|cannot|failed to|unable to|did ?n[o'’]t|does ?n[o'’]t|do ?n[o'’]t)"

_SANDBOX = r"(?:sandbox|container|pod|vm|virtual machine|devbox|microvm|emulator|browser pool)"
_MACHINE = r"(?:node|host|machine|worker|runner|executor|instance|server|proxy|cluster|gpu|environment)"
_LOST = _any(
    "died", "crashed", "vanished", "disappeared", "evicted", "preempted", "deleted", "terminated", "reclaimed",
    "unreachable", "unresponsive", "unavailable", "exhausted", "not running", "not responding", r"gone\b", r"down\b",
    r"lost\b", "went (?:away|down)", "shut(?:ting)? down", "no longer (?:available|running|exists?|reachable)",
    "not found", "is in an error state", "entered (?:the )?state (?:failure|failed|error)", "killed", "destroyed",
    "(?:exited|stopped) (?:unexpectedly|before)", "stopped responding", "offline", r"dead\b", "creation failed", "startup failed",
    "(?:failed|unable) to (?:start|boot|launch|provision|come up)",
    r"(?:could|did) ?n[o'’]t (?:be )?(?:start|boot|come up|creat|launch|provision|reach|allocat|respond|found)",
)  # fmt: skip
_LOST_FOR_GOOD = _any(
    "died", "crashed", "vanished", "evicted", "preempted", "reclaimed", "unreachable", "unresponsive",
    "not responding", "went (?:away|down)", "stopped responding", "rebooted", r"(?:is|was|has gone) down\b",
    "was (?:killed|lost|terminated|reclaimed|drained)", "no longer reachable", "running low on memory",
    "low on resource", "died unexpectedly", r"(?:is )?shut(?:ting)? down", "killed by signal",
    r"(?:is|was) dead\b", "fell (?:over|off)", "disconnected", "stopped by (?:the )?host", r"(?:could|did) not start",
)  # fmt: skip
_IS = r"(?: [^ \n]{1,60})?(?: (?:has|was|is|had|have|already|be|been)){0,3} "

WORDINGS: Final = (
    Wording(
        "gold trouble",
        VERIFIER,
        "The expected answer could not be used.",
        _any(
            r"\b(?:gold|gold_\w{1,20}|golden)[ _](?:execution[ _])?(?:error|timeout|crash)",
            r"\b(?:gold(?:en)?|reference|oracle|expected)[ _](?:answer|sql|query|solution|patch|code|execution)[ _]?"
            r"(?:execution[ _])?(?:itself |is |was )?(?:error|time[ds]?[ _-]?out|invalid|missing|unavailable|broken|crash|not found"
            r"|fails|failed (?:to|its|on its|with)|does ?n[o'’]t (?:compile|run|execute|build|apply|parse)"
            r"|(?:cannot|can ?n[o'’]t|could ?n[o'’]t) (?:be )?(?:run|execut|compil|parse|load|appl|used|found))",
        ),
    ),
    Wording(
        "judge trouble",
        VERIFIER,
        "The judge or verifier itself failed.",
        rf"(?<![a-z]){_JUDGE}{_ITS_PART}(?:{_NAMED}{_ADVERBS}{_any(_BREAKS, _GIVES_NOTHING)}|[ _]{_SAID} {_SPOILT})",
        unless=_OF_THE_POLICY,
    ),
    Wording(
        "judge trouble, named last",
        VERIFIER,
        "Something failed in the judge or verifier.",
        _any(
            rf"(?:error|exception|time-?out|timed out|crash|http [45]\d\d|no (?:answer|response|verdict|score))\w*[^.\n]{{0,25}} "
            rf"(?:in|from|by|calling|of|while (?:calling|running)) (?:the )?(?:\w{{1,20}} )?{_JUDGE}\b",
            rf"\b(?:invalid|unpars\w{{1,10}}|malformed|empty|no) (?:\w{{1,20}} )?{_JUDGE}[ _]{_SAID}\b",
            rf"{_NOT} (?:parse|extract|decode|get|find|obtain|reach|call|start|load)[^.\n:]{{0,30}}?\b{_JUDGE}\b",
            rf"\bno {_SAID}[^.\n:]{{0,30}}? (?:in|from|by) (?:the )?{_JUDGE}\b",
            r"\b(?:verdict|score|rating) (?:parsing|extraction) (?:failed|error)",
            r"(?:error|exception|crash|failure)\w* (?:while|when|during) (?:verifying|judging|grading|scoring|verification)\b",
        ),
        unless=_OF_THE_POLICY,
    ),
    Wording(
        "grading trouble",
        VERIFIER,
        "The grading did not come to an end.",
        _any(
            r"\b(?:evaluation|grading|scoring|verification) (?:did ?n[o'’]t|could ?n[o'’]t(?: be)?) (?:complet|finish|start|run\b)",
            r"\b(?:evaluation|grading|scoring|verification) (?:crashed|was (?:aborted|interrupted|skipped)|server)",
            r"\b(?:reward|score) (?:computation|calculation) (?:failed|error|crash|raised|timed out)",
            r"\b(?:reward|score) (?:could ?n[o'’]t|cannot) be (?:computed|calculated|determined)",
            r"\b(?:evaluation|grading|test) harness (?:failed|crash|error|could ?n[o'’]t)",
            r"\bexception\b[^.\n]{0,30} in (?:compute_)?(?:reward|score)\b", r"\bcannot (?:be )?(?:grade|score)d?\b",
        ),
    ),
    Wording(
        "finding",
        FINDING,
        "What the policy made was tried and found wrong.",
        _any(
            r"\bassertionerror\b", r"\bassert [^\n]", r"\bfailed (?:[\w-]{1,20}/){0,5}test_", r"\btest\w{0,80} failed\b",
            r"\b\d+ (?:tests? )?failed\b", "test suite failed", r"\bwrong answer\b", r"\b(?:output|answer|argument|format|result|state|value) mismatch",
            r"\bexpected\b[^\n]{1,80}?\b(?:got|received|but was)\b", r"\bon (?:hidden )?test(?: case)? #?\d",
            r"\bsubmitted (?:solution|program|code|answer|patch|query)", r"\b(?:generated|predicted) (?:code|program|patch|query|sql)",
            r"\bmodel['’]s (?:code|program|solution|answer|patch|script|query|plan|claim)",
            r"\b(?:agent|policy|student)['’]s (?!fault|sandbox|container|vm|pod|machine|environment|session|runtime|connection|request)",
            r"\b(?:model|agent|policy|assistant) (?:claim|ignor|assum|said|says|thought|think|believ|invent|hallucinat|wrongly|incorrectly|forgot|mis)",
            r"\b(?:answer|response|solution|output|plan|reasoning) (?:is|was) (?:wrong|incorrect|incomplete|not )",
            r"\blint(?:er|ing)? (?:error|failed|warning)", r"\bsolution\.\w{1,4}\b", r"\btest_\w{1,80}\.py\b", r"::test_",
        ),
    ),
    Wording(
        "rate limit",
        INFRASTRUCTURE,
        "A server refused because of too many requests or an empty account.",
        _any(
            r"rate[ _-]?limit(?:ed|s? (?:was |were )?(?:exceeded|reached|hit)|error|_exceeded|ing)", "ratelimiterror",
            r"(?:exceed|reached|hit|over)[^.\n]{0,40} rate[ _-]?limit", "too ?many ?requests",
            r"\b(?:http|status|status[ _]code|error|error code)[ :=/(\"']{0,4}429\b", r"\bconcurren\w{1,4} (?:\w{1,20} )?limit", r"\b429 (?:too|client)",
            "quota (?:has been |was |is )?(?:exceeded|exhausted)", "exceeded your current quota", "insufficient[_ ]quota",
            "resource[_ ]?exhausted", r"throttl(?:ed|ing)(?:[ _]?exception| by)", "too many tokens, please wait",
            "(?:credit )?balance is too low", r"(?:out of|insufficient|no) (?:api )?credits\b", "billing (?:hard )?limit",
        ),
    ),
    Wording(
        "context overflow",
        LIMIT,
        "The conversation outgrew the context.",
        _any(
            "context[ _-]?(?:length|window|size|limit|overflow)", "maximum context", "(?:prompt|input) is too long",
            "too many tokens", "out of context",
        ),
    ),
    Wording(
        "service down",
        INFRASTRUCTURE,
        "A server answered that it cannot serve.",
        _any(
            "service (?:is )?(?:temporarily |currently )?unavailable", "temporarily unavailable", "bad ?gateway",
            r"gateway time-?\s?out", "internal ?server ?error", r"service_?unavailable",
            "(?:is|are|currently|temporarily|server) overloaded", "overloaded_error", r"exception - overloaded",
            "no healthy upstream", "upstream (?:connect error|request timeout|prematurely closed|server error)",
            r"(?:\bhttp|\bstatus|\bstatus[ _]code|\berror code|\bresponse code|error|exception)[ :=/(\"']{0,4}(?:50[0-4]|52\d)\b",
            r"\b(?:returned|answered|responded(?: with)?|got|received)(?: an?)?(?: http| status)?(?: code)? 50[234]\b",
            r"\b(?:over|at|exceeded) capacity\b", "internalfailure",
            r"\b(?:50[234]|529) (?:server|error)",
            r"(?:backend|service|server|upstream|gateway|proxy|endpoint|cluster)(?: [^ \n]{1,60})? (?:is |was |has )?(?:currently |temporarily )?"
            r"(?:down\b|unavailable|unreachable|offline|not (?:available|reachable|responding|respond)|timed out"
            r"|did not (?:respond|answer)|shutting down|stopped responding|crashed)",
            r"no (?:available|healthy|free|idle) (?:runner|worker|deployment|server|sandbox|browser|slot|replica|endpoint|backend|gpu)",
            r"no (?:runner|worker|deployment|server|sandbox|browser|replica|endpoint|backend)s? (?:is |are )?available",
            "(?:provider|service|cloud|region|api) outage", "had an error while processing your request", "deploymentnotfound",
        ),
    ),
    Wording(
        "sandbox",
        INFRASTRUCTURE,
        "The machine that the agent worked on was lost or never came.",
        _any(
            rf"\b{_SANDBOX}{_IS}{_LOST}", rf"\b(?:kubernetes |worker |eval |compute )?{_MACHINE}{_IS}{_LOST_FOR_GOOD}",
            rf"\b(?:lost|losing) (?:the |its )?(?:connection (?:to|with) (?:the )?)?(?:{_SANDBOX}|{_MACHINE})\b",
            rf"(?:failed|unable|could not|cannot|error) (?:to )?(?:start|creat|launch|provision|allocat|acquir|reach|reset|restor)\w{{0,3}} "
            rf"(?:the |a |an )?(?:\w{{1,20}} )?(?:{_SANDBOX}|environment)\b",
            r"heartbeat[^.\n]{0,20} (?:lost|missed|expired|timed out|timeout|stopped)", r"\b(?:lost|missed|no) heartbeat",
            "docker daemon", "error response from daemon", "no such container", "imagepullbackoff", "errimagepull",
            "failedscheduling", r"oci runtime", "containerd", r"\b(?:pull|pulling) (?:the )?(?:image|snapshot)\b",
            "sandbox(?:_?error|_?lost|_?timeout|_?terminated)", "container creation failed", "manifest unknown",
            rf"\b(?:{_SANDBOX}|environment) (?:provision|creation|boot|start-?up|initiali[sz]ation|setup|reset)\w{{0,3}} (?:failed|timed out|exceeded|error)",
            r"nodes are available: \d", r"\bfailed to mount\b", r"\bcould not mount\b", r"\bmount (?:hook|of)\b[^.\n]{0,40}fail",
        ),
        machinery=True,
    ),
    Wording(
        "connection",
        INFRASTRUCTURE,
        "A connection could not be made or broke.",
        _any(
            r"connection (?:was |has been |to [^\n]{1,60}? )?(?:refused|reset|aborted|closed|lost|dropped|broken|timed out|failed|error)",
            "(?:connection|connector|connect|disconnected|unreachable|gateway)(?:refused|reset|aborted|closed)?(?:error|exception)", "statuscode.(?:unavailable|deadline_exceeded)",
            r"\b(?:econnrefused|econnreset|epipe|etimedout|ehostunreach|econnaborted)\b", "broken ?pipe", r"socket hang ?up",
            "(?:remote|peer|server) (?:end |host )?(?:closed|dropped|reset) (?:the )?connection",
            "server ?disconnected", "remote(?:protocol|disconnected)", "peer closed", "incomplete (?:chunked )?read",
            "payload is not completed", "(?:premature|unexpected)(?:ly)? (?:close|end|eof)[^.\n]{0,20}(?:stream|response|connection)",
            "(?:could not|couldn't|cannot|can't|failed to|unable to) (?:connect|establish a (?:new )?connection"
            "|reach the (?:server|service|host|backend))",
            "lost connection (?:to|with|during)", "(?:closed|broken)resourceerror", "transport is closing",
            "code = (?:unavailable|deadlineexceeded)", "max(?:imum)? retries exceeded", "newconnectionerror", "no route to host",
            "network (?:is |was |became )?(?:unreachable|error|failure|down|unstable|flaky|issue|problem|partition)",
            "flaky network", r"(?:connect|read|request|api)[ _]?time(?:d )?out\b", "(?:connect|read|pool|socket|gateway|selection|api)timeout(?:error|exception)?",
            "request timed out", "i/o timeout", "context deadline exceeded", "ssl(?:error|_error| handshake)", "tls handshake",
            r"certificate (?:[^.\n]{0,20}expired|verify failed)", "pipe closed", "websocket (?:closed|error|connection)", "queuepool limit",
            "etcdserver", "too many (?:open )?(?:connections|clients)", "not connected to devtools",
        ),
    ),
    Wording(
        "name resolution",
        INFRASTRUCTURE,
        "A host's name could not be resolved.",
        _any(
            "name or service not known", "temporary failure in name resolution", r"\bgetaddrinfo\b", r"\benotfound\b",
            "nodename nor servname", "could not resolve (?:host|address)", "name ?resolution ?(?:error|fail)",
            "dns (?:failure|error|lookup fail|resolution fail)",
        ),
    ),
    Wording(
        "session",
        INFRASTRUCTURE,
        "The session or page that the tools worked in was gone.",
        _any(
            "session (?:was |has been )?(?:lost|expired|closed by)", "targetclosederror", r"\bkernel (?:has )?(?:died|crashed)",
            "(?:page|context|browser|tab) has been closed", "(?:browser|page) (?:has )?crashed",
        ),
        doubtful=True,
    ),
    Wording(
        "resources of a host",
        INFRASTRUCTURE,
        "Memory, disk or handles of a machine were used up.",
        _any(
            r"oom[- _]?kill(?:ed|er)?", r"cuda (?:error|out[- _]of[- _]memory)", r"\bxid \d", "no available memory for the cache", r"\becc error", r"cuda\.outofmemoryerror", "memory cgroup",
            r"(?:worker|node|host|server|engine|pod|container|sandbox|gpu|process|task|machine)[^.\n]{0,30} out[- _]of[- _]memory",
            "outofmemoryerror: task", "cannot allocate memory", "no space left on device", r"\benospc\b", "disk (?:is )?full",
            "disk quota exceeded", "input/output error", "stale file handle", "too many open files", r"\bemfile\b",
        ),
        unless=r"\b(?:submitted|solution|student|candidate)\b",
        doubtful=True,
    ),
    Wording(
        "scheduler",
        INFRASTRUCTURE,
        "The work was taken off its machine.",
        _any(
            "preempt(?:ed|ion)", "slurmstepd", r"node[_ ](?:fail(?:ure)?|drain)\b", r"\b(?:pod|node|job|worker|workload)\b[^\n]{0,40} (?:was|been|got) evicted\b", "requeued", r"cancellederror",
            r"(?:actordied|actorunavailable|workercrashed|nodedied|ownerdied|objectlost)error", r"\bactor (?:has )?died",
            "spot (?:instance )?(?:interrupt|reclaim)", "job (?:was )?(?:cancelled|killed|preempted|evicted)",
            r"received sigterm", "shutdown requested", r"(?:cluster|node|machine|server) (?:is in |under |was in |went into )?maintenance",
        ),
        machinery=True,
    ),
    Wording(
        "model server",
        INFRASTRUCTURE,
        "The server of the model failed.",
        _any(
            r"enginedead(?:error)?", r"engine ?(?:core |process )?(?:is |has )?(?:dead|died|crashed|encountered an issue)",
            r"\bapi[ _]error[ :(]{1,3}(?:5\d\d|429|connection|overloaded|time|request timed)", r"\bnccl (?:error|watchdog|communicator)",
            r"(?:litellm|openai|anthropic)\.(?:\w{1,30}\.)?(?:time[d_]?out|internalserver\w{0,10}|serviceunavailable\w{0,10}"
            r"|tryagain\w{0,10}|api(?:connection|timeout)?)(?:error|exception)?\b",
            r"(?:detokenizer|scheduler|tokenizer|executor|engine)(?: process| worker)? (?:died|crashed|is dead|is shut down|hit an exception)",
            r"\b(?:model|inference|completion|llm|policy|vllm|sglang|triton|tensorrt|nim)[ -](?:inference )?"
            r"(?:server|endpoint|backend|provider|worker|engine|api)[^.\n]{0,40}"
            r"(?:unavailable|down\b|unreachable|crash|died|failed|not respond|timed out|error|refused|went away|gone\b|killed|shut down)",
        ),
    ),
    Wording(
        "credentials",
        INFRASTRUCTURE,
        "The run's own keys were refused.",
        _any(
            r"(?:invalid|incorrect|expired|missing|revoked) (?:x-)?api[ _-]?key", "(?:expired|no) (?:aws |gcp |cloud )?credentials",
            r"api[ _-]?key (?:is |was |has )?(?:been )?(?:invalid|expired|missing|revoked)", "authentication_?error",
            "(?:unable to|could not) (?:locate|find|load|refresh) (?:the )?(?:default )?credentials", "nocredentials",
            r"invalid_grant", r"expired_?token", r"token (?:included in the request )?(?:has been |is |has |was )?(?:expired|revoked)",
        ),
        doubtful=True,
    ),
    Wording(
        "trouble by name",
        INFRASTRUCTURE,
        "Somebody wrote down that the machinery was at fault.",
        _any(
            r"\binfra(?:structure)? (?:issue|problem|error|failure|fault|trouble)", r"\binfra(?:structure)?:", r"not the agent['’]?s fault",
            r"\b(?:eval |evaluation |agent |tool )?harness (?:crashed|failed|error|died|bug)",
            r"\bvpn (?:dropped|disconnected|went down)", r"power (?:cut|outage|failure|loss) (?:in|at|of) the (?:lab|cluster|rack|data)",
            r"maintenance (?:killed|stopped|interrupted|window)",
        ),
        machinery=True,
    ),
    Wording(
        "turn limit",
        LIMIT,
        "The agent used up its turns.",
        _any(
            r"max(?:imum)?[ _-]?(?:number of )?(?:turns?|steps?|iterations?|rounds?|actions?|tool[ _]calls?)",
            "(?:turn|step|iteration|round|action|recursion|tool[ _]call)[ _-]?(?:limit|budget)",
            "(?:turns?|steps?|iterations?) (?:exceeded|exhausted|used up)",
            r"(?:limit|maximum|budget|cap) of \d+ (?:turns?|steps?|iterations?|rounds?|actions?|tool[ _]calls?|messages)",
            r"(?:ran|run) out of (?:turns?|steps?|iterations?|rounds?|actions?|tool[ _]calls?)",
        ),
    ),
    Wording(
        "output limit",
        LIMIT,
        "The output was cut.",
        _any(
            "max[_ ](?:output[_ ]|completion[_ ])?tokens", "token (?:limit|budget)", "output (?:was )?(?:truncated|cut)",
            r"\bfinish_reason.{0,5}length", "(?:ran|run) out of tokens",
        ),
    ),
    Wording(
        "time limit",
        LIMIT,
        "The agent used up its time.",
        _any(
            "(?:agent|episode|rollout|task|run|command|execution|wall[- ]?clock|overall)[ _-]?(?:time[ds]?[ _-]?out|(?:time[ _-]?)?limit)",
            "(?:agent|episode|rollout|task|run|command|execution) (?:has )?(?:timed out|exceeded)",
            "time[ _-]?(?:limit|budget)", "deadline exceeded", "ran out of time",
        ),
    ),
)  # fmt: skip
"""What a message may say: the verifier before the infrastructure it fails with, what is most telling first."""

_COMPILED: Final = tuple((each, re.compile(each.pattern), re.compile(each.unless or r"(?!)")) for each in WORDINGS)
_CLOSE_BEHIND: Final = 30


class Said(NamedTuple):
    """What a text says: which wording, where it begins, and the words themselves."""

    wording: Wording
    start: int
    quote: str

    @property
    def says(self) -> str:
        return self.wording.says


def read(text: str) -> Said | None:
    """The first wording that a text has, or None where it speaks of none or of a finding.

    A traceback speaks through its exception alone.
    """
    start = _exception_of(text) if _TRACEBACK in text[:LONGEST_READ] else 0
    head = text[start : start + LONGEST_READ]
    lowered = head.lower()
    if len(lowered) != len(head):  # a letter that grows: places must stay those of the text
        lowered = "".join(small if len(small := letter.lower()) == 1 else letter for letter in head)
    for wording, pattern, unless in _COMPILED:
        for match in pattern.finditer(lowered):
            if not unless.search(lowered, match.start(), match.end() + _CLOSE_BEHIND):
                found = Said(wording, start + match.start(), head[match.start() : match.end()])
                return found if wording.says != FINDING else None
    return None


def _exception_of(text: str) -> int:
    """Where the exception of the last traceback begins: the first line below its frames that is not indented."""
    line = text.find("\n", text.rfind(_FRAME) + 1) + 1
    while line and text.startswith((" ", "\t", "\n", "\r"), line):
        line = text.find("\n", line) + 1
    return line or max(0, text.rstrip().rfind("\n") + 1)


def sql_pattern() -> str:
    """One pattern for the store's engine that finds every text with a wording of the infrastructure."""
    patterns = (each.pattern for each in WORDINGS if each.says == INFRASTRUCTURE)
    return "|".join(patterns).replace("(?:", "(").replace("’", "")
