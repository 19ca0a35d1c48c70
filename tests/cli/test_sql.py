"""`blade sql`: questions to the store, which they can read and nothing else."""

import csv
import io
import json
import time
from pathlib import Path
from typing import Any

import pytest

import blade
from blade.scan.catalog import documented_tables
from tests.building import Said, call, here, owed, result, row, run, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write(tmp_path / "m_rollouts_materialized_inputs.jsonl", [owed(), owed(task=2, sample="x")])
    write(tmp_path / "m_rollouts_failures.jsonl", [row(task=2, response=..., _ng_failure_class="x")])
    lines = [row(call(), result(), category="a,b"), row(task=1, reward=0.25, category='"q"\nz'), "oops"]
    return write(tmp_path / "m_rollouts.jsonl", lines)


def ask(path: Path, query: str, *options: Any) -> Any:
    said = run("sql", "--json", query, path, *options)
    assert (said.code, said.err) == (0, "")
    return json.loads(said.out)


def refusal(path: Path, query: str, *options: Any) -> str:
    said: Said = run("sql", query, path, *options)
    assert (said.code, said.out) == (2, "")
    [line] = said.err.splitlines()
    assert line.startswith("blade: ")
    return line


def test_an_answer_is_a_table_csv_or_json(path: Path) -> None:
    query = (
        "select r.task, reward, text as category, null as gap from rollouts r "
        "join fields using (file, row) where name = 'category' order by r.row"
    )
    assert ask(path, query) == [
        {"task": "0", "reward": 1.0, "category": "a,b", "gap": None},
        {"task": "1", "reward": 0.25, "category": '"q"\nz', "gap": None},
    ]
    cells = list(csv.reader(io.StringIO(run("sql", "--csv", query, path).out)))
    assert cells == [["task", "reward", "category", "gap"], ["0", "1.0", "a,b", ""], ["1", "0.25", '"q"\nz', ""]]
    printed = run("sql", query, path).out.splitlines()
    assert printed[0].split() == ["task", "reward", "category", "gap"]
    assert len(printed) == 4


def test_an_answer_without_rows_says_so(path: Path) -> None:
    assert run("sql", "select 1 where false", path).out == "no rows\n"
    assert ask(path, "select 1 where false") == []


