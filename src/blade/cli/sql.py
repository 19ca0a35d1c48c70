"""`blade sql`: questions to the fact store."""

import csv
import sys
from typing import Any

import click

from blade.cli import text
from blade.cli.options import json_option, paths_argument, print_json, scan_options, scan_settings


@click.command("sql")
@click.argument("query", required=False)
@paths_argument
@click.option("--tables", is_flag=True, help="List the tables and their columns instead.")
@click.option("--seconds", type=float, default=300.0, show_default=True, help="Give up after this long.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the result as CSV.")
@json_option
@scan_options
def command(
    query: str | None, paths: tuple[str, ...], tables: bool, seconds: float, as_csv: bool, as_json: bool, **scan: Any
) -> None:
    """Ask the fact store of RUN... one QUERY in SQL.

    The store is read-only and sees nothing but the scanned runs. `blade sql --tables` lists what there is.

    \b
    blade sql "select run, avg(reward) from rollouts where standing = 'row' group by run" runs/
    """
    if tables:
        _print_tables(as_json)
        return
    if not query:
        raise click.UsageError("a query is needed, or --tables")
    from blade.artifacts.discover import find_runs
    from blade.scan.store import scan_runs

    with scan_runs(find_runs(paths or (".",)), scan_settings(**scan)) as store:
        result = store.sql(query, seconds=seconds)
    if as_json:
        print_json([dict(zip(result.columns, row, strict=True)) for row in result.rows])
    elif as_csv:
        _print_csv(result.columns, result.rows)
    else:
        _print_result(result.columns, result.rows)


def _print_csv(columns: list[str], rows: list[tuple[Any, ...]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)


def _print_result(columns: list[str], rows: list[tuple[Any, ...]]) -> None:
    if not rows:
        click.echo("no rows")
        return
    numeric = {
        place
        for place in range(len(columns))
        if all(isinstance(row[place], (int, float)) or row[place] is None for row in rows)
    }
    cells = [["" if value is None else _cell(value) for value in row] for row in rows]
    for line in text.table(columns, cells, width=text.terminal_width(), right=numeric):
        click.echo(line)


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _print_tables(as_json: bool) -> None:
    from blade.scan.catalog import documented_tables

    tables = documented_tables()
    if as_json:
        print_json(
            [
                {
                    "table": table.name,
                    "what": table.what,
                    "columns": [
                        dict(zip(("name", "type", "meaning"), column[:3], strict=True)) for column in table.columns
                    ],
                }
                for table in tables
            ]
        )
        return
    for table in tables:
        click.echo(click.style(table.name, bold=True) + f"  one row per {table.what}")
        wide = max(len(column.name) for column in table.columns)
        for column in table.columns:
            click.echo(f"  {column.name:<{wide}}  {column.type:<9}  {column.meaning}")
        click.echo()
