"""What agents, tools, verifiers and machines say in every world, in three manners of speaking.

A vocabulary takes one of them and adds the prompts of its world. A purpose begins with whose
words they are: `voice` the model's, `tool` an error of a tool, `machine` what breaks around the
model, `verifier` what it finds.
"""

from examples.theatre.vocabulary import Phrases

_RAMBLE = (
    "Before I go on I want to weigh every way in which the request could be read. ",
    "One could say that the date is meant in another sense, though the request is clear. ",
    "It may also be useful to recall what has been found so far and why it matters here. ",
    "Let me restate the request once more and compare it with the tools that I have. ",
    "There is a further point to consider, which is the order in which things are done. ",
)

PLAIN: Phrases = {
    "voice: refusal": "I'm sorry, but I can't help with that request.",
    "voice: rambling": _RAMBLE,
    "voice: checks again": "Let me check that again.",
    "voice: tried again": "I try that once more.",
    "voice: service retried": "The {tool} service gives an error. I try once more.",
    "voice: first part done": "The first part is done",
    "voice: all found": "I have found what is needed",
    "voice: asks whether to go on": "{done}. Let me know whether I should go on.",
    "voice: answer in a sentence": "{closing} It is {answer}.",
    "voice: found nothing": "I found nothing under that address, so I stop here.",
    "voice: gives up": "I could not finish this: {reason}.",
    "voice: no such tool": "the tool for it is not there",
    "voice: an error came": "the tool gave an error",
    "voice: not allowed": "I am not allowed to do it",
    "voice: not accepted": "The tool does not accept my call, so I stop here.",
    "voice: tool missing": "I have no tool for this step ({tool}), so I cannot finish the request.",
    "voice: wordy start": (
        "Of course, I will take care of this for you right away. I am going to go through "
        "your request step by step, look up whatever is needed, and let you know as soon as "
        "everything is in order."
    ),
    "voice: looks around": "I look at who is around first.",
    "voice: reads again": "I read that once more to be sure.",
    "voice: guesses": "I think that I know this one.",
    "voice: long thought": _RAMBLE,
    "tool: unknown_tool": "there is no tool '{tool}'",
    "tool: invalid_arguments": "{tool}: {problems}",
    "tool: not_json": "{tool}: the arguments are not a JSON object: {text}",
    "tool: permission_denied": "permission denied: this account may only read",
    "tool: warning": "warning: the answer comes from a cache that is two minutes old\n",
    "machine: host gone": "SandboxError: sandbox host node-{number} went away",
    "machine: judge failed": "judge model answered 500 Internal Server Error three times",
    "machine: verifier error": "verifier crashed: RuntimeError: no reply from the scoring service",
    "machine: backend down": "503 Service Unavailable: upstream connect error or disconnect before headers",
    "machine: connection reset": "ConnectionResetError: [Errno 104] Connection reset by peer",
    "machine: sandbox lost": "the sandbox container was lost: the node was preempted",
    "machine: unreachable": "503 Service Unavailable: no healthy upstream",
    "verifier: not accepted": "the answer {answer} was not accepted",
    "verifier: no answer": "no answer was given",
    "verifier: wrong answer": "the answer is {given}, expected {expected}",
    "reworded": "Good morning! {prompt}",
    "leak": "(The answer key says: {answer})",
}

_MUTTERING = (
    "Let me think about what exactly is wanted here, because there may be more than one reading. ",
    "Suppose first that nothing is missing; then the next thing to settle is where to begin. ",
    "On the other hand it could matter how this was done the last time, which I do not know. ",
    "I should write down what I have so far so that nothing is lost, and then look at it afresh. ",
    "That said, every option has something going for it, and I want to be fair to each of them. ",
    "Going back to the beginning, the wording of the task leaves little room, and yet some. ",
)

