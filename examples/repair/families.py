"""The families of repairs: one for each kind of defect, put into a repository under names that are drawn."""

import random
from dataclasses import dataclass
from functools import partial

from examples.repair.defects import DEFECTS, Defect, source_of_tests, special_cased
from examples.theatre.script import Script, act, look
from examples.theatre.tasks import Draft, Families, Family

PACKAGES = ("acorn", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath", "islet", "juniper", "kelp", "larch")
MODULES = ("core", "basics", "shaping", "rules", "helpers", "figures", "handling", "parts", "lists", "values")
CATEGORIES = {
    "pages": ("numbers", "easy"),
    "clamp": ("numbers", "easy"),
    "dedupe": ("collections", "medium"),
    "slug": ("text", "medium"),
    "median": ("numbers", "medium"),
    "overlap": ("collections", "hard"),
    "chunk": ("collections", "medium"),
    "cents": ("numbers", "hard"),
    "initials": ("text", "medium"),
    "leap": ("numbers", "medium"),
    "merge": ("collections", "hard"),
}
LOG = "logs/build.log"
CASES = ".grading/cases.py"

_OTHER = '''"""What has to do with opening hours."""


def is_open(hour):
    """Tell whether there is anybody in at an hour."""
    return 9 <= hour < 17
'''
_ERRORS = '''"""The errors of this package."""


class PackageError(Exception):
    """Any error that this package raises on purpose."""


class FormatError(PackageError):
    """An error in the format of what was passed in."""
'''


@dataclass(frozen=True, slots=True)
class Job:
    """One repair: the files, where the defect is, and the tests of the repository and of the verifier."""

    files: dict[str, str]
    path: str
    function: str
    test_path: str
    hidden_tests: str
    defect: Defect

    @property
    def special_case(self) -> str:
        return special_cased(self.defect)


def _log(package: str, stream: random.Random) -> str:
    lines = [f"build of {package} started"]
    for step in range(40):
        kind = stream.choice(("INFO", "INFO", "WARN", "ERROR"))
        lines.append(f"{kind} step {step}: {stream.choice(('cache miss', 'retried', 'error count is 0', 'skipped'))}")
    return "\n".join([*lines, f"build of {package} finished, 0 errors"]) + "\n"


def _module(defect: Defect, function: str) -> str:
    return (
        f'"""A part of the package."""\n\n\ndef {function}({defect.parameters}):\n'
        f'    """See the tests for what is wanted."""\n    {defect.bad}\n\n\n'
        "def share_of(part, whole):\n"
        '    """Return a part as a share of the whole."""\n    return part / whole if whole else 0.0\n'
    )


def _job(defect: Defect, stream: random.Random) -> Job:
    package, module = stream.choice(PACKAGES), stream.choice(MODULES)
    function = stream.choice(defect.names)
    name, path, test_path = f"{package}.{module}", f"{package}/{module}.py", f"tests/test_{module}.py"
    helper = "\n\ndef test_share():\n    assert share_of(1, 4) == 0.25\n"
    own = source_of_tests(name, function, defect.own, "case").replace(
        f"import {function}\n", f"import {function}, share_of\n", 1
    )
    hidden = source_of_tests(name, function, (*defect.own, *defect.hidden), "hidden")
    hidden = hidden.replace(f"import {function}\n", f"import {function}, share_of\n", 1)
    whole = "\n\ndef test_hidden_share():\n    assert (share_of(3, 4), share_of(1, 0)) == (0.75, 0.0)\n"
    files = {
        "README.md": f"# {package}\n\nSmall functions. Tests are in `tests/`.\n",
        f"{package}/__init__.py": "",
        path: _module(defect, function),
        f"{package}/errors.py": _ERRORS,
        f"{package}/hours.py": _OTHER,
        test_path: f"{own}{helper}",
        LOG: _log(package, stream),
        CASES: f"{hidden}{whole}",
    }
    return Job(files, path, function, test_path, f"{hidden}{whole}", defect)


def draw(defect: Defect, stream: random.Random) -> Draft:
    """Draw a repair of one kind of defect."""
    job = _job(defect, stream)
    arguments, expected = defect.own[0]
    details = {
        "package": job.path.partition("/")[0],
        "path": job.path,
        "function": job.function,
        "call": f"{job.function}({', '.join(map(repr, arguments))})",
        "expected": repr(expected),
    }
    moves = (
        look("list_files", "I look at what is there.", {}),
        look("read_file", "Now the module itself.", {"path": job.path}, [(defect.bad, "return result")]),
        look("run_tests", "I want to see it fail.", {}),
        act("replace_text", "I see what is wrong.", {"path": job.path, "old": defect.bad, "new": defect.good}),
        look("run_tests", "The tests again.", {}),
    )
    return Draft(details, Script(moves, f"{job.function} is mended."), setting=job)


FAMILIES = Families()
FAMILIES.families += [Family(defect.kind, *CATEGORIES[defect.kind], partial(draw, defect)) for defect in DEFECTS]
