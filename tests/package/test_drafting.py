"""A package drafted from runs: whole, true, without what is private, and honest about what it cannot know."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from blade.cli import blade
from blade.errors import InputError
from blade.package.drafting.package import make_package
from blade.package.drafting.skill import skill_name
from blade.package.layout import layout_of
from blade.package.validate import validate
from examples.office import simulate


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two small runs; one row tells a secret."""
    place = tmp_path_factory.mktemp("runs")
    simulate(place, agents=["careless", "hasty"], tasks=12, repeats=3, seed=7)
    path = place / "hasty_rollouts.jsonl"
    first, *others = path.read_text(encoding="utf-8").splitlines()
    row = json.loads(first) | {"log_path": "/home/tbergmann/runs/hasty"}
    path.write_text("\n".join([json.dumps(row), *others]) + "\n", encoding="utf-8")
    return [str(place / f"{name}_rollouts.jsonl") for name in ("careless", "hasty")]


@pytest.fixture(scope="module")
def made(runs: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made") / "desk"
    make_package("desk", runs, root)
    return root


def test_what_was_drafted_passes_validation(made: Path) -> None:
    found = validate(made)
    assert [each.lines() for each in found.findings if each.status == "FAIL"] == []


def test_every_deliverable_is_there(made: Path) -> None:
    layout = layout_of(made)
    assert layout.skill
    assert layout.profile
    assert [path.name for path in layout.rollouts] == ["careless_rollouts.jsonl", "hasty_rollouts.jsonl"]
    assert [golden.model for golden in layout.goldens] == ["careless", "hasty"]
    assert [path.name for path in layout.comparisons] == ["careless_vs_hasty_golden_report.md"]


def test_the_skill_shows_the_real_fields_and_says_what_a_person_has_to_review(made: Path) -> None:
    text = (made / "skill" / "SKILL.md").read_text(encoding="utf-8")
    assert "| `verifier_metadata.family` | text | 72 of 72 |" in text
    assert "| `calendar_create` |" in text
    assert "## To Review" in text
    assert "tbergmann" not in text


def test_rollouts_are_copied_with_what_they_were_owed_and_without_what_is_private(made: Path) -> None:
    names = {path.name for path in (made / "rollouts").iterdir()}
    assert "hasty_rollouts_materialized_inputs.jsonl" in names
    assert not any("truth" in name for name in names)
    assert "/home/<user-1>/runs" in (made / "rollouts" / "hasty_rollouts.jsonl").read_text(encoding="utf-8")


def test_no_file_names_the_place_where_it_was_made(made: Path) -> None:
    for path in made.rglob("*"):
        if path.is_file():
            assert str(made.parent) not in path.read_text(encoding="utf-8"), path


def test_the_verb_writes_validates_and_says_what_to_review(runs: list[str], tmp_path: Path) -> None:
    arguments = ["package", "init", "desk", "--dir", str(tmp_path), "--link", "--no-calibrate", "--no-cache"]
    done = CliRunner().invoke(blade, [*arguments, "--runs", *runs])
    assert done.exit_code == 1  # links are no part of a package that others can have
    assert (tmp_path / "desk" / "rollouts" / "hasty_rollouts.jsonl").is_symlink()
    assert "leads outside the package" in done.output
    assert "1. skill/SKILL.md" in done.output


def test_a_package_that_is_there_is_left_alone(runs: list[str], tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match="is there already"):
        make_package("desk", runs, tmp_path)


@pytest.mark.parametrize(
    ("name", "skill"),
    [("office_desk", "office-desk-analysis"), ("SWE Bench v2", "swe-bench-v2-analysis"), ("…", "benchmark-analysis")],
)
def test_a_skill_gets_a_name_that_skills_may_have(name: str, skill: str) -> None:
    assert skill_name(name) == skill
