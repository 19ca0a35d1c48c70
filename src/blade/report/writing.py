"""The files of a report: Markdown, HTML, the data, and the metrics of each run."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from blade import content
from blade.artifacts.files import write_atomically
from blade.errors import InputError
from blade.measure.run import Settings
from blade.report import html, markdown
from blade.report.composing import compose
from blade.report.document import analysis_of
from blade.report.excerpts import Clean
from blade.report.findings import Findings, gather
from blade.report.pieces import Document, Paragraph
from blade.report.redact import Redactor
from blade.report.redaction.rule import MEANING
from blade.report.rewriting import rewritten
from blade.report.sidecar import file_name, metrics_of

if TYPE_CHECKING:
    from blade.scan.store import Store

_SHORT: Final = 400
"""Characters of a text whose redaction is remembered; the same short texts stand in many places."""


class Written(msgspec.Struct, kw_only=True):
    """A report that was written."""

    directory: str
    files: list[str]
    findings: Findings
    redacted: dict[str, int]
    """How many texts were redacted, by kind."""


def write_report(
    store: "Store",
    out: str | os.PathLike[str],
    settings: Settings | None = None,
    *,
    baseline: str | None = None,
    by_id: bool = False,
    redact: bool = True,
    command: str = "",
    tell: Callable[[str], None] = lambda _: None,
) -> Written:
    """Write the report of the runs of a store into a directory."""
    directory = _directory(Path(out))
    patterns = settings.profile.patterns if settings and settings.profile else ()
    redactor = _redactor(store, patterns) if redact else None
    clean = _remembering(redactor.text) if redactor else _as_it_is
    found = gather(
        store, settings or Settings(), baseline=baseline, by_id=by_id, clean=clean, command=command, tell=tell
    )
    findings = msgspec.structs.replace(rewritten(found, clean) if redactor else found, redacts=redact)
    tell("writing")
    document = compose(findings, store, clean=clean)
    counts = dict(redactor.counts) if redactor else {}
    document = _with_counts(document, counts) if redactor else document
    files = {
        "report.md": markdown.render(document).encode("utf-8", "replace"),
        "report.html": html.render(document).encode("utf-8", "replace"),
        "analysis.json": _json(analysis_of(findings)),
        **{f"metrics/{file_name(run.run)}": _json(metrics_of(findings, run)) for run in findings.metrics},
    }
    for name, data in files.items():
        _write(directory / name, data)
    return Written(directory=str(directory), files=list(files), findings=findings, redacted=counts)


def _as_it_is(text: str) -> str:
    return text


def _redactor(store: "Store", patterns: Sequence[str]) -> Redactor:
    """A redactor that leaves the ids of runs and tasks alone, and takes out what a profile names."""
    rows = store.connection.execute("SELECT DISTINCT run, task FROM rollouts").fetchall()
    redactor = Redactor(patterns, keep=frozenset(name for row in rows for name in row if name))
    redactor.learn(os.path.abspath(scan.path) for run in store.runs for scan in run.scans)
    return redactor


def _remembering(clean: Clean) -> Clean:
    """The same, with what became of short texts remembered."""
    known: dict[str, str] = {}

    def remembered(text: str) -> str:
        if len(text) > _SHORT:
            return clean(text)
        if text not in known:
            known[text] = clean(text)
        return known[text]

    return remembered


def _with_counts(document: Document, counts: dict[str, int]) -> Document:
    """The document with what was redacted told at its end."""
    *others, last = document.sections
    listed = ", ".join(f"{MEANING[kind]} ({count:,} different)" for kind, count in counts.items() if count)
    told = f"Redacted: {listed}. The same thing has the same placeholder everywhere." if listed else _NOTHING
    section = msgspec.structs.replace(last, pieces=[*last.pieces, Paragraph(lines=[told])])
    return msgspec.structs.replace(document, sections=[*others, section])


_NOTHING: Final = "Redaction found nothing to take out."


def _directory(path: Path) -> Path:
    try:
        (path / "metrics").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from None
    return path


def _write(path: Path, data: bytes) -> None:
    try:
        write_atomically(path, data)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> InputError:
    reason = (error.strerror or str(error)).lower()
    return InputError(f"cannot be written: {reason}", file=str(path), hint="name another place with -o OUT")


def _json(value: Any) -> bytes:
    """JSON that people can read as well, with broken text mended."""
    try:
        data = msgspec.json.encode(value)
    except (UnicodeEncodeError, msgspec.MsgspecError):
        data = msgspec.json.encode(content.mend_text(msgspec.to_builtins(value)))
    return msgspec.json.format(data, indent=1) + b"\n"
