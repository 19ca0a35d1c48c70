"""Rows with something wrong in them, and what BLADE says about each.

`EXAMPLES` has one entry for each irregularity; the page that explains them is made by scanning these.
"""

import json
import re
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import blade

Row = dict[str, Any] | bytes

_SAYS_DONE: Final = {"type": "message", "role": "assistant", "content": "Done."}
_GOOD: Final[dict[str, Any]] = {
    "_ng_task_index": 0,
    "_ng_rollout_index": 0,
    "reward": 1.0,
    "response": {"output": [_SAYS_DONE]},
}


class Example(NamedTuple):
    """An irregularity in words, the shards that show it, and what becomes of it beside the message."""

    what: str
    shards: list[list[Row]]
    then: str = ""


def _bad(**changes: Any) -> Row:
    """A good row but for what is given; None takes a key away."""
    return {key: value for key, value in (_GOOD | changes).items() if value is not None}


def _one(what: str, row: Row, then: str = "") -> Example:
    return Example(what, [[_GOOD | {"_ng_rollout_index": 9}, row]], then)


_IDLE: Final = {"input_tokens": 0, "output_tokens": 0}
_TURNS: Final = {"turns": [{"question": "One?", "answer": "One."}]}

EXAMPLES: Final = (
    _one("line that is not JSON", b"<PLACEHOLDER>", "that line is left out"),
    _one("JSON that stops in the middle", b'{"reward": 1, "response": {"out', "the same"),
    _one("JSON that is no object", b"[1]", "the same"),
    _one(
        "nested thousands of levels deep", b'{"reward": 1, "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "the same"
    ),
    Example("empty file", [[]], "a run of no rows; nothing is said of a failures sidecar that is empty"),
    _one(
        "bytes that are not UTF-8", b'{"_ng_task_index": 0, "reward": 1, "response": {"output": ["\xff"]}}', "replaced"
    ),
    _one("`NaN`, `Infinity`", _bad(x=float("nan")), "null"),
    _one("lone surrogates and other text that strict JSON forbids", _bad(x="\ud800"), "replaced"),
    _one("a standard key of another type", _bad(response={"output": [_SAYS_DONE], "model": ["m"]}), "left out"),
    _one("observations of another shape", _bad(ng_trajectory=5), "left out"),
    _one("`response` or `responses_create_params` that is no object", _bad(response=["Done."]), "left out"),
    _one("`output` that is no list", _bad(response={"output": "Done."}), "one step"),
    _one("reward that is text", _bad(reward="0.5"), "the number in it counts"),
    _one("reward that is neither number nor text", _bad(reward=[1]), "no reward"),
    _one("no reward, or null", _bad(reward=None), "no reward"),
    _one("`score` in place of `reward`", _bad(reward=None, score=1), "the score counts"),
    _one("rewards below 0 or above 1", _bad(reward=4), "kept"),
    Example("no row with a reward of 1", [[_bad(reward=0.5)]], "kept"),
    Example("no task index, but an id", [[_bad(_ng_task_index=None, task_id="a")]], "the id stands in the refs"),
    Example("neither index nor id", [[_bad(_ng_task_index=None)]], "rows with equal prompts are one task"),
    Example("two rows for a task and repeat", [[_GOOD, _GOOD]], "the first counts, the others are duplicates"),
    Example(
        "shards that each number their tasks from 0, with other prompts",
        [[_bad(responses_create_params={"input": f"Question of shard {number}"})] for number in (0, 1)],
        "kept apart",
    ),
    _one(
        "no response, but a recorded trajectory",
        _bad(response=None, ng_trajectory=_TURNS),
        "`steps_from` says from what",
    ),
    _one("no trajectory at all", _bad(response={"output": []}), "a row without steps"),
    _one("token usage of all zeros", _bad(response={"output": [_SAYS_DONE], "usage": _IDLE}), "unknown"),
    _one(
        "more than 500 fields in a row once its objects are opened",
        _bad(x={f"k{n}": n for n in range(510)}),
        "the first 500 are kept",
    ),
)


class Told(NamedTuple):
    """What BLADE says about an example."""

    skipped: list[str]
    noted: list[str]


def write(directory: Path) -> list[list[Path]]:
    """Each example as a run of its own in `directory`; the files of each."""
    written = []
    for number, example in enumerate(EXAMPLES):
        paths = []
        for shard, rows in enumerate(example.shards):
            name = f"e{number:02}_rollouts" + (f"_shard{shard}" if len(example.shards) > 1 else "")
            lines = (row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows)
            paths.append(directory / f"{name}.jsonl")
            paths[-1].write_bytes(b"".join(line + b"\n" for line in lines))
        written.append(paths)
    return written


@cache
def told() -> list[tuple[Example, Told]]:
    """The examples with what is said about them; a run is scanned only where reading its rows says nothing."""
    with tempfile.TemporaryDirectory() as name:
        written = write(Path(name).resolve())
        found = [_read(paths[0]) for paths in written]
        silent = [number for number, said in enumerate(found) if not said.skipped and not said.noted]
        with blade.load(
            [path for number in silent for path in _run(written[number])], blade.Options(workers=1)
        ) as store:
            for number, run in zip(silent, store.summaries, strict=True):
                notes = [re.sub(r"^/.*\.jsonl: | \(1 row\)", "", note) for note in run.problems]
                found[number] = Told([skip.why for skip in run.skipped], notes)
        return list(zip(EXAMPLES, found, strict=True))


def _read(path: Path) -> Told:
    rows = list(blade.read(path))
    skipped = [row.why for row in rows if isinstance(row, blade.Skipped)]
    return Told(skipped, [note for row in rows if isinstance(row, blade.Rollout) for note in row.problems])


def _run(paths: list[Path]) -> list[str]:
    """What names the run: its file, or a glob of its shards."""
    return [str(paths[0]) if len(paths) == 1 else str(paths[0]).replace("_shard0", "_shard*")]
