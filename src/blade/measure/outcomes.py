"""What became of every rollout: passed, failed, or not measured and why.

The reward decides, unless something says that it is no verdict. That is looked for in this order: the last
attempt stands in the failures sidecar; the row is masked; it has no reward; a failure kind or the text of an
error says infrastructure or judge; the trajectory ends in an error of the infrastructure. Where a kind and a
text contradict each other the text decides, and the contradiction is kept. A pass is doubted only where the
row itself says that it is none: its mask.
"""

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from blade.detect import wording
from blade.detect.ending import LONGEST_ERROR, Broken, End, broken_end
from blade.detect.wording import INFRASTRUCTURE, LIMIT, VERIFIER

if TYPE_CHECKING:
    from blade.scan.store import Store

PASSED: Final = 1
FAILED: Final = 0
NOT_MEASURED: Final = -1
"""Outcomes as numbers, so that they can stand in arrays."""

_TOLERANCE: Final = 1e-9
_NEAR_THE_BEGINNING: Final = 100
_SHORT: Final = 1_000
"""Characters of an error text up to which what it says is remembered."""


class PassRule(msgspec.Struct, frozen=True):
    """When a measured rollout passes."""

    threshold: float = 1.0

    def passes(self, rewards: Any) -> Any:
        """Whether each of these rewards, an array or a number, reaches the threshold."""
        return rewards >= self.threshold - _TOLERANCE

    def __str__(self) -> str:
        return f"reward ≥ {self.threshold:g}"


class Verdict(NamedTuple):
    """Why a rollout is not measured (None where it is), and what shows it."""

    why: str | None
    detail: str = ""
    """What was found, in words, with a quote where there is one."""
    step: int | None = None
    contradiction: str = ""
    """What else the row says that does not go with it."""


_KIND_WORDS: Final = (
    (VERIFIER, r"judge|grader|verif|scorer|gold|reference_missing|eval_missing"),
    (
        LIMIT,
        r"agent_time|time_?limit|max_(?:turn|step|iter)|turn_limit|step_limit|context|max_.*tokens|token_limit|length|not_allowed",
    ),
    (
        INFRASTRUCTURE,
        r"transport|provider|session|cancel|kill|shutdown|persist|cohort|request_failed|run_error|remote|infra|sandbox|container"
        r"|network|connection|server|transient|permanent|oom|scheduler|unavailable|unreachable|quota|rate_?limit|dns|node|skipped|ineligible",
    ),
)
_KINDS: Final = tuple((says, re.compile(words)) for says, words in _KIND_WORDS)
_QUIET: Final = frozenset({"", "none", "null", "no", "false", "ok", "0", "success", "completed", "passed", "n/a"})


def kind_says(kind: str | None) -> str | None:
    """What a failure class or kind blames: infrastructure, verifier, a limit, or None for a word it is silent on."""
    lowered = (kind or "").lower()
    return next((says for says, words in _KINDS if words.search(lowered)), None) if lowered not in _QUIET else None


_ABOUT_TROUBLE: Final = (
    r"(?i)(error|exception|fail|crash|abort|terminat|timeout|timed_out|stop_?reason|end_?reason|exit_?reason"
    r"|finish_?reason|outcome|invalid|unavailable|lost|killed|died|incident|trouble|stderr|diagnos|infra|status$|message$|note)"
)
"""Names of fields that may say what went wrong."""

_JUDGE_FIELD: Final = re.compile(r"(?i)(^|[_.])(judge|grader|verifier|scorer|gold)[a-z]*([_.]|$)")
_MACHINE_FIELD: Final = re.compile(
    r"(?i)(^|[_.])(sandbox|container|infra\w*|network|connection|provider|server|transport|scheduler|node|backend|host|pod)([_.]|$)"
)
_TROUBLE_WORD: Final = re.compile(
    r"(?i)(^|[_.])(error|errors|exception|crash\w*|unavailable|unreachable|invalid|unparse?able|lost|died|down|malformed|broken)([_.]|$)"
)
_JUDGE_FAILED: Final = re.compile(
    r"(?i)judge_?(error|invalid|timeout|timed_out|unavailable|unpars\w+|exception|crash\w*)"
)

_AN_ERROR_AT_THE_END: Final = f"""(
    length(r.end_text) <= {LONGEST_ERROR} AND regexp_matches(lower(r.end_text), $words)
    OR length(r.last_result) <= {LONGEST_ERROR} AND r.last_result_step >= r.steps - 3
       AND regexp_matches(lower(r.last_result), $words)
)"""
"""Whether the end has any words of an error of the infrastructure: cheap, where reading the text is not."""

