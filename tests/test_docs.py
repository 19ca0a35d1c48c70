"""The documentation is true: it is complete, its examples run, its generated parts are fresh."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from click.testing import CliRunner

import blade
from blade.artifacts.nemo_gym import names
from blade.cli import VERBS
from blade.cli import blade as command
from blade.scan.catalog import documented_tables
from docs import generate, irregular
from examples.office import simulate

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
GUIDES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md")]
PAGES = sorted(DOCS.glob("*.md"))
EVERY = [*GUIDES, *PAGES]
HOMES = {
    "runs": DOCS / "what-is-in-my-runs.md",
    "metrics": DOCS / "how-well-does-a-run-do.md",
    "compare": DOCS / "is-the-difference-real.md",
    "failures": DOCS / "what-went-wrong.md",
    "why": DOCS / "why-did-the-score-change.md",
    "report": DOCS / "read-the-report.md",
    "schema": DOCS / "what-stands-in-analysis-json.md",
    "fixes": DOCS / "what-should-i-fix.md",
    "health": DOCS / "is-the-benchmark-healthy.md",
    "task": DOCS / "look-at-one-task.md",
    "profile": DOCS / "write-a-profile.md",
    "check": DOCS / "is-the-report-true.md",
    "extract-anchor-facts": DOCS / "score-a-report.md",
    "make-shallow": DOCS / "score-a-report.md",
    "score": DOCS / "score-a-report.md",
    "calibrate": DOCS / "score-a-report.md",
    "validate": DOCS / "build-a-package.md",
    "package": DOCS / "build-a-package.md",
    "sanitize": DOCS / "build-a-package.md",
    "skill": DOCS / "let-an-agent-do-it.md",
    "show": DOCS / "open-the-evidence.md",
    "sql": DOCS / "ask-in-sql.md",
    "cache": DOCS / "where-scans-are-kept.md",
}
"""The page of every verb."""

_FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_MACHINE = re.compile(r"(?<![\w.])/(?:home|root|tmp|work|usr|opt|var|Users|mnt)/|[A-Z]:\\")


class Command(NamedTuple):
    """A command of a console block, what the block shows of its output, and how it ends."""

    line: str
    shown: list[str]
    exit_code: int


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose(page: Path) -> str:
    """What was written by hand, on one line, so that a sentence may be broken anywhere."""
    return " ".join(generate.by_hand(read(page)).split())


def blocks(text: str, language: str) -> Iterator[tuple[str, str]]:
    """The fenced blocks of a language: what stands behind its name, and the body."""
    for match in _FENCE.finditer(text):
        name, _, rest = match["info"].partition(" ")
        if name == language:
            yield rest.strip(), match["body"]


def with_blocks(language: str) -> list[Path]:
    """The pages that have blocks of a language."""
    return [page for page in EVERY if any(blocks(read(page), language))]


def commands(info: str, body: str) -> list[Command]:
    """`$ ` begins a command, `> ` goes on with it; `console exit=2` is how the last one ends."""
    found: list[Command] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:], [], 0))
        elif line.startswith("> ") and not found[-1].shown:
            found[-1] = found[-1]._replace(line=f"{found[-1].line}\n{line[2:]}")
        else:
            found[-1].shown.append(line.rstrip())
    found[-1] = found[-1]._replace(exit_code=int(info.removeprefix("exit=") or 0))
    return found


def agrees(shown: list[str], printed: str) -> bool:
    """Whether an output is what a page shows: `…` stands for any text, alone on a line for any lines."""
    parts = [
        r"(?:.*\n)*" if line == "…" else r"[^\n]*".join(map(re.escape, line.split("…"))) + r"\s*\n" for line in shown
    ]
    return bool(re.fullmatch("".join(parts) + r"\s*", printed.rstrip() + "\n"))


def demo_settings() -> dict[str, Any]:
    """What `make demo` simulates, read from the Makefile."""
    line = next(line for line in read(ROOT / "Makefile").splitlines() if "-m examples.office" in line)
    words = shlex.split(line.partition("$(OUT)")[2])
    options: dict[str, list[str]] = {}
    for word in words:
        if word.startswith("--"):
            options[word[2:]] = []
        else:
            options[list(options)[-1]].append(word)
    numbers = {name: int(options[name][0]) for name in ("tasks", "repeats", "seed")}
    return {"agents": options["agents"], **numbers}


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the runs that the pages in `docs/` speak of, as `docs/index.md` says they are made."""
    directory = tmp_path_factory.mktemp("simulated")
    simulate(directory / "runs", agents=["steady", "hasty", "rig-trouble"], tasks=20, repeats=4, seed=7)
    return directory


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the runs that the other pages speak of, as `make demo` makes them."""
    directory = tmp_path_factory.mktemp("demo")
    simulate(directory / "build" / "demo", **demo_settings())
    return directory


@pytest.fixture
def place(page: Path, request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A directory that holds the simulated runs of a page, for its examples."""
    shutil.copytree(request.getfixturevalue("simulated" if page in PAGES else "demo"), tmp_path / "here")
    return tmp_path / "here"


