"""Small runs made by hand: items, rows, files."""

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import blade
from blade.cli import main

Row = dict[str, Any]


def message(text: Any, role: str = "assistant", **more: Any) -> Row:
    return {"type": "message", "role": role, "content": text, **more}


def reasoning(text: str) -> Row:
    return {"type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}


def call(tool: str = "search", arguments: Any = "{}", call_id: str | None = "c1", **more: Any) -> Row:
    return {"type": "function_call", "name": tool, "arguments": arguments, "call_id": call_id, **more}


def result(output: Any = "found", call_id: str | None = "c1", **more: Any) -> Row:
    return {"type": "function_call_output", "output": output, "call_id": call_id, **more}


def row(*steps: Any, task: Any = 0, rollout: Any = 0, prompt: Any = "What is 2 + 2?", **more: Any) -> Row:
    """A row of a rollouts file; a key given as `...` is left out."""
    made = {
        "_ng_task_index": task,
        "_ng_rollout_index": rollout,
        "responses_create_params": {"input": prompt},
        "response": {"model": "tiny", "output": list(steps or [message("4")])},
        "reward": 1.0,
        **more,
    }
    return {key: value for key, value in made.items() if value is not ...}


def owed(task: Any = 0, rollout: Any = 0, prompt: Any = "What is 2 + 2?", **more: Any) -> Row:
    """A row of the materialized inputs."""
    return row(task=task, rollout=rollout, prompt=prompt, response=..., reward=..., **more)


def as_line(line: Row | str | bytes) -> bytes:
    if isinstance(line, dict):
        line = json.dumps(line)
    return line.encode() if isinstance(line, str) else line


def write(path: Path, lines: Iterable[Row | str | bytes]) -> Path:
    """A file of these lines: rows as JSON, texts and bytes as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(as_line(line) + b"\n" for line in lines))
    return path


def tool_records(*records: Row, **more: Any) -> Row:
    """An `ng_trajectory` with these runs of tools."""
    return {"schema_version": "1.0", "tool_calls": list(records), **more}


def here(**options: Any) -> blade.Options:
    """Options for a scan in this process that keeps nothing."""
    return blade.Options(workers=1, **options)


def ask(store: blade.Store, query: str) -> list[tuple[Any, ...]]:
    return store.sql(query).rows


def facts(path: Path, what: str, **options: Any) -> list[tuple[Any, ...]]:
    """What a `select …` finds in one file, in its order; from its rollouts, where no table is named."""
    query = what if " from " in what else f"{what} from rollouts"
    order = "file, row" + (", step" if " from steps" in query or " from actions" in query else "")
    with blade.load(path, here(**options)) as store:
        return ask(store, f"{query} order by {order}")


def fact(path: Path, what: str, **options: Any) -> Any:
    """The one column of the one row of a file."""
    [[value]] = facts(path, what, **options)
    return value


class Said(NamedTuple):
    """What a command printed, and its exit code."""

    out: str
    err: str
    code: int


def run(*arguments: Any) -> Said:
    """Run `blade` with these arguments in this process."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", ["blade", *map(str, arguments)]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
    return Said(out.getvalue(), err.getvalue(), code)


BLADE = [sys.executable, "-c", "from blade.cli import main; main()"]


def start(*arguments: Any, data: bytes = b"", **environment: str) -> Said:
    """Run `blade` with these arguments in a process of its own."""
    command, known = [*BLADE, *map(str, arguments)], os.environ | environment
    done = subprocess.run(command, input=data, capture_output=True, env=known, timeout=100, check=False)
    return Said(done.stdout.decode(), done.stderr.decode(), done.returncode)
