"""What the model did to check its own work, and what it said of it."""

import json
from typing import Any

import pytest

from tests.building import message, row
from tests.detect.reading_rows import acted, details, names, offering, shown, steps, tool

PASSED = "tests/test_a.py ....   [100%]\n\n===== 4 passed in 0.12s ====="
FAILED = "tests/test_a.py ..F.   [100%]\n\n===== 1 failed, 3 passed in 0.15s ====="


def ran(command: str, answer: Any, key: str = "command") -> tuple[str, Any, Any]:
    return "shell", json.dumps({key: command}), answer


def wrote(path: str = "src/app.py", **more: Any) -> tuple[str, Any, Any]:
    return "change", json.dumps({"path": path, "old_text": "a = 1", "new_text": "a = 2", **more}), "written"


RUNS = [
    ("pytest -q", PASSED, "4 passed"),
    ("cd app && python -m pytest tests/test_a.py -x 2>&1 | tail -5", PASSED, "4 passed"),
    ("poetry run pytest", {"output": PASSED, "exit_code": 0}, "4 passed"),
    ("python3 -m unittest", "Ran 3 tests in 0.01s\n\nOK\n", "OK"),
    ("python -m unittest", {"returncode": 0, "stdout": "", "stderr": "Ran 3 tests in 0.01s\n\nOK\n"}, "OK"),
    ("npm test", "Tests:       7 passed, 7 total\nTime: 2 s", "7 passed"),
    ("go test ./...", "ok  \texample.org/app\t0.03s\n", "ok  \texample.org/app\t0.03s"),
    ("cargo test", "test result: ok. 5 passed; 0 failed; 0 ignored", "5 passed"),
    ("make check", "All 12 tests passed", "12 tests passed"),
]


@pytest.mark.parametrize(("command", "answer", "quote"), RUNS, ids=lambda value: str(value)[:30])
def test_a_test_run_that_passes_is_evidence_with_its_words(command: str, answer: Any, quote: str) -> None:
    found = [each for each in shown(acted(ran(command, answer))) if each.name == "self-check passed"]
    assert [(each.signal.step, each.signal.quote) for each in found] == [(1, quote)]
    assert "self-check failed" not in names(acted(ran(command, answer)))


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("pytest", FAILED),
        ("python -m unittest", "Ran 3 tests in 0.01s\n\nFAILED (failures=1)"),
        ("go test ./...", "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.org/app\t0.1s"),
        ("cargo test", "test result: FAILED. 4 passed; 1 failed"),
        ("npx jest", "Tests: 2 failed, 5 passed, 7 total"),
        ("make test", "make: *** [Makefile:3: test] Error 2"),
        ("pytest", {"stdout": "", "stderr": "boom", "exit_code": 4}),
    ],
    ids=str,
)
def test_the_last_test_run_that_fails_is_told(command: str, answer: Any) -> None:
    assert "self-check failed" in names(acted(ran("pytest", PASSED), ran(command, answer)))


def test_tests_that_fail_are_no_error_of_the_tool_that_ran_them() -> None:
    failed = {"returncode": 1, "stdout": "", "stderr": "FAIL: test_a\nRan 3 tests in 0.01s\n\nFAILED (failures=1)\n"}
    assert "tool error" not in names(acted(ran("python -m unittest", failed)))


def test_a_failure_that_was_mended_is_no_failed_check() -> None:
    made = acted(ran("pytest", FAILED), wrote(), ran("pytest", PASSED))
    assert "self-check failed" not in names(made)
    assert steps(made, "self-check passed") == [5]


def test_a_tool_that_runs_tests_by_its_name_is_a_test_run() -> None:
    assert "self-check passed" in names(acted(("run_tests", "{}", "9 passed, 0 failed")))
    assert "self-check failed" in names(acted(("executeUnitTests", "{}", "2 failed, 7 passed")))
    assert names(acted(("list_tests", "{}", "2 failed, 7 passed"))) == set()
    assert names(acted(("order_lab_test", "{}", "1 failed"))) == set()


def test_assertions_in_a_program_are_a_check() -> None:
    code = "def f(a):\n    return a + 1\n\nassert f(3) == 4"
    raised = 'Traceback (most recent call last):\n  File "<cell>", line 4, in <module>\nAssertionError'
    assert details(acted(("python", json.dumps({"code": code}), "done, no output")), "self-check passed") == [
        "assertions"
    ]
    assert details(acted(("python", json.dumps({"code": code}), raised)), "self-check failed") == ["assertions"]
    broken = raised.replace("AssertionError", "NameError: name 'g' is not defined")
    assert not {"self-check passed", "self-check failed"} & names(acted(("python", json.dumps({"code": code}), broken)))