_EVIDENCE_ROWS: Final = f"""
SELECT r.file, r.row, r.standing, r.reward, r.masked,
       r.failure_class, r.failure_kind, r.failure_text, r.error, r.status,
       r.end_kind, r.end_actor, r.end_text, r.steps, r.last_result_step, r.last_result,
       r.model_calls, r.failed_model_calls, r.sandbox_outcome, a.arguments,
       coalesce({_AN_ERROR_AT_THE_END}, false)
FROM rollouts r
LEFT JOIN (SELECT file, row, result_step, any_value(arguments) AS arguments FROM actions GROUP BY ALL) a
     ON a.file = r.file AND a.row = r.row AND a.result_step = r.last_result_step
WHERE r.run = $run AND (
    r.standing = 'failed'
    OR r.standing = 'row' AND (
        r.masked OR r.reward IS NULL
        OR r.reward < $threshold AND (
            r.failure_class IS NOT NULL OR r.failure_kind IS NOT NULL OR r.failure_text IS NOT NULL
            OR r.error IS NOT NULL OR r.status = 'failed' OR r.sandbox_outcome = 'sandbox_error'
            OR r.failed_model_calls = r.model_calls AND r.model_calls > 0
            OR {_AN_ERROR_AT_THE_END}
        )
    )
)
"""
"""Rows of which something other than the reward may decide: the only ones whose texts are looked at."""

_EVIDENCE_FIELDS: Final = """
SELECT f.file, f.row, f.name, f.kind, f.text, f.number
FROM fields f JOIN rollouts r USING (file, row)
WHERE r.run = $run AND r.standing IN ('row', 'failed') AND coalesce(r.reward < $threshold, true)
      AND f.kind IN ('text', 'boolean', 'number', 'object', 'list') AND regexp_matches(f.name, $names)
      AND (f.kind = 'boolean' AND f.number = 1 OR f.kind = 'number' AND f.number = 1
           OR f.kind IN ('text', 'object', 'list') AND length(f.text) BETWEEN 4 AND 1000)
ORDER BY f.file, f.row, f.name
"""


class _Row(NamedTuple):
    """The evidence of one row, under the names of the store."""

    file: int
    row: int
    standing: str
    reward: float | None
    masked: bool | None
    failure_class: str | None
    failure_kind: str | None
    failure_text: str | None
    error: str | None
    status: str | None
    end_kind: str | None
    end_actor: str | None
    end_text: str | None
    steps: int
    result_step: int | None
    result: str | None
    model_calls: int | None
    failed_model_calls: int | None
    sandbox_outcome: str | None
    arguments: str | None
    error_at_the_end: bool

    @property
    def kind(self) -> str | None:
        return self.failure_class or self.failure_kind


class _Field(NamedTuple):
    name: str
    kind: str
    text: str | None
    number: float | None


Verdicts = dict[tuple[int, int], Verdict]
"""File and row to the verdict on it; rows that are not among them are judged by their reward."""


def verdicts(store: "Store", run: str, rule: PassRule) -> Verdicts:
    """Every row of a run that its reward alone does not decide."""
    threshold = rule.threshold - _TOLERANCE
    parameters = {"run": run, "threshold": threshold}
    connection = store.connection
    fields: dict[tuple[int, int], list[_Field]] = {}
    found = connection.execute(_EVIDENCE_FIELDS, parameters | {"names": _ABOUT_TROUBLE})
    for file, row, *field in found.fetchall():
        fields.setdefault((file, row), []).append(_Field(*field))
    rows = connection.execute(_EVIDENCE_ROWS, parameters | {"words": wording.sql_pattern()}).fetchall()
    told = {(row[0], row[1]): _Row(*row) for row in rows}
    silent = dict.fromkeys(set(fields) - set(told))
    decided = {place: _decide(row, fields.get(place, [])) for place, row in told.items()}
    decided |= {place: _by_words(None, [], fields[place]) or _MEASURED for place in silent}
    return {place: verdict for place, verdict in decided.items() if verdict != _MEASURED}


_MEASURED: Final = Verdict(None)


def _decide(row: _Row, fields: list[_Field]) -> Verdict:
    """The first reason, in order of precedence, for which a row is not measured."""
    texts = [text for text in (row.failure_text, row.error) if text]
    if row.standing == "failed":
        return Verdict("failed attempt", _joined(row.kind, texts))
    if row.masked:
        said = _joined(row.kind, texts) or "mask_sample is true"
        return Verdict("masked", said, contradiction=_against_mask(texts))
    if row.reward is None:
        return Verdict("no reward", _joined(row.kind, texts) or "neither reward nor score is a number")
    verdict = _by_words(row.failure_kind or row.failure_class, texts, fields)
    if verdict and verdict.why:
        return verdict._replace(contradiction=verdict.contradiction or _against_no_mask(row))
    broken = _broken(row)
    if broken:
        return Verdict("infrastructure", _quoted(broken.quote, broken.meaning), broken.step, _against_no_mask(row))
    return verdict or _MEASURED


