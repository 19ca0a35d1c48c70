"""The words BLADE uses, what each means, and what it does not mean.

Only the standard library may be imported here: every other room imports this one. A word is a plain
string (so that it prints, stores and compares as itself) and each group is a mapping from the word to
its meaning, which the documentation and the help texts are made from.
"""

from types import MappingProxyType
from typing import Final


def _words(**meanings: str) -> MappingProxyType[str, str]:
    return MappingProxyType(meanings)


STEP_KINDS: Final = _words(
    message="Text for a reader: by the model, a (simulated) user, a system prompt or an environment.",
    reasoning="What the model thought before it spoke or acted; may be empty where it is encrypted.",
    call="A request to run a tool. It does not say that the tool ran.",
    result="What came back for a call. It does not say that the tool succeeded.",
    other="An item of a type this version does not know; kept, numbered and shown as it came.",
)
"""The kinds of a step, in the order in which a reader meets them."""

ACTORS: Final = _words(
    model="The policy under evaluation.",
    user="The person or the simulated person the policy talks to.",
    system="Instructions of the benchmark or the harness.",
    tool="Whatever answered a call.",
    environment="A turn that neither model, user nor tool wrote.",
)

RESULT_KINDS: Final = _words(
    missing="No output for the call stands in the rollout.",
    empty="An output of no characters, or of white space alone.",
    object="JSON object.",
    list="JSON list.",
    scalar="JSON number, true, false or null, or a JSON string inside the string.",
    text="Anything else: prose, a log, a file.",
)
"""The shape of a tool's output. No shape says whether the tool succeeded."""

STEP_SOURCES: Final = _words(
    response="`response.output`, which refs count from.",
    conversation="The agent's invocation in `ng_trajectory`, where the row has no response.",
    model_calls="The last captured model call, where nothing better is there.",
    turns="Question and answer of each recorded turn, where nothing better is there.",
    none="The row holds no trajectory at all.",
)
"""Where the steps of a rollout were read from."""

STANDINGS: Final = _words(
    row="A row of the main file; the one that counts for its task and repeat.",
    duplicate="A further row for a task and repeat that already has one; never counted.",
    attempt="A failed attempt from the failures sidecar that a later row or attempt superseded.",
    failed="The last failed attempt of a task and repeat with no row in the main file; not measured.",
)
"""What a line of a run stands for when rollouts are counted."""

SIGNAL_FAMILIES: Final = MappingProxyType(
    {
        "ending": "What ended the rollout, or that it ended without what it was for.",
        "tools": "How tools were called, and what became of it.",
        "answers": "What was answered, and in which form.",
        "self-checks": "What the model did to check its own work, and what it said of it.",
        "infrastructure": "Errors of the machinery that a tool's answer tells of.",
        "verifier": "Errors of the judge or the verifier that a field tells of.",
        "tampering": "Doings that may earn a reward without the work.",
        "user": "What a simulated user did wrong.",
    }
)
"""What signals are about. A signal is what a rollout shows; it says nothing of the reward."""

SIGNAL_ROLES: Final = MappingProxyType(
    {
        "ending": "It says what ended the rollout; the first that a rollout shows counts.",
        "behaviour": "It may explain a failure, unless passing rollouts of the same task show it as often.",
        "evidence": "It explains nothing by itself; other findings build on it.",
    }
)
"""What a signal is good for."""

OUTCOMES: Final = MappingProxyType(
    {
        "passed": "Measured, and the reward reaches the threshold of the pass rule.",
        "failed": "Measured, and the reward stays below the threshold.",
        "not measured": "No valid verdict exists. Neither a pass nor a failure, and never a silent zero.",
    }
)

NOT_MEASURED: Final = MappingProxyType(
    {
        "failed attempt": "The last attempt stands in the failures sidecar, and the main file has no row.",
        "masked": "The row is masked (`mask_sample`): its own run took it out. A masked reward of 1 is no pass.",
        "no reward": "The row has no reward that is a number.",
        "infrastructure": "A field, an error text or the end of the trajectory says that the machinery failed.",
        "verifier": "A field or an error text says that the judge or the verifier failed, so that nobody judged.",
        "missing": "Owed by the materialized inputs or a config, and not there. Nobody knows why.",
    }
)
"""Why a rollout is not measured, in the order in which it is looked for. A limit of the agent is no reason."""

