"""A corpus of rollouts of realistic size for measuring speed: transcripts of an agent that uses tools.

Rows run from 5 KB to 500 KB (median about 50 KB, mean about 75 KB), most of it the output of tools: source
files, logs, JSON from services, test reports, with the line ends, quotes, escapes and stray non-ASCII text
that real ones have. Deterministic for a seed.

    python -m bench.corpus OUT.jsonl --megabytes 1000
"""

import argparse
import json
import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SMALLEST, MEDIAN, LARGEST = 5_000, 50_000, 500_000
_POOL = 400
_TOOLS = ("read_file", "search", "run_tests", "query_service", "list_files", "edit_file")
_WORDS = [
    "request",
    "response",
    "session",
    "handler",
    "config",
    "worker",
    "retry",
    "limit",
    "index",
    "token",
    "buffer",
    "queue",
    "cache",
    "result",
    "parser",
    "schema",
    "value",
    "error",
    "warning",
    "status",
    "service",
    "record",
    "update",
    "review",
    "branch",
    "commit",
    "module",
    "test",
    "naïve",
    "résumé",
    "世界",
    "Straße",
]


def _source(random_: random.Random) -> str:
    lines = []
    for number in range(random_.randint(20, 220)):
        name, other = random_.choice(_WORDS), random_.choice(_WORDS)
        code = f'{name}_{other} = self.{other}["{name}"].get({number}, "{other}")  # {name} {other}'
        lines.append(f"{number + 1:5d}  {'    ' * random_.randint(0, 3)}{code}")
    return "\n".join(lines)


def _log(random_: random.Random) -> str:
    lines = []
    for _ in range(random_.randint(10, 90)):
        day, minute, level = random_.randint(1, 28), random_.randint(0, 59), random_.choice(("INFO", "WARN", "DEBUG"))
        where = f"{random_.choice(_WORDS)}.{random_.choice(_WORDS)}"
        said = f"{' '.join(random_.choices(_WORDS, k=9))} took {random_.randint(1, 900)} ms"
        lines.append(f"2026-03-{day:02d}T12:{minute:02d}:07Z [{level}] {where}: {said}")
    return "\n".join(lines)


def _service(random_: random.Random) -> str:
    items = [
        {
            "id": random_.getrandbits(40),
            "name": " ".join(random_.choices(_WORDS, k=4)),
            "score": round(random_.random(), 4),
            "tags": random_.choices(_WORDS, k=3),
            "active": random_.random() < 0.5,
        }
        for _ in range(random_.randint(2, 60))
    ]
    return json.dumps({"items": items, "next": None})


def _report(random_: random.Random) -> str:
    cases = []
    for _ in range(random_.randint(5, 60)):
        name, outcome = random_.choice(_WORDS), random_.choice(("PASSED", "PASSED", "FAILED"))
        cases.append(f"tests/test_{random_.choice(_WORDS)}.py::test_{name} {outcome}")
    bar, failed, passed = "=" * 30, random_.randint(0, 9), random_.randint(1, 60)
    return "\n".join([f"{bar} test session starts {bar}", *cases, f"{failed} failed, {passed} passed"])


def _output(size_left: int, pool: list[str], random_: random.Random) -> str:
    return random_.choice(pool)[: max(40, size_left)]


def _steps(size: int, pool: list[str], random_: random.Random) -> Iterator[dict[str, Any]]:
    """Turns of thought, call and output until the size is reached, then an answer."""
    turn = 0
    while size > 900:
        turn += 1
        thought = " ".join(random_.choices(_WORDS, k=random_.randint(15, 120)))
        if turn % 2:
            yield {
                "id": f"rs_{turn}",
                "summary": [{"text": thought, "type": "summary_text"}],
                "type": "reasoning",
                "encrypted_content": None,
            }
        else:
            yield _message(f"msg_{turn}", thought)
        arguments = {
            "path": f"src/{random_.choice(_WORDS)}/{random_.choice(_WORDS)}.py",
            "line": random_.randint(1, 400),
            "query": thought[:60],
        }
        call_id = f"call_{random_.getrandbits(64):016x}"
        yield {
            "arguments": json.dumps(arguments),
            "call_id": call_id,
            "name": random_.choice(_TOOLS),
            "type": "function_call",
            "id": f"fc_{turn}",
            "status": "completed",
        }
        output = _output(size, pool, random_)
        yield {
            "call_id": call_id,
            "output": output,
            "type": "function_call_output",
            "id": f"fco_{turn}",
            "status": "completed",
        }
        size -= len(output) + len(thought) + 500
    yield _message("msg_last", "The change is made and the tests pass. " + " ".join(random_.choices(_WORDS, k=30)))


