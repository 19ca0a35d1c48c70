"""What must not be shared is found and taken out; everything else stays as it was."""

import gzip
import json
from pathlib import Path

from click.testing import CliRunner

from blade.cli import blade
from blade.package.sanitizing import look_through, sanitize

KEY = "sk-proj-Zk3jd83hdKd93jdkw93kdKDJ3kd93"


def counts(path: Path) -> dict[str, int]:
    [found] = look_through([path], path.parent)
    return found.counts


def test_each_kind_is_counted_with_the_line_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text(f"# Notes\n\nkey {KEY}\n/home/tbergmann/x and /home/tbergmann/y\n", encoding="utf-8")
    [found] = look_through([path], tmp_path)
    assert found.counts == {"key": 1, "user": 2}
    assert found.first == 3


def test_rows_stay_json_and_the_same_thing_gets_the_same_placeholder(tmp_path: Path) -> None:
    rows = [{"task_id": f"t{n}", "log": f'say "x" at /home/tbergmann/a\nkey={KEY}', "n": n} for n in range(3)]
    path = tmp_path / "rollouts" / "a_rollouts.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = sanitize(tmp_path)
    mended = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert done.files == [path]
    assert [row["n"] for row in mended] == [0, 1, 2]
    assert {row["log"] for row in mended} == {'say "x" at /home/<user-1>/a\nkey=<key-1>'}
    assert counts(path) == {}


def test_nothing_is_written_where_nothing_is_private(tmp_path: Path) -> None:
    path = tmp_path / "rollouts" / "a.jsonl"
    path.parent.mkdir()
    path.write_text('{"a":  1 ,"mail": "mia@lumen.example"}\n', encoding="utf-8")
    before = path.stat().st_mtime_ns
    assert sanitize(tmp_path).files == []
    assert path.stat().st_mtime_ns == before


def test_mail_addresses_count_in_documents_and_in_rollouts_on_request_and_never_those_of_examples(
    tmp_path: Path,
) -> None:
    document, rows = tmp_path / "notes.md", tmp_path / "a.jsonl"
    document.write_text("mia@basalt-labs.io and mia@desk.example.org\n", encoding="utf-8")
    rows.write_text('{"to": "mia@basalt-labs.io"}\n', encoding="utf-8")
    assert counts(document) == {"email": 1}
    assert counts(rows) == {}
    [found] = look_through([rows], tmp_path, emails=True)
    assert found.counts == {"email": 1}


def test_compressed_rows_are_looked_through(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps({"log": f"key={KEY}"}).encode()))
    assert counts(path) == {"key": 1}


def test_links_that_lead_outside_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(KEY, encoding="utf-8")
    root = tmp_path / "package"
    root.mkdir()
    (root / "link.md").symlink_to("../secret")
    [found] = look_through([root / "link.md"], root)
    assert (found.counts, found.trouble) == ({}, "is a link that leads outside the package")
    sanitize(root)
    assert (tmp_path / "secret").read_text(encoding="utf-8") == KEY


def test_public_services_examples_and_local_addresses_are_no_endpoints(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    addresses = ("https://api.openai.com/v1", "http://localhost:8000/v1", "https://shop.example.com/v1/models")
    path.write_text("\n".join(addresses), encoding="utf-8")
    assert counts(path) == {}
    path.write_text("https://llm.basalt-labs.io:8443/v1/chat/completions", encoding="utf-8")
    assert counts(path) == {"endpoint": 1}


def test_the_verb_shows_then_fixes(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text(f"key {KEY}\n", encoding="utf-8")
    shown = CliRunner().invoke(blade, ["sanitize", str(tmp_path)])
    assert shown.exit_code == 1
    assert "notes.md: key: 1, first in line 1" in shown.output
    assert KEY not in shown.output
    fixed = CliRunner().invoke(blade, ["sanitize", str(tmp_path), "--fix"])
    assert fixed.exit_code == 0, fixed.output
    assert path.read_text(encoding="utf-8") == "key <key-1>\n"


def test_a_single_file_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text(f"key {KEY}\n", encoding="utf-8")
    assert CliRunner().invoke(blade, ["sanitize", str(path), "--fix"]).exit_code == 0
    assert KEY not in path.read_text(encoding="utf-8")
