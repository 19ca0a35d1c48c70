"""The skill for coding agents: it meets its specification, every command in it runs, and it can be installed."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from blade.cli import VERBS, blade
from blade.package.frontmatter import frontmatter_of
from blade.package.installing import NAME, source
from tests.package.conftest import ROOT, SHIPPED

HOME = ROOT / ".agents" / "skills" / NAME
TEXTS = sorted([HOME / "SKILL.md", *(HOME / "references").glob("*.md")])
_FENCE = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`(blade [^`]+)`")


def commands() -> Iterator[str]:
    """Every command of the skill, in blocks and in sentences."""
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")
        for block in _FENCE.findall(text):
            yield from block.splitlines()
        yield from _CODE.findall(re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory in which an agent works: runs, a report, a package."""
    import shutil

    place = tmp_path_factory.mktemp("workshop")
    shutil.copytree(SHIPPED / "completion_plus", place / "benchmarks" / "NAME")
    shutil.copytree(SHIPPED / "completion_plus" / "rollouts", place / "runs")
    shutil.copy(SHIPPED / "completion_plus" / "golden_reports" / "careful_vs_quick_golden_report.md", place)
    (place / "careful_vs_quick_golden_report.md").rename(place / "my-report.md")
    shutil.copy(SHIPPED / "completion_plus" / "skill" / "profile.toml", place / "given.toml")
    shutil.copy(place / "given.toml", place / "runs" / "profile.toml")
    return place


GOLDEN = "benchmarks/NAME/golden_reports/quick"
STANDS_FOR = {
    "RUNS": "runs",
    "'RUN:TASK/ROLLOUT#STEP'": "quick:0/1#0",
    "REF": "quick:0/1",
    "TASK": "0",
    "REPORT": f"{GOLDEN}_golden_report.md",
    "ANCHORS": f"{GOLDEN}_anchor_facts.json",
    "SHALLOW": f"{GOLDEN}_shallow.md",
    "CANDIDATE": "my-report.md",
    "MODEL": "quick",
    "profile.toml": "drafted.toml",
}
SLOW = ("package init", "calibrate")
"""What other tests run; here its usage is looked at."""


def words(command: str) -> list[str]:
    """The words of a command, with files for what stands in capitals."""
    parts = [re.sub(r"^'?RUN:.*", "quick:0/1#0", part) for part in shlex.split(command)]
    return [STANDS_FOR.get(part, part) for part in parts]


@pytest.mark.parametrize("command", sorted(set(commands())))
def test_every_command_of_the_skill_runs(command: str, workshop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workshop)
    monkeypatch.setenv("BLADE_CACHE", str(workshop / "cache"))
    parts = words(command)
    if parts[0] == "python" and parts[1] == "TOOLKIT":
        parts = ["blade", *parts[2:]]
    assert parts[0] == "blade", command
    if parts[1] in ("--version", "VERB"):
        return
    assert parts[1] in VERBS, command
    if len(parts) == 2 or "..." in command or any(slow in command for slow in SLOW):
        return
    if parts[1:3] == ["profile", "check"]:
        parts[3] = "given.toml"
    (workshop / "drafted.toml").unlink(missing_ok=True)
    done = CliRunner().invoke(blade, parts[1:])
    assert done.exit_code == 0, f"{command}\n{done.output}"


def test_the_skill_meets_its_specification() -> None:
    text = (HOME / "SKILL.md").read_text(encoding="utf-8")
    found = frontmatter_of(text)
    assert not found.trouble
    assert found.values.keys() == {"name", "description"}
    assert found.values["name"] == HOME.name == NAME
    assert re.fullmatch(r"[a-z0-9-]{1,64}", NAME)
    assert 1 <= len(found.values["description"]) <= 1_024
    assert len(text.splitlines()) < 500


def test_every_file_that_the_skill_speaks_of_is_there_and_every_file_is_spoken_of() -> None:
    text = (HOME / "SKILL.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:references|scripts)/[\w.-]+", text))
    there = {str(path.relative_to(HOME)) for folder in ("references", "scripts") for path in (HOME / folder).iterdir()}
    assert {name.rstrip(".") for name in named} == {name for name in there if "__pycache__" not in name}
    assert (HOME / "agents" / "openai.yaml").is_file()


def test_the_paths_of_claude_and_codex_lead_to_the_same_skill() -> None:
    for agent in (".claude", ".codex"):
        link = ROOT / agent / "skills"
        assert link.is_symlink()
        assert link.resolve() == (ROOT / ".agents" / "skills").resolve()


def test_the_wheel_carries_the_skill() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    assert wheel["wheel"]["force-include"] == {f".agents/skills/{NAME}": f"blade/skills/{NAME}"}
    assert source().resolve() == HOME.resolve()


@pytest.mark.parametrize(("agent", "linked"), [("claude", {".claude"}), ("codex", {".codex"}), ("all", None)])
def test_it_is_installed_where_the_agent_looks(agent: str, linked: set[str] | None, tmp_path: Path) -> None:
    done = CliRunner().invoke(blade, ["skill", "install", "--dir", str(tmp_path), "--agent", agent])
    assert done.exit_code == 0, done.output
    wanted = linked if linked is not None else {".claude", ".codex"}
    assert {path.name for path in tmp_path.iterdir()} == {".agents", *wanted}
    for place in (".agents", *wanted):
        assert (tmp_path / place / "skills" / NAME / "SKILL.md").is_file()
        assert (tmp_path / place / "skills" / NAME / "scripts" / "blade_toolkit.py").is_file()


def test_installing_again_changes_nothing_and_what_was_changed_is_kept_unless_forced(tmp_path: Path) -> None:
    install = ["skill", "install", "--dir", str(tmp_path)]
    assert [CliRunner().invoke(blade, install).exit_code for _ in range(2)] == [0, 0]
    skill = tmp_path / ".agents" / "skills" / NAME / "SKILL.md"
    skill.write_text("mine", encoding="utf-8")
    refused = CliRunner().invoke(blade, install)
    assert refused.exit_code != 0
    assert skill.read_text(encoding="utf-8") == "mine"
    assert CliRunner().invoke(blade, [*install, "--force"]).exit_code == 0
    assert skill.read_text(encoding="utf-8") != "mine"
