"""Changes to files, recognised by what a call's arguments hold: a path beside a new text, a patch, a redirection."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

_PATH_KEYS: Final = frozenset(
    (
        "path",
        "file",
        "filename",
        "filepath",
        "target",
        "targetfile",
        "relativepath",
        "notebookpath",
        "absolutepath",
        "filetoedit",
        "document",
    )
)
_NEW_KEYS: Final = frozenset(
    ("newstr", "newstring", "newtext", "content", "contents", "filetext", "text", "replacement", "replace", "replacewith", "insert", "inserttext", "patch", "diff", "code", "source",
     "updated", "after", "edits", "newcontent", "newcode", "body", "data", "newlines", "replacewithtext", "modified", "newsource", "newvalue")
)  # fmt: skip
_NEW_BEGINS: Final = ("new", "replac", "insert", "updated")
_OLD_KEYS: Final = frozenset(
    (
        "oldstr",
        "oldstring",
        "oldtext",
        "search",
        "find",
        "before",
        "original",
        "oldcode",
        "oldcontent",
        "pattern",
        "startline",
        "insertline",
        "edits",
        "lineno",
        "linenumber",
    )
)
_MOST_KEYS: Final = 40
_A_FILE: Final = re.compile(r"[\w.~@+$/\\-]{0,250}[\w-]\.[A-Za-z]\w{0,9}")
_PATCHED: Final = re.compile(r"^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b/)?)([^\s\t]{1,250})", re.MULTILINE)
_PATCH_WORDS: Final = ("*** Begin Patch", "diff --git ", "*** Update File", "*** Add File", "\n+++ ")
_SHELL_WRITES: Final = re.compile(
    r"(?:cat|tee)[^\n|;&<>]{0,80}(?:>{1,2} {0,3}|tee (?:-a )?)([\w./~$-]{1,200}) {0,3}<<|(?:cat|tee)[^\n|;&<>]{0,80}<<-? ?['\"]?\w{1,30}['\"]? {0,3}>{1,2} {0,3}([\w./~$-]{1,200})"
    r"|\bsed (?:-\w+ )*-i[^\n;&|]{0,400}? ([\w./~-]{1,200}\.\w{1,8})\b|\b(?:git apply|patch -p\d)\b([^\n;&|]{0,200})|\bperl -[a-z]*i[^\n;&|]{0,400}? ([\w./~-]{1,200}\.\w{1,8})\b"
)
_SHELL_STEMS: Final = ("<<", "sed ", "git apply", "patch -p", "perl -")
_CODE: Final = re.compile(
    r"\.(?:py|pyx|js|jsx|ts|tsx|mjs|cjs|go|rs|java|kt|scala|c|cc|cpp|cxx|h|hpp|cs|rb|php|swift|m|lua|pl|jl|hs|ml|ex|exs|clj|sh|bash|sql|sv|v|vhd|vue|svelte|r|dart|zig)$",
    re.IGNORECASE,
)

TEST_FILE: Final = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|specs?|test_data|testdata)/|(?:^|/)(?:test_[^/]{1,80}|[^/]{1,80}_tests?|[^/]{1,80}[._-](?:test|spec)|conftest)\.\w{1,5}$",
    re.IGNORECASE,
)
"""Paths of tests, by the habits of the languages."""

VERIFIER_FILE: Final = re.compile(
    r"(?:^|[/_.-])(?:verifier|verify|verification|grader|grading|grade|judge|scorer|scoring|reward|evaluator|evaluate|autograder|answer_?keys?|gold|ground_?truth|expected_?(?:output|answer|result)s?)"
    r"(?:[_-][\w-]{1,40})?(?:\.\w{1,8}$|/)|(?:^|/)run_tests\.sh$|(?:^|/)reward\.txt$",
    re.IGNORECASE,
)  # fmt: skip
"""Paths of what gives the reward, by their names."""


def may_name_verifier(paths: str) -> bool:
    """Whether paths hold a part of any word of `VERIFIER_FILE`: one quick look."""
    lowered = paths.lower()
    return (
        "verif" in lowered
        or "grad" in lowered
        or "judge" in lowered
        or "scor" in lowered
        or "reward" in lowered
        or "evaluat" in lowered
        or "answer" in lowered
        or "gold" in lowered
        or "ground" in lowered
        or "expected" in lowered
        or "run_tests" in lowered
    )


class Edit(NamedTuple):
    """A change that a call makes to files."""

    paths: tuple[str, ...]
    """Empty where it does not show which."""
    text: str
    """What is written."""
    changes: bool
    """Whether it changes what was there, rather than writing a file whole."""

    @property
    def is_code(self) -> bool:
        return any(_CODE.search(path) for path in self.paths)


def edit_of(value: Any, command: str) -> Edit | None:
    """The change that a call with these arguments makes; `command` is what it runs, if it runs anything."""
    if command and any(stem in command for stem in _SHELL_STEMS):
        edit = _patch_in(command) or _shell_edit(command)
        if edit:
            return edit
    if isinstance(value, str):
        return _patch_in(value)
    return _edit_in(value) if isinstance(value, dict) else None


class _Keys(NamedTuple):
    """What the names of arguments say that they hold."""

    path: tuple[str, ...]
    new: frozenset[str]
    changes: bool


@lru_cache(maxsize=5_000)
def _keys_of(keys: tuple[str, ...]) -> _Keys | None:
    """The parts that arguments of these names may have in a change of a file; None where there are too many."""
    if len(keys) > _MOST_KEYS:
        return None
    names = {key: key.replace("_", "").replace("-", "").lower() for key in keys}
    new = frozenset(key for key, name in names.items() if name in _NEW_KEYS or name.startswith(_NEW_BEGINS))
    return _Keys(
        tuple(key for key, name in names.items() if name in _PATH_KEYS),
        new,
        any(name in _OLD_KEYS or name.startswith("old") for name in names.values()),
    )


def may_edit(keys: tuple[str, ...]) -> bool:
    """Whether arguments of these names may change a file without a text of several lines."""
    found = _keys_of(keys)
    return found is not None and bool(found.new)


def path_keys(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Those of these names of arguments under which the path of a file stands."""
    found = _keys_of(keys)
    return found.path if found else ()


