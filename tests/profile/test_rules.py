"""A profile at work: its rules are one expression each, run within bounds, and stand before all that is found."""

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

import blade
from blade.errors import InputError, QueryError
from blade.explain.analysis import explain
from blade.explain.drafting import draft_profile
from blade.explain.profiling import check_profile
from blade.explain.records import RunFailures
from blade.measure.run import settings_of
from blade.profile import Profile, Rule, read_profile
from blade.scan.rules import Rules
from tests.building import Row, call, here, message, result
from tests.explain.planting import failing, modes, passing, rollouts, run_of


def made(task: int, repeat: int) -> Row:
    """Two of four repeats fail: one for want of a search, one in a category of its own."""
    searched = [call("search", '{"q": 1}'), result("found")]
    if repeat == 0:
        return failing(task, repeat, message("no"), error_kind="unsearched", sure=False)
    if repeat == 1:
        return failing(task, repeat, *searched, message("wrong"), error_kind="wrong place", sure=True)
    return passing(task, repeat, *searched, message("right"), error_kind=None, sure=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return run_of(tmp_path / "a_rollouts.jsonl", made)


def mode(name: str, when: str, cause: str = "BI", owner: str = "model") -> Rule:
    return Rule(name, when, 1, name.capitalize(), cause, owner)


def explained_by(path: Path, profile: Profile) -> RunFailures:
    with blade.load(path, here()) as store:
        return explain(store, settings_of(profile), compared=False).runs[0]


def holding(path: Path, when: str, seconds: float = 10) -> int:
    with blade.load(path, here()) as store:
        return len(Rules(store.connection).holding(when, seconds).row)


@pytest.mark.parametrize(
    ("when", "count"),
    [
        ("reward < 1", 20),
        ("calls_search = 0", 10),
        ("error_kind = 'wrong place'", 10),
        ("sure = false", 10),
        ("NOT sure OR error_kind IS NOT NULL", 20),
        ("task = '3' -- only this one", 4),
        ("signal_no_tool_used > 0 AND reward = 0", 0),
        ("answer LIKE 'rig%'", 20),
    ],
)
def test_rules_speak_of_facts_fields_signals_and_calls(path: Path, when: str, count: int) -> None:
    assert holding(path, when) == count


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ("rewrd < 1", "there is no rewrd (did you mean reward?)"),
        ("calls_serch = 0", "there is no calls_serch (did you mean calls_search?)"),
        ("reward", "gives double rather than true or false"),
        ("true), (true", "not one expression"),
        ("exists(SELECT 1 FROM rollouts)", "asks another table"),
        ("task IN (SELECT task FROM fields)", "asks another table"),
        ("1; DROP TABLE rollouts", "syntax error"),
        ("sum(reward) > 1", "cannot contain aggregates"),
        ("error_kind = 'x", "unterminated"),
        ("read_text('profile.toml') = 'x'", "table function"),
    ],
)
def test_what_is_no_rule_over_one_rollout_is_refused_with_what_is_wrong(path: Path, when: str, said: str) -> None:
    with pytest.raises(QueryError) as caught:
        holding(path, when)
    assert said in str(caught.value)


def test_a_rule_that_takes_too_long_is_stopped(path: Path) -> None:
    slow = "len(list_filter(range(40000000), lambda x: x % 7 = steps AND md5(x::VARCHAR) LIKE '%a%')) > 3"
    with pytest.raises(QueryError, match="longer than"):
        holding(path, slow, seconds=0.2)


def test_the_modes_of_a_profile_come_before_all_that_is_found(path: Path) -> None:
    profile = Profile(modes=(mode("unsearched", "calls_search = 0", "TI", "tools"),))
    found = modes(explained_by(path, profile))
    own = found["profile: unsearched"]
    assert (own.cause, own.owner, own.title, own.tier) == ("TI", "tools", "Unsearched", "profile")
    assert rollouts(own.refs) == {f"a:{task}/0" for task in range(10)}
    assert len(found) > 1


def test_a_mode_that_passes_show_as_often_is_not_taken(path: Path) -> None:
    profile = Profile(modes=(mode("everything", "steps > 0"),))
    assert "profile: everything" not in modes(explained_by(path, profile))