def _message(identifier: str, text: str) -> dict[str, Any]:
    part = {"annotations": [], "text": text, "type": "output_text", "logprobs": None}
    return {"id": identifier, "content": [part], "role": "assistant", "status": "completed", "type": "message"}


def _tools() -> list[dict[str, Any]]:
    properties = {
        "path": {"type": "string", "description": "The file."},
        "line": {"type": "integer"},
        "query": {"type": "string"},
    }
    parameters = {"type": "object", "properties": properties, "required": ["path"]}
    return [
        {
            "type": "function",
            "name": name,
            "description": f"{name} in the repository.",
            "parameters": parameters,
            "strict": True,
        }
        for name in _TOOLS
    ]


def rows(seed: int = 1, repeats: int = 8) -> Iterator[bytes]:
    """Endless rows in completion order."""
    random_ = random.Random(seed)
    makers = (_source, _source, _log, _service, _report)
    pool = [random_.choice(makers)(random_) for _ in range(_POOL)]
    tools, count = _tools(), 0
    while True:
        task, repeat = divmod(count, repeats)
        size = min(LARGEST, max(SMALLEST, int(random_.lognormvariate(math.log(MEDIAN), 0.9))))
        yield json.dumps(
            _row(task, repeat, size - 4_000, tools, pool, random_), ensure_ascii=random_.random() < 0.5
        ).encode()
        count += 1


def _row(
    task: int, repeat: int, size: int, tools: list[dict[str, Any]], pool: list[str], random_: random.Random
) -> dict[str, Any]:
    passed = random_.random() < 0.4
    verdict = {
        "reward": float(passed),
        "instance_id": f"repository__{task}",
        "category": _WORDS[task % 7],
        "difficulty": ("easy", "medium", "hard")[task % 3],
        "resolved": passed,
        "mask_sample": False,
        "error_kind": None,
        "agent_timed_out": False,
        "agent_run_time": random_.random() * 400,
        "patch": f"diff --git a/x b/x\n+{task}\n" * 20,
        "tests_passed": random_.randint(0, 30),
        "tests_total": 30,
        "verifier_metadata": {"base": "main", "tests": ["test_a", "test_b"], "weight": 1.0},
        "failure_reason": "none" if passed else "test_failure",
    }
    return {
        "_ng_task_index": task,
        "_ng_rollout_index": repeat,
        "agent_ref": {"type": "responses_api_agents", "name": "coder_agent"},
        "responses_create_params": _request(task, tools),
        "response": _response(task, repeat, size, tools, list(_steps(size, pool, random_))),
        **verdict,
    }


def _request(task: int, tools: list[dict[str, Any]]) -> dict[str, Any]:
    prompt = [
        {"role": "system", "content": "You work in a repository. " * 20, "type": "message"},
        {"role": "user", "content": f"Task {task}: mend the {_WORDS[task % 20]}.", "type": "message"},
    ]
    sampling = {"temperature": 0.7, "top_p": 0.95, "max_output_tokens": 8192, "reasoning": None}
    echo = {"parallel_tool_calls": True, "tool_choice": "auto", "instructions": None, "metadata": None}
    return {"input": prompt, "tools": tools, **sampling, **echo}


def _response(
    task: int, repeat: int, size: int, tools: list[dict[str, Any]], steps: list[dict[str, Any]]
) -> dict[str, Any]:
    given, made = size // 4, size // 36
    usage = {
        "input_tokens": given,
        "output_tokens": made,
        "total_tokens": given + made,
        "input_tokens_details": {"cached_tokens": given // 2},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    return {
        "id": f"resp_{task}_{repeat}",
        "created_at": 1.77e9 + task,
        "model": "simulated-coder",
        "object": "response",
        "status": None,
        "error": None,
        "incomplete_details": None,
        "output": steps,
        "tools": tools,
        "temperature": 0.7,
        "usage": usage,
    }


def write(path: Path, megabytes: float, seed: int = 1) -> int:
    """Write about `megabytes` of rows; the number of rows."""
    written, count = 0, 0
    with path.open("wb") as file:
        for row in rows(seed):
            if written >= megabytes * 1e6:
                break
            written += file.write(row + b"\n")
            count += 1
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(f"{write(arguments.out, arguments.megabytes, arguments.seed)} rows in {arguments.out}")


if __name__ == "__main__":
    main()
