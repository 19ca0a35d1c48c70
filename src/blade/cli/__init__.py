"""The command line. Verbs are loaded when they are called, so that `blade --help` answers at once."""

import os
import sys
from importlib import import_module

import click

from blade import __version__
from blade.errors import BladeError

VERBS = {
    "runs": "What is there: runs, rows, tasks, repeats, coverage, identity, problems.",
    "metrics": "How well a run does: rates, intervals, what is not measured, slices, cost.",
    "compare": "Is the difference between runs real, and what differs in their set-up?",
    "failures": "What went wrong: failure modes, whose fault, where rollouts are lost.",
    "why": "Why did the score change? Terms by mode and cause that sum to the difference.",
    "report": "Why did the score change, as a report to open: Markdown, HTML, data.",
    "fixes": "What to do about it: what each fix would give, and the rerun that would confirm it.",
    "health": "Can the benchmark be trusted? Leaks, duplicates, wrong verdicts, noise.",
    "profile": "What is known of a benchmark, in a file that runs: draft it, check it.",
    "task": "One task: every repeat in every run, why it fails, what passes do otherwise.",
    "check": "Is the report true? Every claim of it, held against the runs.",
    "extract-anchor-facts": "Facts that a report must hold and nobody can guess.",
    "make-shallow": "What is left of a report if nobody has read a rollout.",
    "score": "How much of a golden report's truth a candidate holds.",
    "calibrate": "Can the scorer be fooled? Controls that are false, spoilt, or only look different.",
    "validate": "Is a package there, whole and true? Every check with the fix.",
    "package": "A whole package of a benchmark, from its runs.",
    "sanitize": "What must not be shared, shown and taken out.",
    "skill": "The skill by which coding agents analyse results, put into a repository.",
    "show": "What a ref points to: a rollout, or one step of it.",
    "sql": "Ask the fact store a question in SQL.",
    "schema": "The shape of what BLADE writes, for programs.",
    "cache": "What is stored of earlier scans, and how to clear it.",
}
"""Verb to its one line; the command stands in the module of the same name, with `_` for `-`."""


class _Verbs(click.Group):
    """Commands that are imported when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f"blade.cli.{cmd_name.replace('-', '_')}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="blade")
def blade() -> None:
    """Why did the score change? BLADE reads what NeMo Gym evaluations leave behind."""


def main() -> None:
    """The `blade` command: results on standard output, everything else on standard error."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its idle threads spin on the cores the workers need
    try:
        status = blade.main(standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        status = 2
    except click.ClickException as error:
        verb = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "blade"
        click.echo(f"{verb}: {_one_line(error.format_message())} (see `{verb} --help`)", err=True)
        status = 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped; finished pieces are kept, the same command goes on from there", err=True)
        status = 130
    except BladeError as error:
        click.echo(f"blade: {_one_line(str(error))}", err=True)
        status = 2
    except BrokenPipeError:
        sys.stderr.close()
        status = 0
    sys.exit(status if isinstance(status, int) else 0)


def _one_line(text: str) -> str:
    from blade.cli.text import printable

    return printable(text.replace("\n", " "))