def test_json_holds_no_number_that_json_does_not_have(path: Path) -> None:
    said = run(
        "sql",
        "--json",
        "select 'nan'::double as a, 'inf'::double as b, 1.5::decimal(3,1) as c, date '2026-01-02' as d, [1, 2] as e",
        path,
    )
    [told] = json.loads(said.out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert told["e"] == [1, 2]


def test_every_documented_column_is_there_and_no_other(path: Path) -> None:
    with blade.load(path, here()) as store:
        for table in documented_tables():
            named = {column.name for column in table.columns}
            found = set(store.sql(f"select * from {table.name} limit 0").columns)
            open_ended = '"<field>"' in named
            assert found == named or (open_ended and named - {'"<field>"'} < found), table.name


def test_the_documented_tables_are_listed_for_people_and_programs() -> None:
    listed = json.loads(run("sql", "--tables", "--json").out)
    assert [table["table"] for table in listed] == [table.name for table in documented_tables()]
    assert all(column["meaning"] for table in listed for column in table["columns"])
    printed = run("sql", "--tables").out
    assert all(f"{table.name}  one row per {table.what}" in printed for table in documented_tables())


@pytest.mark.parametrize(
    "statement",
    [
        "create table x (a int)",
        "create temp table x as select 1",
        "insert into runs select * from runs",
        "delete from runs",
        "update skipped set why = 'x'",
        "drop view rollouts",
        "copy (select 1) to 'OUT'",
        "attach 'OUT' as x",
        "install httpfs",
        "load httpfs",
        "set threads = 4",
        "pragma database_list",
        "call pragma_version()",
        "export database 'OUT'",
        "checkpoint",
        "explain analyze delete from runs",
        "explain analyze insert into skipped values ('a', 1, 'b')",
        "with gone as (select 1) delete from runs",
    ],
)
def test_statements_that_write_or_set_are_refused(statement: str, path: Path) -> None:
    out = path.with_name("out.db")
    line = refusal(path, statement.replace("OUT", str(out)))
    assert "only a plain SELECT is allowed" in line
    assert not out.exists()
    with blade.load(path, here()) as store:
        before = store.sql("select count(*) from runs").rows, store.sql("select * from skipped").rows
        with pytest.raises(blade.QueryError):
            store.sql(statement.replace("OUT", str(out)))
        assert (store.sql("select count(*) from runs").rows, store.sql("select * from skipped").rows) == before


@pytest.mark.parametrize(
    "source",
    [
        "read_csv('SECRET')",
        "read_text('SECRET')",
        "read_blob('SECRET')",
        "read_json('SECRET')",
        "'SECRET'",
        "glob('DIRECTORY/*')",
        "read_parquet('https://example.com/x.parquet')",
        "read_csv('/etc/passwd')",
        "read_text('/proc/self/environ')",
        "sniff_csv('SECRET')",
        "read_text('CACHE/../../SECRET')",
    ],
)
def test_nothing_but_the_store_is_read(source: str, path: Path, cache: Path) -> None:
    secret = path.with_name("secret.csv")
    secret.write_text("secret\n1\n")
    made = source.replace("SECRET", str(secret)).replace("DIRECTORY", str(path.parent)).replace("CACHE", str(cache))
    said = run("sql", f"select * from {made}", path)
    assert "secret" not in said.out
    assert "root" not in said.out
    assert said.code == 2 or said.out == "no rows\n"


def test_several_statements_and_none_are_refused(path: Path) -> None:
    assert "expected one statement, found 2" in refusal(path, "select 1; select 2")
    assert "expected one statement, found 0" in refusal(path, " -- nothing")


@pytest.mark.parametrize(
    "query",
    [
        "select",
        "select nothing from rollouts",
        "select * from nowhere",
        "selec 1",
        "select 'a'::int",
        "select unnest(",
        "select \x00",
    ],
)
def test_a_query_that_cannot_run_is_refused_in_one_line(query: str, path: Path) -> None:
    assert "blade sql --tables" in refusal(path, query) or "\x00" in query


def test_too_many_rows_are_refused_with_advice(path: Path) -> None:
    assert "more than 100,000 rows (add a LIMIT, or aggregate)" in refusal(path, "select * from range(100001)")
    assert len(ask(path, "select * from range(100000)")) == 100_000


def test_a_query_that_takes_too_long_is_stopped(path: Path) -> None:
    began = time.monotonic()
    query = "select count(*) from range(1000000) a, range(1000000) b where a.range + b.range = 7"
    assert "took longer than 0.3 s" in refusal(path, query, "--seconds", "0.3")
    assert time.monotonic() - began < 30


def test_a_store_answers_again_after_a_query_that_failed(path: Path) -> None:
    with blade.load(path, here()) as store:
        for query in ("selec", "select * from range(200000)", "delete from runs"):
            with pytest.raises(blade.QueryError):
                store.sql(query)
        with pytest.raises(blade.QueryError, match="took longer"):
            store.sql(
                "select count(*) from range(1000000) a, range(1000000) b where a.range + b.range = 7", seconds=0.2
            )
        assert store.sql("select count(*) from rollouts where standing = ?", ["row"], seconds=20).rows == [(2,)]


def test_a_query_or_the_list_of_tables_is_needed() -> None:
    said = run("sql")
    assert said.code == 2
    assert "a query is needed, or --tables" in said.err


def test_without_a_path_the_runs_of_the_directory_are_asked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    assert json.loads(run("sql", "--json", "select run from runs").out) == [{"run": "m"}]


def test_several_runs_are_asked_together(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        write(tmp_path / f"{name}.jsonl", [row(model=name, task=ord(name)), "broken"])
        write(tmp_path / f"{name}_failures.jsonl", [row(response=..., reward=...)])
    with blade.load(tmp_path, here()) as store:
        assert store.sql("select run, path, task_index, line from rollouts where standing = 'row' order by 1").rows == [
            (name, str(tmp_path / f"{name}.jsonl"), ord(name), 1) for name in "abc"
        ]
        assert store.sql("select ref, text from steps where run = 'b'").rows == [(f"b:{ord('b')}/0#0", "4")]
        assert store.sql("select count(*) from skipped").rows == [(3,)]