@pytest.mark.parametrize(
    "exchange",
    [
        ("read_file", '{"path": "ci.log"}', FAILED),
        ("shell", '{"command": "cat ci.log"}', FAILED),
        ("shell", '{"command": "grep -rn pytest setup.cfg"}', "1 failed"),
        ("search", '{"query": "pytest"}', "3 failed attempts to install pytest were reported"),
        ("shell", '{"command": "ls tests"}', "test_a.py\ntest_b.py"),
        (
            "write_file",
            '{"path": "tests/test_a.py", "content": "import pytest\\n\\ndef test_a():\\n    assert True"}',
            "ok",
        ),
        ("shell", '{"command": "pip install pytest"}', "1 failed mirror, OK"),
    ],
    ids=str,
)
def test_logs_searches_listings_and_writing_tests_are_no_test_runs(exchange: tuple[str, str, str]) -> None:
    assert not {"self-check passed", "self-check failed"} & names(acted(exchange))


def test_tests_that_never_ran_have_no_outcome() -> None:
    made = acted(ran("python -m pytest", "/usr/bin/python: No module named pytest"))
    assert "self-check failed" not in names(made)
    assert "tool error" in names(made)


def test_claiming_success_after_a_failure_is_told() -> None:
    made = acted(wrote(), ran("pytest", FAILED), closing="The bug is fixed. All tests pass now.")
    assert details(made, "success claimed") == ["own check failed"]
    made = acted(("book", "{}", "Error: id is required"), closing="Your room has been booked.")
    assert (details(made, "success claimed"), steps(made, "success claimed")) == (["book failed"], [2])


@pytest.mark.parametrize(
    "closing",
    [
        "The bug is fixed, but one test still fails.",
        "I could not book the room: the tool gave an error.",
        "Unfortunately the room was not booked.",
        "Which room do you want?",
    ],
)
def test_admitting_trouble_claims_no_success(closing: str) -> None:
    assert "success claimed" not in names(acted(("book", "{}", "Error: id is required"), closing=closing))


def test_claiming_success_after_success_is_fine() -> None:
    made = acted(
        ("book", "{}", "Error: id is required"), ("book", '{"id": 1}', "booked"), closing="It has been booked."
    )
    assert "success claimed" not in names(made)
    assert "success claimed" not in names(acted(ran("pytest", FAILED), ran("pytest", PASSED), closing="It is fixed."))
    assert "success claimed" in names(acted(wrote(), ran("pytest", FAILED), closing="The function is mended."))


EDITS = [
    wrote(),
    ("edit", json.dumps({"path": "src/app.py", "content": "a = 1\nb = 2\n"}), "ok"),
    ("revise", json.dumps({"document": "src/app.py", "with": "a = 1\nb = 2\n"}), "ok"),
    (
        "apply_patch",
        json.dumps({"patch": "*** Begin Patch\n*** Update File: src/app.py\n@@\n-a\n+b\n*** End Patch"}),
        "ok",
    ),
    ("shell", json.dumps({"command": "cat > src/app.py <<'EOF'\na = 2\nEOF"}), "ok"),
    ("shell", json.dumps({"command": "sed -i 's/a = 1/a = 2/' src/app.py"}), "ok"),
]


@pytest.mark.parametrize("edit", EDITS, ids=lambda value: value[0])
def test_code_that_was_changed_last_and_never_run_is_told(edit: tuple[str, Any, Any]) -> None:
    before = ran("ls", "src")
    assert details(acted(before, edit), "edits never checked") == ["src/app.py"]
    assert "edits never checked" not in names(acted(before, edit, ran("python src/app.py", "4")))


@pytest.mark.parametrize(
    "made",
    [
        acted(wrote()),
        acted(ran("ls", "src"), wrote("notes.md")),
        acted(
            ran("ls", "src"), ("mail", json.dumps({"to": "a@example.org", "body": "Dear all,\nit is done."}), "sent")
        ),
        acted(ran("ls", "src"), ("read", json.dumps({"path": "src/app.py", "line": 3}), "a = 1\nb = 2")),
        acted(ran("ls", "src"), ("change", json.dumps({"path": "src/app.py", "new_text": "a"}), "Error: no such file")),
        acted(ran("ls", "src"), ran("cat > src/a.py <<'EOF'\na\nEOF\npython src/a.py", "a")),
    ],
    ids=["no way to run", "no code", "a mail", "reading", "an error", "run at once"],
)
def test_what_changes_no_code_or_cannot_be_run_needs_no_check(made: Any) -> None:
    assert "edits never checked" not in names(made)


def test_a_tool_that_runs_tests_is_a_way_to_run() -> None:
    checked = ("run_tests", "{}", FAILED)
    assert "edits never checked" in names(acted(checked, wrote()))
    assert "edits never checked" not in names(acted(checked, wrote(), checked))


def test_a_tool_that_takes_commands_is_a_way_to_run_though_it_was_never_called() -> None:
    shell = tool("shell", command={"type": "string"})
    change = tool("change", path={"type": "string"}, old_text={"type": "string"}, new_text={"type": "string"})
    assert "edits never checked" in names(acted(wrote(), **offering(shell, change)))


def test_a_rollout_without_calls_has_no_checks() -> None:
    assert names(row(message("I ran pytest: 4 passed in 0.1s. All tests pass."))) == set()