def _edit_in(value: dict[str, Any]) -> Edit | None:
    keys = _keys_of(tuple(value))
    if keys is None:
        return None
    text = ""
    for key, part in value.items():
        if type(part) is str:
            if len(part) > len(text) and key not in keys.path and (key in keys.new or "\n" in part):
                text = part
        elif key in keys.new and isinstance(part, list):
            text = text or " "
    if not text:
        return None
    path = next((value[key] for key in keys.path if _is_path(value[key])), "")
    path = path or next((part for part in value.values() if part is not text and _is_path(part)), "")
    if patch := _patch_in(text):
        return patch._replace(paths=patch.paths or (path,))
    return Edit((path,), text, keys.changes) if path else None


def _is_path(part: Any) -> bool:
    return isinstance(part, str) and len(part) <= 300 and bool(_A_FILE.fullmatch(part))


def _patch_in(text: str) -> Edit | None:
    if not any(word in text for word in _PATCH_WORDS):
        return None
    paths = tuple(dict.fromkeys(match[1] for match in _PATCHED.finditer(text)))
    return Edit(paths, text, "*** Add File" not in text or "*** Update File" in text) if paths else None


def _shell_edit(command: str) -> Edit | None:
    found = list(_places(command))
    if not found:
        return None
    return Edit(tuple(dict.fromkeys(filter(None, found))), command, "<<" not in command)


def _places(command: str) -> Iterator[str]:
    for match in _SHELL_WRITES.finditer(command):
        place = next((group for group in match.groups() if group is not None), "")
        if not place.startswith("/dev/"):
            yield place.strip()
