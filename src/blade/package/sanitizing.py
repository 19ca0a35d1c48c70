"""What must not be shared with a package: found in every file, and taken out where that is asked for.

E-mail addresses under the names that are reserved for examples are nobody's. Others in rollouts are left alone unless
they are named on purpose: benchmarks are full of invented people, and what a verifier compares should not change.
"""

import json
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from blade.artifacts.nemo_gym.names import is_row_file
from blade.package.layout import layout_of
from blade.package.reading import LARGEST_TEXT, is_binary, text_at, trouble_of
from blade.package.rows import LONGEST_ROW, lines_of
from blade.report.redact import Redactor
from blade.report.redaction.rule import EMAIL, Found

_PICTURES: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".ico")
_RESERVED: Final = (".example", ".test", ".invalid", "example.com", "example.org", "example.net")
_LARGEST_DOCUMENT: Final = 10 * LARGEST_TEXT


def is_example(kind: str, value: str) -> bool:
    """Whether an e-mail address is under a name that is reserved for examples."""
    return kind == EMAIL and value.lower().rstrip(".").endswith(_RESERVED)


def _is_email(kind: str, _: str) -> bool:
    return kind == EMAIL


class PrivateFile(NamedTuple):
    """A file of a package, and what is private in it."""

    path: Path
    counts: dict[str, int]
    """How often something of each kind stands in it."""
    first: int = 0
    """The line of the first."""
    trouble: str = ""
    """Why it could not be looked through."""


def look_through(
    files: Iterable[Path], root: Path, *, patterns: Collection[str] = (), emails: bool = False
) -> Iterator[PrivateFile]:
    """What is private in each of some files of a package; links that lead outside are not followed."""
    redactors = _Redactors(patterns, emails)
    for path in files:
        if path.suffix.lower() in _PICTURES or (path.is_symlink() and path.is_dir()):
            continue
        yield _looked_at(path, root, redactors.of(path))


class _Redactors:
    """One for rows, one for documents, both the same to a reader where nothing is spared."""

    def __init__(self, patterns: Collection[str], emails: bool, keep: Collection[str] = ()) -> None:
        own, ids = tuple(patterns), frozenset(keep)
        self._documents = Redactor(own, ids, is_example)
        self._rows = self._documents if emails else Redactor(own, ids, _is_email)

    def of(self, path: Path) -> Redactor:
        return self._rows if is_row_file(path) else self._documents


def _looked_at(path: Path, root: Path, redactor: Redactor) -> PrivateFile:
    trouble = trouble_of(path, root)
    if trouble:
        return PrivateFile(path, {}, trouble="" if trouble == "is empty" else trouble)
    try:
        if not path.name.lower().endswith((".gz", ".zst")) and is_binary(path):
            return PrivateFile(path, {}, trouble="is binary: what it holds cannot be looked through")
        return _counted(path, _found_in(path, root, redactor))
    except (OSError, EOFError, ImportError, ValueError) as error:
        return PrivateFile(path, {}, trouble=f"cannot be read: {error}")


def _counted(path: Path, found: Iterable[tuple[int, Found]]) -> PrivateFile:
    counts: Counter[str] = Counter()
    first = 0
    for line, one in found:
        first = first or line
        counts[one.kind] += 1
    return PrivateFile(path, dict(counts), first)


def _found_in(path: Path, root: Path, redactor: Redactor) -> Iterator[tuple[int, Found]]:
    """What is private, with its line."""
    if is_row_file(path):
        for number, line in lines_of(path):
            yield from ((number, one) for one in redactor.found(_text(line)))
        return
    text, trouble = text_at(path, root, largest=_LARGEST_DOCUMENT)
    if trouble:
        raise ValueError(trouble)
    yield from ((text.count("\n", 0, one.start) + 1, one) for one in redactor.found(text))


def _text(line: bytes) -> str:
    return line[:LONGEST_ROW].decode("utf-8", "replace")


# Taking it out


class Mended(NamedTuple):
    """What was taken out of a package."""

    files: list[Path]
    counts: dict[str, int]
    """How many different things of each kind."""


def sanitize(
    root: Path,
    *,
    patterns: Collection[str] = (),
    keep: Collection[str] = (),
    emails: bool = False,
) -> Mended:
    """Replace what is private in every file of a package by placeholders: the same thing always by the same one.

    `root` may be a single file. Ids in `keep` stay. Pictures, other binary files and links are left as they are.
    """
    redactors = _Redactors(patterns, emails, keep)
    files = [root] if root.is_file() else layout_of(root).files
    base = root.parent if root.is_file() else root
    changed = [path for path in files if _is_text(path, base) and _mended(path, base, redactors.of(path))]
    counts: Counter[str] = Counter()
    for redactor in {id(each): each for each in (redactors.of(path) for path in files)}.values():
        counts.update(redactor.counts)
    return Mended(changed, dict(counts))


def _is_text(path: Path, root: Path) -> bool:
    if path.is_symlink() or trouble_of(path, root) or path.suffix.lower() in _PICTURES:
        return False
    return not path.name.lower().endswith((".gz", ".zst")) and not is_binary(path)


def _mended(path: Path, root: Path, redactor: Redactor) -> bool:
    """Whether a file was written anew without what is private."""
    if next(_found_in(path, root, redactor), None) is None:
        return False
    aside = path.with_name(f".{path.name}.blade-{os.getpid()}")
    try:
        if is_row_file(path):
            with aside.open("wb") as out:
                out.writelines(redacted_row(line, redactor) for _, line in lines_of(path))
        else:
            text = text_at(path, root, largest=_LARGEST_DOCUMENT).text
            aside.write_text(redacted_document(text, redactor), encoding="utf-8")
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
    return True


def redacted_row(line: bytes, redactor: Redactor) -> bytes:
    """A row without what is private; it stays the JSON that it was."""
    text = line.decode("utf-8", "surrogateescape")
    return redacted_document(text, redactor).encode("utf-8", "surrogateescape")


def redacted_document(text: str, redactor: Redactor) -> str:
    """A text, or JSON, without what is private; JSON stays JSON."""
    mended = redactor.text(text)
    if mended == text or not text.lstrip().startswith(("{", "[")) or not _is_json(text) or _is_json(mended):
        return mended
    redone = json.dumps(_walked(json.loads(text), redactor), ensure_ascii=False)
    return redone + "\n" * text.endswith("\n")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _walked(value: object, redactor: Redactor) -> object:
    """A JSON value with each of its texts redacted by itself."""
    if isinstance(value, str):
        return redactor.text(value)
    if isinstance(value, dict):
        return {redactor.text(str(key)): _walked(each, redactor) for key, each in value.items()}
    if isinstance(value, list):
        return [_walked(each, redactor) for each in value]
    return value