def _by_words(kind: str | None, texts: list[str], fields: list[_Field]) -> Verdict | None:
    """What failure kinds, error texts and fields say; the text decides where it and the kind differ."""
    blamed = kind_says(kind)
    told = _text_says(texts, fields)
    if told and told.says == LIMIT and blamed in (INFRASTRUCTURE, VERIFIER):
        return Verdict(
            None, contradiction=f"{kind} says {blamed}, but the text says {told.quote!r}: counted as measured"
        )
    if told and told.says != LIMIT:
        against = f"{kind} says a limit of the agent, but the text says {told.quote!r}" if blamed == LIMIT else ""
        return Verdict(told.says, _quoted(told.quote, told.meaning, told.where), contradiction=against)
    return Verdict(blamed, _joined(kind, texts)) if blamed in (INFRASTRUCTURE, VERIFIER) else None


class _Told(NamedTuple):
    says: str
    quote: str
    meaning: str
    where: str = ""


def _text_says(texts: list[str], fields: list[_Field]) -> _Told | None:
    """The first error text that says whose doing it was, then the first field that does."""
    for text in texts:
        if told := _error_says(text) if len(text) <= _SHORT else _read_error(text):
            return told
    return next((told for field in fields if (told := _field_says(field))), None)


def _read_error(text: str) -> _Told | None:
    """What one error text says."""
    if _JUDGE_FAILED.search(text):
        return _Told(VERIFIER, text[:120], "The judge itself failed.")
    said = wording.read(text)
    return _Told(said.says, said.quote, said.wording.meaning) if said else None


_error_says = lru_cache(maxsize=20_000)(_read_error)
"""The same for short texts, which are asked for again wherever a run is measured again."""


@lru_cache(maxsize=20_000)
def _field_says(field: _Field) -> _Told | None:
    """What one field says. A truth value speaks through its name, a text through its words."""
    is_judge, is_trouble = bool(_JUDGE_FIELD.search(field.name)), bool(_TROUBLE_WORD.search(field.name))
    if field.kind in ("boolean", "number"):
        if is_trouble and is_judge:
            return _Told(VERIFIER, f"{field.name} = true", "The judge or verifier itself failed.", field.name)
        if is_trouble and _MACHINE_FIELD.search(field.name):
            return _Told(INFRASTRUCTURE, f"{field.name} = true", "The infrastructure failed.", field.name)
        return None
    text = field.text or ""
    if text.strip().lower() in _QUIET:
        return None
    if _JUDGE_FAILED.search(text):
        return _Told(VERIFIER, text[:120], "The judge itself failed.", field.name)
    if is_judge and is_trouble and field.kind == "text":
        return _Told(VERIFIER, text[:120], "The judge or verifier reports an error.", field.name)
    said = wording.read(text)
    near = said and (said.start <= _NEAR_THE_BEGINNING or "Traceback" in text)
    return _Told(said.says, said.quote, said.wording.meaning, field.name) if said and near else None


def _broken(row: _Row) -> Broken | None:
    """The infrastructure error that the trajectory ends in."""
    if row.sandbox_outcome == "sandbox_error":
        return Broken(max(0, row.steps - 1), "sandbox_error", "The sandbox failed, as it was observed.")
    if row.model_calls and row.failed_model_calls == row.model_calls:
        return Broken(0, f"{row.model_calls} of {row.model_calls} model calls failed", "No model call succeeded.")
    if not row.error_at_the_end:
        return None
    end = End(
        row.end_kind,
        row.end_actor,
        row.end_text or "",
        row.steps,
        row.result_step,
        row.result or "",
        row.arguments or "",
    )
    return broken_end(end)


def _against_mask(texts: list[str]) -> str:
    """What a masked row says that reads like a measured one."""
    said = next((said for text in texts if (said := wording.read(text))), None)
    if said and said.says == LIMIT:
        return f"masked, but the text says {said.quote!r}"
    return ""


def _against_no_mask(row: _Row) -> str:
    return "mask_sample is false, but the evidence says that it is no measurement" if row.masked is False else ""


def _quoted(quote: str, meaning: str, where: str = "") -> str:
    place = f"{where}: " if where and where not in quote else ""
    return f"{place}“{' '.join(quote.split())[:160]}”. {meaning}"


def _joined(kind: str | None, texts: list[str]) -> str:
    said = [kind] if kind else []
    said += [f"“{' '.join(text.split())[:160]}”" for text in texts[:1] if text != kind]
    return ": ".join(said)