RATES: Final = MappingProxyType(
    {
        "pass@k": "Chance that one of k rollouts of a task passes: 1 − C(n−c, k) / C(n, k), averaged over tasks.",
        "pass^k": "Chance that all of k rollouts of a task pass: C(c, k) / C(n, k), averaged over tasks.",
        "avg-of-k": "Share of passes among the first k measured rollouts of a task, averaged over tasks.",
        "majority@k": "What the most frequent extracted answer of the first k scores; answers equally frequent share.",
        "consistency": "Share of tasks whose every measured rollout passes.",
        "retry_value": "pass@K − pass@1 over the tasks that have K measured rollouts; K is their median number.",
        "mean_reward": "Mean over tasks of the mean raw reward of their measured rollouts.",
        "coverage": "Rows that are there of those that are owed.",
    }
)
"""What is measured of a run. A task has n measured rollouts of which c pass; only tasks with at least k count."""

BUCKETS: Final = MappingProxyType(
    {
        "always": "Every measured rollout of the task passes. With one repeat that says little.",
        "sometimes": "Some measured rollouts pass and some fail.",
        "never": "No measured rollout passes. With few repeats a task of middling difficulty is often here.",
        "missing": "No rollout of the task is measured. It is no failure.",
    }
)

ESTIMANDS: Final = MappingProxyType(
    {
        "new tasks like these": "Tasks and rollouts both vary: what another draw of tasks of this kind would give.",
        "these tasks": "Only rollouts vary: what another run over the very same tasks would give.",
    }
)
"""What an interval speaks of."""

SETUPS: Final = MappingProxyType(
    {
        "same setup": "Nothing that rows and configs tell differs, but for the repeats or the set of tasks.",
        "one change": "One thing differs that can move the score, and is named.",
        "several changes": "Several things differ: by design, no single one can be named as the cause.",
        "not comparable": "There is no common task that both runs have measured.",
    }
)
"""What two runs differ in. It says nothing of their scores."""

VERDICTS: Final = MappingProxyType(
    {
        "better": "The candidate's pass@1 is higher, and noise alone would seldom show as much (p < 0.05).",
        "worse": "The candidate's pass@1 is lower, and noise alone would seldom show as much (p < 0.05).",
        "no difference shown": "Noise may have made it. It does not say that the two are equally good.",
        "not comparable": "Nothing can be said of the difference.",
    }
)
"""What a comparison claims."""

CAUSES: Final = MappingProxyType(
    {
        "KG": "Knowledge gap: the model does not know, in any repeat.",
        "UK": "Unreliable knowledge: the model is right in some repeats and wrong in others.",
        "BI": "Behaviour: what the model did, not what it knows.",
        "TI": "Task or verifier: the judgement is at fault.",
        "IR": "Infrastructure: the machinery around the model.",
        "DA": "Data artifact: the rows themselves (duplicates, leaks, changed prompts).",
        "unknown": "The evidence does not say. A right answer where it is thin.",
    }
)

HEALTH_KINDS: Final = MappingProxyType(
    {
        "leak": "The prompt holds the expected answer, where other prompts of the kind do not hold theirs.",
        "duplicates": "Tasks under different ids ask the same, or ask the same and expect something else.",
        "verifier too strict": "Answers fail that differ from what is expected in their writing alone.",
        "flaky verdict": "Rollouts that are equal in all that is judged get different verdicts.",
        "wrong gold": "The expected answer is suspected wrong: nobody gives it, and all agree on another.",
        "changed prompt": "A task asks something else in another run, or in another repeat.",
        "judge error": "The judge or the verifier failed, so that nobody judged.",
        "missing rows": "Rollouts are owed and not there.",
        "suspicious pass": "A pass that may have been had without the work.",
        "ceiling": "Tasks that pass in every rollout: they tell no two models apart.",
        "floor": "Tasks that nobody ever passes: they tell no two models apart either.",
        "low discrimination": "Few tasks tell the runs apart, or some that do tell it the wrong way round.",
        "disagrees with shipped metrics": "A sidecar states numbers that its own rows do not give.",
        "too few repeats": "Tasks were tried too seldom for their own rates to be known.",
        "noise": "What differences these runs could show, and what chance alone makes.",
    }
)
"""What may be wrong with a benchmark or with its runs as measurements. None of it is the fault of a model."""

OWNERS: Final = MappingProxyType(
    {
        "model": "Training or choice of the model.",
        "prompt": "What the benchmark tells the model.",
        "harness": "Limits, sampling, the agent loop.",
        "tools": "Descriptions, schemas and behaviour of the tools.",
        "verifier": "The code or judge that gives the reward.",
        "infrastructure": "Servers, sandboxes, networks.",
        "data": "The benchmark's items and expected answers.",
    }
)
