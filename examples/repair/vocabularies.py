"""How the repair can look: as a workbench of tools for files, or as a terminal with an editor."""

import json
from typing import Any

from examples.theatre.phrases import CURT, PLAIN
from examples.theatre.vocabulary import Arguments, Vocabulary


def _text(value: dict[str, Any]) -> str:
    """Write an answer as plain text, the outcome of tests in the manner of pytest."""
    if "tests" in value:
        return _pytest(value["tests"])
    if "content" in value:
        return str(value["content"])
    if "changed" in value:
        return f"The file {value['changed']} was changed."
    return "\n".join(value.get("files", value.get("matches", ()))) or "nothing found"


def _pytest(tests: list[dict[str, Any]]) -> str:
    failed = [test for test in tests if test["message"]]
    marks = "".join("F" if test["message"] else "." for test in tests)
    told = [f"FAILED {test['path']}::{test['name']} - {test['message']}" for test in failed]
    counts = [f"{len(failed)} failed"] if failed else []
    counts += [f"{len(tests) - len(failed)} passed"] if len(tests) > len(failed) else []
    return "\n".join([f"{marks}  [100%]", *told, f"{', '.join(counts)} in 0.03s"])


WORKBENCH = Vocabulary(
    "workbench",
    {
        **PLAIN,
        "system": (
            "You are a programmer. You work on a repository with the tools alone. Mend what is asked with as small a "
            "change as you can, run the tests before you finish, and close with a short message."
        ),
        "prompt": (
            "In the package {package}, {function} in {path} is wrong: {call} should be {expected}. "
            "Please find the defect and mend it."
        ),
        "tool: not_found": "there is no file {id}",
        "tool: no_match": "the text occurs {count} times in {path}, it has to occur once",
        "verifier: test too slow": "TimeoutError: no result after 5 seconds",
        "voice: found nothing": "There is nothing to be found, so I stop here.",
    },
    answer=_text,
    error=lambda kind, message: f"Error: {message}",
    fields={"task_id": "instance_id"},
)


def _console(value: dict[str, Any]) -> str:
    """Write an answer as what a shell returns, the outcome of tests in the manner of unittest."""
    if "tests" in value:
        bad = any(test["message"] for test in value["tests"])
        return json.dumps({"returncode": int(bad), "stdout": "", "stderr": _unittest(value["tests"])})
    return json.dumps({"returncode": 0, "stdout": _text(value) if "changed" not in value else "ok", "stderr": ""})


def _unittest(tests: list[dict[str, Any]]) -> str:
    failed = [test for test in tests if test["message"]]
    blocks = [
        f"{'=' * 40}\nFAIL: {test['name']} ({test['path'].removesuffix('.py').replace('/', '.')})\n{'-' * 40}\n"
        f"{test['message']}\n"
        for test in failed
    ]
    verdict = f"FAILED (failures={len(failed)})" if failed else "OK"
    return f"{''.join(blocks)}{'-' * 40}\nRan {len(tests)} tests in 0.002s\n\n{verdict}\n"


def _given(arguments: Arguments, **shown: str) -> Arguments:
    """Rename the keys of those arguments that are there."""
    return {shown.get(key, key): value for key, value in arguments.items()}


TERMINAL = Vocabulary(
    "terminal",
    {
        **CURT,
        "system": (
            "Environment: a checked-out project and a shell. Steps: reproduce the problem, fix the source, run the "
            "test suite again, report. Do not touch the tests."
        ),
        "prompt": (
            "Bug report for `{package}`\n\nCalling `{call}` does not give `{expected}`. The function lives in "
            "`{path}`. Fix it."
        ),
        "tool: not_found": "cat: {id}: No such file or directory",
        "tool: no_match": "edit failed: {count} occurrences of the given text in {path}",
        "verifier: test too slow": "killed after 5s",
        "voice: found nothing": "Nothing matches. Stopping here.",
    },
    tools={
        "list_files": "bash",
        "read_file": "bash",
        "search_text": "bash",
        "run_tests": "bash",
        "replace_text": "str_replace_editor",
    },
    renderings={
        "list_files": lambda arguments: {"command": "find . -type f | sort"},
        "read_file": lambda arguments: {"command": f"cat {arguments['path']}"},
        "search_text": lambda arguments: {"command": f"grep -rn '{arguments['text']}' ."},
        "run_tests": lambda arguments: {"command": "python -m unittest discover -s tests"},
        "replace_text": lambda arguments: _given(arguments, path="file_path", old="old_str", new="new_str"),
    },
    declared={
        "bash": {
            "description": "Run a command in the shell of the project.",
            "parameters": {
                "type": "object",
                "properties": {"command": {"type": "string", "description": "the command line"}},
                "required": ["command"],
                "additionalProperties": False,
            },
        },
        "str_replace_editor": {
            "description": "Edit a file: put a new text in the place of an old one.",
            "parameters": {
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "description": "the file"},
                    "old_str": {"type": "string", "description": "what stands there"},
                    "new_str": {"type": "string", "description": "what shall stand there"},
                },
                "required": ["file_path", "old_str", "new_str"],
                "additionalProperties": False,
            },
        },
    },
    answer=_console,
    error=lambda kind, message: json.dumps({"returncode": 1, "stdout": "", "stderr": message}),
    fields={
        "task_id": "id",
        "repo": "project",
        "category": "area",
        "difficulty": "grade",
        "problem_statement": "issue",
        "patch": "model_diff",
        "patch_exists": "has_diff",
        "resolved": "all_green",
        "tests_status": "outcome_by_test",
        "test_report": "verifier_log",
        "finished_naturally": None,
        "turns_used": "steps_taken",
        "agent_timed_out": "hit_deadline",
        "agent_run_time": "seconds",
        "verifier_error": "evaluation_error",
        "error_message": "sandbox_message",
    },
    task_id="{family}__{index:03d}",
)