@pytest.fixture
def surroundings(tmp_path: Path) -> dict[str, str]:
    """The environment of a reader: the project installed, a cache that is empty, no terminal."""
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', '')}"
    return kept | {"PATH": path, "PYTHONPATH": str(ROOT), "BLADE_CACHE": str(tmp_path / "cache"), "PYTHONUTF8": "1"}


def run(words: list[str], place: Path, surroundings: dict[str, str]) -> tuple[int, str]:
    """Exit code and output; errors only where it failed, since a slow machine shows progress there."""
    done = subprocess.run(
        words,
        cwd=place,
        env=surroundings,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
        check=False,
    )
    return done.returncode, (done.stdout + done.stderr * (done.returncode != 0)).decode()


@pytest.mark.parametrize("page", with_blocks("console"), ids=lambda page: page.name)
def test_what_a_page_shows_on_the_command_line_is_what_happens(
    page: Path, place: Path, surroundings: dict[str, str]
) -> None:
    for info, body in blocks(read(page), "console"):
        for example in commands(info, body):
            code, printed = run(["bash", "-c", example.line], place, surroundings)
            assert code == example.exit_code, f"{example.line}\n{printed}"
            if example.shown:
                shown = "\n".join(example.shown)
                assert agrees(example.shown, printed), f"{example.line}\nshown:\n{shown}\nprinted:\n{printed}"


@pytest.mark.parametrize("page", with_blocks("python"), ids=lambda page: page.name)
def test_the_python_of_a_page_runs(page: Path, place: Path, surroundings: dict[str, str]) -> None:
    for _, body in blocks(read(page), "python"):
        code, printed = run([sys.executable, "-W", "error", "-c", body], place, surroundings)
        assert code == 0, f"{body}\n{printed}"


@pytest.mark.parametrize("page", generate.PAGES, ids=lambda page: page.name)
def test_generated_parts_are_fresh(page: Path) -> None:
    assert generate.refreshed(read(page)) == read(page), "run `make docs`"


def test_every_generated_part_stands_on_a_page() -> None:
    text = "".join(map(read, generate.PAGES))
    assert [name for name in generate.PARTS if f"<!-- generated: {name} -->" not in text] == []


def test_every_verb_and_option_is_explained_on_the_page_of_its_verb() -> None:
    assert HOMES.keys() == VERBS.keys()
    for verb, page in HOMES.items():
        text = prose(page)
        assert f"`blade {verb}" in text
        for parameter in parameters(verb):
            option = max(parameter.opts, key=len)
            if option.startswith("--") and option != "--help":
                assert f"`{option}" in text, f"{page.name} does not explain {option} of blade {verb}"


def parameters(verb: str) -> list[click.Parameter]:
    """The options of a verb, and of the verbs below it."""
    found = command.get_command(None, verb)  # type: ignore[arg-type]
    assert found is not None
    below = found.commands.values() if isinstance(found, click.Group) else []
    return [parameter for one in (found, *below) for parameter in one.params]


def test_every_table_has_a_question_as_an_example_and_every_column_its_line() -> None:
    page = HOMES["sql"]
    asked = "".join(body for _, body in blocks(read(page), "console"))
    for table in documented_tables():
        assert re.search(rf"\b(?:from|join) {table.name}\b", asked), f"no example asks {table.name}"
        for column in table.columns:
            assert f"| `{column.name}` |" in read(page)