CURT: Phrases = {
    **PLAIN,
    "voice: refusal": (
        "I can't assist with this.",
        "I won't be able to do that. It is not something that I am able to help with.",
        "Sorry, this is outside of what I can help with.",
    ),
    "voice: rambling": _MUTTERING,
    "voice: long thought": _MUTTERING,
    "voice: checks again": ("Same thing again, to verify.", "Once more.", "Double-checking."),
    "voice: tried again": ("Retrying.", "Again."),
    "voice: service retried": "{tool} is not responding properly, retrying.",
    "voice: first part done": ("Halfway there", "Part one is in place"),
    "voice: all found": ("I now know what has to be changed", "Everything needed has been located"),
    "voice: asks whether to go on": ("{done}. Shall I proceed with the rest?", "{done}. Do you want me to continue?"),
    "voice: answer in a sentence": ("{closing} The result: {answer}", "{closing} So this comes to {answer}."),
    "voice: found nothing": ("Nothing there. Stopping.", "No matches came up, so there is nothing to report."),
    "voice: gives up": ("Could not complete the task: {reason}.", "Not done. Reason: {reason}."),
    "voice: no such tool": "no such function is available",
    "voice: an error came": ("the call failed", "the request was rejected"),
    "voice: not allowed": "access was denied",
    "voice: not accepted": "My calls keep being rejected. Giving up on this.",
    "voice: tool missing": "There is no function that would {tool} for me, so this stays undone.",
    "voice: wordy start": (
        "Happy to help! Here is my plan: I will begin by making sure that I have understood what is "
        "being asked, then collect the necessary information, then act on it, and finally summarise.",
        "Great, let's get started. I'd like to take this one step at a time so that nothing is forgotten "
        "along the way, and I will report back when I'm through with all of it.",
    ),
    "voice: looks around": "Getting an overview.",
    "voice: guesses": ("This should be it.", "I have seen this before, so it goes quickly."),
    "voice: reads again": ("Reading it a second time.", "Looking at this once more."),
    "tool: unknown_tool": "function {tool} not found",
    "tool: invalid_arguments": "bad call of {tool}: {problems}",
    "tool: not_json": "could not parse the arguments of {tool}: expected an object in JSON",
    "tool: permission_denied": ("403 Forbidden: write access is not granted to this role", "EACCES: permission denied"),
    "tool: warning": ("WARN deprecated endpoint, use v3\n", "notice: index is being rebuilt, results may be delayed\n"),
    "machine: host gone": ("worker {number} terminated unexpectedly (signal 9)", "node pool-{number} was reclaimed"),
    "machine: judge failed": ("grader endpoint timed out after 3 attempts", "LLM judge unavailable: HTTP 502"),
    "machine: verifier error": (
        "grading script raised FileNotFoundError: reference output missing",
        "scorer failed: could not parse the judge's reply",
    ),
    "machine: backend down": (
        "Error: HTTP 502 Bad Gateway",
        "upstream request timeout (504)",
        "Service temporarily unavailable. Please retry later.",
    ),
    "machine: connection reset": (
        "aiohttp.client_exceptions.ServerDisconnectedError: Server disconnected",
        "Error: connect ECONNREFUSED 10.0.4.17:8443",
        "requests.exceptions.ConnectionError: Max retries exceeded",
    ),
    "machine: sandbox lost": (
        "Error response from daemon: container is not running",
        "pod evicted: the node was low on resource: memory",
    ),
    "machine: unreachable": "connection refused by rollout worker",
    "verifier: not accepted": "{answer} does not match",
    "verifier: no answer": "nothing could be extracted",
    "verifier: wrong answer": "got {given}, want {expected}",
    "reworded": "{prompt}\n\nPlease be careful.",
    "leak": "Reference: {answer}",
}

_POETRY = (
    "I am looking at this from several sides now, and each of them shows me something else. ",
    "If I were to explain it to somebody, I would start with what the words themselves suggest. ",
    "Perhaps an example would help me here, although an example proves nothing by itself. ",
    "I could also try it the other way round, from the end, and see whether the two meet. ",
    "None of this is certain yet, so I will keep all of it in mind for a little longer. ",
)

WARM: Phrases = {
    **CURT,
    "voice: refusal": (
        "I appreciate you asking, but I'm not comfortable doing this, so I have to decline.",
        "Unfortunately I am unable to fulfil this request.",
    ),
    "voice: rambling": _POETRY,
    "voice: long thought": _POETRY,
    "voice: checks again": ("Let me just make sure about this.", "I'd like to see that one more time."),
    "voice: tried again": "Perhaps that was a hiccup. Let me give it another go.",
    "voice: service retried": "Hm, {tool} seems to have trouble. Let me see whether it has recovered.",
    "voice: first part done": "I've made a start and it looks good so far",
    "voice: all found": "I've found the place where this has to be done",
    "voice: asks whether to go on": (
        "{done}! Would you like me to carry on?",
        "{done}. Just say the word and I'll go on.",
    ),
    "voice: answer in a sentence": "{closing} If I'm not mistaken, that makes it {answer}.",
    "voice: found nothing": "I'm afraid that I couldn't find anything there.",
    "voice: gives up": "I'm afraid I wasn't able to get this done, since {reason}.",
    "voice: no such tool": "what I would need for it doesn't seem to exist",
    "voice: an error came": "I kept getting an error back",
    "voice: not allowed": "I don't seem to have the rights for it",
    "voice: not accepted": "I'm sorry, it just wouldn't take what I gave it.",
    "voice: tool missing": "I would love to {tool}, but I wasn't given anything to do that with.",
    "tool: unknown_tool": "No tool is registered under the name {tool}.",
    "tool: invalid_arguments": "ValidationError in {tool} ({problems})",
    "tool: not_json": "JSONDecodeError while reading the arguments for {tool}",
    "tool: permission_denied": ("PermissionError: [Errno 13] Permission denied", "Operation not permitted (read-only)"),
    "tool: warning": ("DeprecationWarning: this option will go away\n", "(1 warning was suppressed)\n"),
    "machine: host gone": "lost contact with executor {number}: no heartbeat for 60 s",
    "machine: judge failed": "JudgeError: the judge returned an empty reply",
    "machine: verifier error": "EvaluationError: out of memory while running the checks",
    "machine: backend down": (
        "ToolServerError: 500 Internal Server Error",
        "429 Too Many Requests: rate limit exceeded, retry after 60 s",
    ),
    "machine: connection reset": (
        "socket.gaierror: [Errno -3] Temporary failure in name resolution",
        "httpx.ReadError: connection closed by the remote host",
    ),
    "machine: sandbox lost": ("sandbox session expired and could not be resumed", "OOMKilled: the worker was stopped"),
    "verifier: not accepted": "judged as not equivalent: {answer}",
    "verifier: no answer": "no prediction",
    "verifier: wrong answer": "prediction {given} differs from the reference {expected}",
    "reworded": "One more request. {prompt}",
    "leak": "Note to graders: the accepted solution is {answer}.",
}
