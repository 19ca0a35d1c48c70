"""A small repository of Python modules in memory: files that can change, and tests that really run.

Only code that the examples themselves wrote is executed, and it reaches nothing but the repository:
neither other modules nor any built-in function that touches the world outside.
"""

import builtins
import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

_ERRORS = "AssertionError Exception IndexError KeyError TypeError ValueError ZeroDivisionError"
_TYPES = "bool dict float int list set str tuple"
_FUNCTIONS = "abs all any divmod enumerate isinstance len max min range repr reversed round sorted sum zip"
SAFE = f"{_ERRORS} {_TYPES} {_FUNCTIONS}".split()
"""The built-in names that code in a repository has."""


@dataclass(frozen=True, slots=True)
class TestResult:
    """How one test function ended; `message` is None where it passed."""

    __test__ = False

    name: str
    message: str | None

    @property
    def passed(self) -> bool:
        return self.message is None


@dataclass(slots=True)
class Repository:
    """Files by path, as they were and as they are."""

    origin: Mapping[str, str]
    files: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.files = dict(self.origin)

    def patch(self) -> str:
        """Return all changes as a unified diff."""
        return "".join(_file_diff(path, self.origin.get(path, ""), text) for path, text in sorted(self.files.items()))

    def run(self, test_path: str) -> tuple[TestResult, ...]:
        """Run the tests in a file of the repository."""
        return self.run_source(self.files[test_path])

    def run_source(self, tests: str) -> tuple[TestResult, ...]:
        """Run tests that need not be in the repository."""
        modules = tuple(sorted((path, text) for path, text in self.files.items() if path.endswith(".py")))
        return _run(modules, tests)


def _file_diff(path: str, before: str, after: str) -> str:
    old, new = (text.splitlines(keepends=True) for text in (before, after))
    return "".join(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}"))


@lru_cache(maxsize=4096)
def _run(modules: tuple[tuple[str, str], ...], tests: str) -> tuple[TestResult, ...]:
    loader = _Loader(dict(modules))
    try:
        names = loader.execute(tests, "tests")
    except Exception as error:  # noqa: BLE001  the code under test may raise anything
        return (TestResult("collection", f"{type(error).__name__}: {error}"),)
    return tuple(_results(names))


def _results(names: Mapping[str, Any]) -> Iterator[TestResult]:
    for name, function in names.items():
        if name.startswith("test_"):
            try:
                function()
            except Exception as error:  # noqa: BLE001  the code under test may raise anything
                yield TestResult(name, f"{type(error).__name__}: {error}")
            else:
                yield TestResult(name, None)


class _Loader:
    """Executes modules of a repository for those that import them, and nothing else."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._loaded: dict[str, SimpleNamespace] = {}

    def execute(self, source: str, name: str) -> dict[str, Any]:
        safe = {known: getattr(builtins, known) for known in SAFE}
        names: dict[str, Any] = {"__name__": name, "__builtins__": {**safe, "__import__": self._import}}
        exec(compile(source, name, "exec"), names)
        return names

    def _import(self, name: str, *_: Any) -> SimpleNamespace:
        if name not in self._loaded:
            source = self._sources.get(f"{name.replace('.', '/')}.py")
            if source is None:
                raise ImportError(f"no module named {name}")
            self._loaded[name] = SimpleNamespace(**self.execute(source, name))
        return self._loaded[name]