def test_every_word_of_the_vocabulary_has_its_line() -> None:
    groups = generate.word_groups()
    assert {"Step kinds", "Actors", "Result kinds", "Step sources", "Standings", "Outcomes", "Causes"} <= groups.keys()
    page = read(DOCS / "words.md")
    for group in groups.values():
        for word, meaning in group.items():
            assert f"| `{word}` | {meaning} |" in page


def test_every_sidecar_and_every_public_name_has_its_line() -> None:
    files, library = read(DOCS / "what-is-read.md"), read(DOCS / "use-as-a-library.md")
    assert [kind.ending for kind in (*names.SIDECARS, *names.SHARED) if f"{kind.ending}`" not in files] == []
    assert [name for name in blade.__all__ if f"`blade.{name}`" not in library] == []


def test_every_irregularity_that_is_explained_is_told_apart() -> None:
    told = irregular.told()
    assert [example.what for example, said in told if not said.skipped and not said.noted] == []
    messages = [(*said.skipped, *said.noted) for _, said in told]
    assert len(set(messages)) == len(messages) > 20
    assert not any(str(Path(tempfile.gettempdir())) in text for texts in messages for text in texts)


def test_every_label_of_a_run_is_explained(simulated: Path, tmp_path: Path) -> None:
    text = prose(HOMES["runs"])
    simulate(tmp_path, agents=["wordy"], tasks=8, repeats=2, seed=1)
    (tmp_path / "config.yaml").write_text("num_repeats: 2\n")
    (tmp_path / "odd_rollouts.jsonl").write_text('{"reward": 0}\n<PLACEHOLDER>\n')
    places = [str(simulated / "runs" / "rig-trouble_rollouts.jsonl"), str(tmp_path)]
    result = CliRunner().invoke(command, ["runs", "--full", "--no-cache", "--workers", "1", *places])
    assert result.exit_code == 0, result.output
    labels = set(re.findall(r"^  (\S+(?: \S+)*)  ", result.stdout, re.MULTILINE))
    assert {"masked", "cut off", "failed", "config", "skipped", "problem"} <= labels
    assert [label for label in sorted(labels) if f"| `{label}` |" not in text] == []


def test_the_readme_shows_what_the_demo_runs() -> None:
    shown = [
        example.line for info, body in blocks(read(ROOT / "README.md"), "console") for example in commands(info, body)
    ]
    run = re.findall(r"^\t\$\(BIN\)/(blade .+)$", read(ROOT / "Makefile"), re.MULTILINE)
    assert len(run) >= 2
    assert [line for line in run if line.replace("$(OUT)", "build/demo") not in shown] == []


def test_every_make_target_that_a_page_names_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", read(ROOT / "Makefile"), re.MULTILINE))
    for page in EVERY:
        text = read(page)
        named = set(re.findall(r"`make ([a-z]+)", text)) | set(re.findall(r"^make ([a-z]+)", text, re.MULTILINE))
        assert named <= targets, page.name


@pytest.mark.parametrize("page", EVERY, ids=lambda page: page.name)
def test_links_between_pages_resolve(page: Path) -> None:
    for link in _LINK.findall(_FENCE.sub("", read(page))):
        if link.startswith(("http://", "https://")):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name) if name else page
        assert target.exists(), link
        if anchor:
            anchors = {
                re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in _HEADING.findall(read(target))
            }
            assert anchor in anchors, link


def test_the_list_of_pages_is_complete() -> None:
    listed = set(_LINK.findall(read(DOCS / "index.md")))
    assert {page.name for page in PAGES} - {"index.md"} <= listed


@pytest.mark.parametrize("page", EVERY, ids=lambda page: page.name)
def test_a_page_speaks_of_no_machine_and_of_nothing_unfinished(page: Path) -> None:
    assert _MACHINE.findall(read(page)) == []
    assert re.findall(r"TODO|FIXME|XXX|lorem", read(page), re.IGNORECASE) == []


def test_wildcards_stand_for_text_and_for_lines() -> None:
    assert agrees(["a … c", "…", "z"], "a b c\nany\nlines\nz\n")
    assert agrees(["…"], "")
    assert not agrees(["a …"], "a b\nc\n")
    assert not agrees(["a"], "a b\n")
