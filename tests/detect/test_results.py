"""Whether an answer of a tool is an error, and which."""

import json
from typing import Any

import pytest
from msgspec import Raw

from blade.content import text_of
from blade.detect.results import ToolError, error_of

TRACEBACK = (
    'Traceback (most recent call last):\n  File "/app/run.py", line 12, in <module>\n    main()\n'
    '  File "/app/run.py", line 9, in main\n    return rows[4]\n'
)


def judged(answer: Any, arguments: str = '{"id": 3}') -> ToolError | None:
    return error_of(Raw(json.dumps(answer).encode()), arguments)


ERRORS: list[tuple[str, Any]] = [
    ("not found", "Error: customer 31 not found"),
    ("not found", "Error: no entry with id 'evt-1001'"),
    ("not found", {"error": "Flight HX12 does not exist"}),
    ("not found", {"output": json.dumps({"error": "Patient 7 not found."})}),
    ("not found", [{"error": {"code": 404, "message": "no such board"}}]),
    ("not found", "find: '/opt/x': No such file or directory"),
    ("invalid arguments", "calendar_search: date_from must look like a date YYYY-MM-DD, invalid value '4 March'"),
    ("invalid arguments", {"ok": False, "reason": "amount is required"}),
    ("invalid arguments", "ValidationError: 1 validation error for Booking"),
    ("unknown tool", "Error: unknown tool book_room_entry"),
    ("unknown tool", "Tool 'web_search' not found. Available tools: search"),
    ("permission", "Error: permission denied for board 4"),
    ("conflict", {"status": "error", "message": "The slot is already booked"}),
    ("not available", "Error: seat 12A is not available"),
    ("exception", TRACEBACK + "IndexError: list index out of range"),
    ("assertion", TRACEBACK + "AssertionError: expected 4, got 5\n"),
    ("syntax", '  File "<string>", line 1\n    print(3\n         ^\nSyntaxError: \'(\' was never closed\n'),
    ("missing software", "bash: line 1: frobnicate: command not found"),
    ("missing software", TRACEBACK + "ModuleNotFoundError: No module named 'pandas'"),
    ("exception", "lots of output\n" * 200 + TRACEBACK + "NameError: name 'x' is not defined\n"),
    ("exit code", "compiling\nlinking\n\n[exit code: 2]"),
    ("exit code", {"stdout": "compiling", "stderr": "", "exit_code": 3}),
    ("missing software", {"output": "ERROR: No matching distribution found for frob", "exit_code": 1}),
    ("syntax", "Exit code 2\n/bin/bash: line 1: syntax error: unexpected end of file"),
    ("time-out", "TimeoutError: Timed out after 30 seconds."),
    ("not found", "warning: this comes from a cache\nError: there is no such file"),
    ("error", {"is_error": True, "content": "Something went wrong"}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "answer"), ERRORS, ids=lambda value: str(value)[:40])
def test_an_answer_that_is_an_error_is_told_with_its_kind_and_its_words(kind: str, answer: Any) -> None:
    error = judged(answer)
    assert error is not None
    assert error.kind == kind
    assert error.quote in text_of(Raw(json.dumps(answer).encode()))
    assert not error.infrastructure


OUTPUT: list[Any] = [
    "",
    "4",
    "Found 3 entries.",
    "Errors: 0\nWarnings: 2",
    "Failed: 3",
    "Missing values: 4",
    "Missing values are filled with the mean of their column.",
    "- error: the label of a message\n- warning: another",
    "No entries match.",
    "The error budget of the team is 3 % for this quarter.",
    "How to fix the error 'connection refused': restart the service, then try again.",
    "def fail(message):\n    raise ValueError(message)\n",
    "  12  raise KeyError(name)  # an error that callers expect\n  13  return None\n",
    "# Errors\n\nThe function raises TypeError where the argument is missing.",
    "2026-03-04T12:00:00Z [ERROR] queue: request failed\n2026-03-04T12:00:01Z [INFO] queue: mended",
    "src/app.py:12: except ConnectionError as error:\nsrc/app.py:40: raise NotFoundError",
    "Refunds must be requested within 30 days. Tickets that were rejected are not refunded. " * 5,
    {"status": "delivered", "order": 12, "failures": []},
    {"items": [{"name": "error log", "error": None}], "next": None},
    {"output": "ok", "exit_code": 0, "error": None},
    {"errors": [], "success": True},
    {"code": 200, "message": "created"},
    {"result": {"is_error": False, "text": "It failed at first."}, "error": None},
    "compiling\nlinking\n\n[exit code: 0]",
    "HTTP/1.1 404 was the answer that the page explains in its second chapter",
    "if response.status_code != 200:\n    exit(1)\n",
    "grep -c error app.log\n12",
    [1, 2, 3],
    ["error", "warning"],
]


@pytest.mark.parametrize("answer", OUTPUT, ids=lambda value: str(value)[:40])
def test_output_that_speaks_of_errors_is_none(answer: Any) -> None:
    assert judged(answer) is None


def test_a_long_document_of_an_error_page_is_output() -> None:
    page = "Error handling in this service is described below.\n" + "Every call may fail, and says why.\n" * 300
    assert judged(page) is None


def test_a_search_that_finds_nothing_is_no_error_though_its_exit_code_is_one() -> None:
    answer = {"output": "", "exit_code": 1}
    assert judged(answer, '{"command":"grep -rn frob src"}') is None
    assert judged(answer, '{"command":"cd src && git diff --quiet"}') is None
    assert judged(answer, '{"command":"make all"}') == ToolError("exit code", "")


MACHINERY = [
    ("rate limit", "Error: 429 Too Many Requests"),
    ("service down", "503 Service Unavailable: upstream connect error or disconnect"),
    ("connection", "ConnectionResetError: [Errno 104] Connection reset by peer"),
    ("sandbox", "Error: the sandbox was terminated"),
    ("service down", "Service temporarily unavailable. Please retry later."),
    ("service down", "upstream request timeout (504)"),
]


@pytest.mark.parametrize(("kind", "answer"), MACHINERY)
def test_an_error_of_the_machinery_is_told_from_one_of_the_call(kind: str, answer: str) -> None:
    error = judged(answer)
    assert error is not None
    assert (error.kind, error.infrastructure) == (kind, True)


def test_what_a_program_of_the_policy_meets_is_its_own_doing() -> None:
    refused = "ConnectionRefusedError: [Errno 111] Connection refused"
    error = judged(refused, '{"command": "curl http://localhost:8000/health"}')
    assert error is not None
    assert (error.kind, error.infrastructure) == ("network", False)
