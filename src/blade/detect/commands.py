"""What a call runs, and whether that is a test of the work: recognised by the content of its arguments."""

import re
from functools import lru_cache
from typing import Any, Final

COMMAND_KEYS: Final = frozenset(
    ("command", "cmd", "commands", "script", "code", "bash", "shell", "keystrokes", "source", "program", "stdin", "line", "snippet", "python", "input", "args", "argv", "run", "exec")
)  # fmt: skip
"""Arguments that are run."""
_LONGEST_READ: Final = 20_000
_MOST_KEYS: Final = 40
"""Arguments that a call of a tool that runs something has at most."""

_RUNNER: Final = r"(?:(?:poetry|uv|pipenv|hatch|pdm|conda|rye) run |npx |yarn |pnpm |bundle exec |sudo |time |timeout [\d.]+[smh]? |env |xvfb-run |\w+=[^\s\"]{0,80} |coverage run -m |coverage run )"
_TEST_PROGRAM: Final = (
    r"(?:py\.?test|python[\d.]* -m (?:pytest|unittest|nose2?|doctest|tox)|tox|nox|nose2?tests?|unittest|npm (?:run )?(?:test|t)|yarn (?:run )?test|pnpm (?:run )?test"
    r"|jest|vitest|mocha|ava|karma|cypress run|playwright test|go test|cargo (?:nextest|test)|make (?:-\w+ )?(?:test|check|verify)\w*|mvn (?:-\w+ )*(?:test|verify)"
    r"|(?:\./)?gradlew? \w{0,30}(?:test|check)|dotnet test|ctest|rspec|phpunit|(?:\./)?vendor/bin/phpunit|rake (?:test|spec)|mix test|swift test|stack test|cabal test|lein test|sbt \w*test|bazel test|deno test|bun test"
    r"|python[\d.]* (?:-\w+ )*\S{0,120}(?:manage\.py test|runtests\.py|tests?/\S{0,80}\.py|test_\w{1,80}\.py|\w{1,80}_tests?\.py)|(?:ba|z)?sh \S{0,80}tests?\S{0,40}\.sh|\./\S{0,80}tests?\S{0,40}\.sh|ruby \S{0,80}_(?:test|spec)\.rb|node (?:--test\b|\S{0,80}\.?tests?\.[cm]?js))"
)
_TEST_RUN: Final = re.compile(
    rf"(?:^|[;&|(\n`]|\bthen|\bdo)[ \t]{{0,8}}(?:{_RUNNER}){{0,4}}(?:\S{{0,80}}/)?{_TEST_PROGRAM}(?![\w-])"
)
_TEST_STEM: Final = re.compile(r"test|nox|tox|check|verify|spec|mocha|jest|cypress|ava\b|karma|doctest")
"""One of these stands in every test run: most commands are passed over by one quick look."""

_ASSERTS: Final = re.compile(
    r"^[ \t]{0,20}(?:assert\b|self\.assert\w|(?:np|numpy)\.testing\.assert\w|console\.assert\()", re.MULTILINE
)

_READS: Final = re.compile(
    r"\s*(?:cd [^&;\n]{1,200}(?:&&|;)\s*)?(?:cat|head|tail|less|more|grep|rg|sed -n|find|ls|awk|wc|echo)\b"
)

_TEST_PARTS: Final = frozenset(("test", "tests", "pytest", "unittest", "unittests", "testsuite"))
_OTHER_PARTS: Final = frozenset(
    ("write", "create", "add", "list", "read", "get", "edit", "generate", "search", "delete", "find", "update", "results", "result", "show", "order", "book", "schedule", "drive", "lab")
)  # fmt: skip
_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def command_of(value: Any) -> str:
    """The text that a call with these decoded arguments has run; empty where it runs nothing that shows."""
    if isinstance(value, str):
        return value[:_LONGEST_READ]
    if not isinstance(value, dict):
        return ""
    keys = command_keys(tuple(value))
    return "\n".join(filter(None, (_joined(value[key]) for key in keys)))[:_LONGEST_READ] if keys else ""


@lru_cache(maxsize=5_000)
def command_keys(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the names of arguments under which something stands that is run."""
    return tuple(key for key in keys if key.lower() in COMMAND_KEYS) if len(keys) <= _MOST_KEYS else ()


def _joined(part: Any) -> str:
    """A command as a text, a list of words or a list of commands."""
    if isinstance(part, str):
        return part
    if isinstance(part, list) and part and all(isinstance(word, str) for word in part[:50]):
        words = part[2:] if len(part) > 2 and part[1] in ("-c", "-lc", "-ec") else part
        return " ".join(words[:200])
    if isinstance(part, list):
        return "\n".join(text for each in part[:50] if isinstance(each, dict) and (text := command_of(each)))
    return ""


def runs_tests(command: str) -> bool:
    """Whether a command runs tests."""
    return bool(_TEST_STEM.search(command)) and bool(_TEST_RUN.search(command))


def asserts(command: str) -> re.Match[str] | None:
    """The first assertion of a program that the model wrote."""
    return _ASSERTS.search(command) if "assert" in command else None


def only_reads(command: str) -> bool:
    """Whether a command only shows what is there."""
    return bool(_READS.match(command))


@lru_cache(maxsize=10_000)
def is_test_tool(name: str) -> bool:
    """Whether a tool's name says that it runs tests."""
    parts = frozenset(part.lower() for part in _PART.findall(name[:200]))
    return bool(parts & _TEST_PARTS) and not parts & _OTHER_PARTS