def test_a_profile_says_what_passes_and_what_the_stages_are(path: Path) -> None:
    stages = (Rule("searched", "calls_search > 0", 1), Rule("sure", "sure", 2))
    run = explained_by(path, Profile(threshold=-1.0, stages=stages))
    assert run.failed == 0
    run = explained_by(path, Profile(stages=stages))
    assert [(stage.stage, stage.reached) for stage in run.funnel] == [
        ("owed", 40),
        ("searched", 30),
        ("sure", 30),
        ("passed", 20),
    ]


def test_a_rule_that_cannot_be_run_names_its_line(path: Path) -> None:
    profile = Profile(path="profile.toml", modes=(mode("bad", "nothing_like_it = 1"),))
    with pytest.raises(InputError) as caught:
        explained_by(path, replace(profile, modes=(replace(profile.modes[0], line=17),)))
    assert str(caught.value).startswith("profile.toml:17: rule of “bad”: there is no nothing_like_it")


def test_a_profile_beside_the_runs_is_used_where_nobody_says_how_to_measure(path: Path) -> None:
    (path.parent / "profile.toml").write_text("[pass]\nthreshold = -1\n")
    assert blade.metrics(path, options=here())[0].passed == 40
    assert blade.metrics(path, blade.Settings(), here())[0].passed == 20


def test_a_check_counts_what_each_rule_catches_and_what_is_left(path: Path) -> None:
    rules = (mode("unsearched", "calls_search = 0"), mode("unsure", "NOT sure"), mode("all", "steps > 0"))
    profile = Profile(modes=rules, slices=("nowhere",))
    with blade.load(path, here()) as store:
        found = check_profile(store, settings_of(profile))
    first, second, third = found.caught
    assert (first.failing, first.passing, first.first, first.taken) == (10, 0, 10, True)
    assert (second.failing, second.first, second.overlap) == (10, 0, {"unsearched": 10})
    assert (third.passing, third.taken, third.overlap) == (20, False, {"unsearched": 10, "unsure": 10})
    assert found.unknown_fields == ["nowhere"]
    assert not found.is_fine


def test_a_check_goes_on_behind_a_rule_that_cannot_be_run(path: Path) -> None:
    profile = Profile(modes=(mode("bad", "nothing = 1"), mode("unsearched", "calls_search = 0")))
    with blade.load(path, here()) as store:
        bad, good = check_profile(store, settings_of(profile)).caught
    assert "there is no nothing" in bad.error
    assert (good.error, good.failing, good.taken) == ("", 10, True)


def test_a_drafted_profile_passes_its_check_and_says_what_was_found(path: Path) -> None:
    with blade.load(path, here()) as store:
        text = draft_profile(store, settings_of(None))
        profile, problems = read_profile(text)
        assert problems == []
        found = check_profile(store, settings_of(profile))
    assert found.is_fine
    assert all(one.taken for one in found.caught)
    assert "error_kind" in text
    assert found.unexplained == 0


def test_a_drafted_profile_holds_odd_names_and_texts(tmp_path: Path) -> None:
    def odd(task: int, repeat: int) -> Row:
        kind = "bad format: it's \\ ☃" if repeat == 0 else None
        return (failing if repeat < 2 else passing)(task, repeat, **{"Error Kind": kind, "a.b": {"c d": repeat > 0}})

    path = run_of(tmp_path / "a_rollouts.jsonl", odd)
    with blade.load(path, here()) as store:
        profile, problems = read_profile(draft_profile(store, settings_of(None)))
        assert problems == []
        assert check_profile(store, settings_of(profile)).is_fine
    assert any("it''s" in rule.when for rule in profile.modes)


def test_settings_with_a_profile_can_be_compared_and_replaced() -> None:
    settings = settings_of(Profile(threshold=0.5, slices=("a",)))
    assert (settings.rule.threshold, settings.by) == (0.5, ("a",))
    assert settings_of(Profile(threshold=0.5, slices=("a",)), threshold=0.7, by=("b",)).by == ("b",)
    assert msgspec.structs.replace(settings, seed=3).profile == settings.profile
