"""What Gym writes about rows, once more and by plain loops; the tests beside this one compare with it.

The oracle shares no line with the code under test. Its own tests hold it against numbers worked out by hand.
"""

import itertools
import json
import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import t as student

import blade
from blade.measure.shipped import Disagreement, SourceCheck, check_shipped
from tests.building import Row, here, message, row, write

INDICES = ("_ng_task_index", "_ng_rollout_index")
USAGE = {"input_tokens": 10, "output_tokens": 4, "total_tokens": 14}

Numbers = dict[str, Any]


def scored(task: Any, rollout: Any, reward: Any = 1.0, *, usage: Any = ..., agent: Any = "solver", **more: Any) -> Row:
    """A rollout with what Gym reads: a reward, usage, an agent, fields of the verifier."""
    response: Row = {"model": "tiny", "output": [message("4")]}
    if usage is not ...:
        response["usage"] = usage
    named = ... if agent is None else {"name": agent}
    asked = more.pop("prompt", f"Task {task}")
    return row(task=task, rollout=rollout, reward=reward, prompt=asked, response=response, agent_ref=named, **more)


def grid(rewards: Iterable[Sequence[float]], **more: Any) -> list[Row]:
    """One row per reward: a list of rewards for every task, in order of repeats."""
    return [
        scored(task, rollout, reward, usage=USAGE | {"output_tokens": 4 + 3 * task + rollout}, **more)
        for task, given in enumerate(rewards)
        for rollout, reward in enumerate(given)
    ]


def task_of(one: Row) -> int:
    return int(one.get("_ng_task_index") or 0)


def repeat_of(one: Row) -> int:
    return int(one.get("_ng_rollout_index") or 0)


def in_order(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda one: (task_of(one), repeat_of(one)))


def by_task(rows: Iterable[Row]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = defaultdict(list)
    for one in in_order(rows):
        found[task_of(one)].append(one)
    return dict(found)


def columns_of(one: Row) -> dict[str, float]:
    """Numbers at the top of a row, and over them those of its usage."""
    usage = (one.get("response") or {}).get("usage") or {}
    top = {name: value for name, value in one.items() if name not in INDICES}
    return {name: float(value) for name, value in (top | usage).items() if isinstance(value, (int, float))}


def values_of(rows: Iterable[Row]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for one in rows:
        for name, value in columns_of(one).items():
            found[name].append(value)
    return dict(found)


def described(rows: Iterable[Row]) -> Numbers:
    """`mean/…` to `std/…`; deviations are 0 where no column has one, else left out where there is none."""
    columns = values_of(rows)
    spread = {name: statistics.stdev(values) for name, values in columns.items() if len(values) > 1}
    return {
        **{f"mean/{name}": statistics.fmean(values) for name, values in columns.items()},
        **{f"max/{name}": max(values) for name, values in columns.items()},
        **{f"min/{name}": min(values) for name, values in columns.items()},
        **{f"median/{name}": statistics.median(values) for name, values in columns.items()},
        **{f"std/{name}": value for name, value in (spread or dict.fromkeys(columns, 0.0)).items()},
    }


def pass_at(k: int, given: Sequence[float]) -> float:
    """The share of all choices of k that hold a pass; of scores that are no 0 and 1, the best of the first k."""
    if set(given) <= {0, 1}:
        return statistics.fmean(max(some) for some in itertools.combinations(given, k))
    return max(given[:k])


def majority_of(pairs: Sequence[tuple[Any, float]]) -> float:
    """The mean score of the most frequent pairs of answer and score; 0 where there is no answer."""
    counts = Counter((answer, score) for answer, score in pairs if answer is not None)
    top = max(counts.values(), default=0)
    return statistics.fmean(score for (_, score), count in counts.items() if count == top) if counts else 0.0


def by_place(groups: Iterable[Sequence[float]]) -> list[float]:
    """The mean in percent of the first rollouts, of the second ones, and so on."""
    found = []
    for column in itertools.zip_longest(*groups):
        found.append(100 * statistics.fmean(one for one in column if one is not None))
    return found


def score_keys(groups: Sequence[Sequence[float]], name: str = "accuracy") -> Numbers:
    """`pass@k`, the averages with their deviations, and the places, of one score."""
    made: Numbers = {}
    places = by_place(groups)
    for k in range(1, max(map(len, groups)) + 1):
        enough = [given for given in groups if len(given) >= k]
        average = f"pass@1[avg-of-{k}]/{name}"
        made[f"pass@{k}/{name}"] = 100 * statistics.fmean(pass_at(k, given) for given in enough)
        made[average] = 100 * statistics.fmean(statistics.fmean(given[:k]) for given in groups if given)
        if k > 1:
            deviation = statistics.stdev(places[:k])
            made[f"{average}/std_dev_across_runs"] = deviation
            made[f"{average}/std_err_across_runs"] = deviation / math.sqrt(k)
            several = [statistics.stdev(given[:k]) for given in groups if len(given[:k]) > 1]
            made[f"{average}/avg_sample_std_dev"] = statistics.fmean(several)
    return made | {"per_sample_aggregate": {name: places}}


def majority_keys(groups: Sequence[Sequence[tuple[Any, float]]], name: str = "accuracy") -> Numbers:
    """`majority@k` of pairs of answer and score."""
    most = max(map(len, groups))
    return {
        f"majority@{k}/{name}": 100 * statistics.fmean(majority_of(given[:k]) for given in groups)
        for k in range(1, most + 1)
    }


def infos_of(rows: Iterable[Row]) -> list[Row]:
    return [
        {"rollout_id": f"{task_of(one)}:{repeat_of(one)}", **{name: one.get(name, 0) for name in INDICES}}
        | columns_of(one)
        for one in rows
    ]


def completion(present: int, expected: int) -> Numbers:
    return {
        "num_rollouts": present,
        "expected_num_rollouts": expected,
        "missing_num_rollouts": expected - present,
        "reward_profile_completion_pct": 100 * present / expected,
    }


def group_of(task: int, rows: Sequence[Row]) -> Row:
    """What an aggregate says of one task."""
    made: Row = {"_ng_task_index": task, **described(rows), **completion(len(rows), len(rows))}
    return made | {"rollout_infos": infos_of(rows), "sample": {"agent_ref": {"name": "agent"}}}


def aggregate(rows: Iterable[Row], agent: str = "solver", **metrics: Any) -> list[Row]:
    """`*_aggregate_metrics.json` of one agent; `metrics` are what its server adds."""
    rows = in_order(rows)
    found = described(rows)
    return [
        {
            "agent_ref": {"name": agent},
            "agent_metrics": found | metrics,
            "key_metrics": {key: value for key, value in found.items() if key.startswith("mean/")},
            "group_level_metrics": [group_of(task, given) for task, given in by_task(rows).items()],
        }
    ]


def profile(rows: Iterable[Row], owed: Mapping[int, int]) -> list[Row]:
    """`*_reward_profiling.jsonl`, with the number of rollouts that each task owes."""
    return [
        {"_ng_task_index": task, **described(given), **completion(len(given), owed[task])}
        | {"rollout_infos": infos_of(given), "sample": {"responses_create_params": given[0]["responses_create_params"]}}
        for task, given in by_task(rows).items()
    ]


def repeat_levels(rows: Iterable[Row]) -> list[Row]:
    """One map per repeat: its samples, and the statistics of Gym 0.7."""
    rows = in_order(rows)
    tasks = len(by_task(rows))
    made = []
    for index in sorted({repeat_of(one) for one in rows}):
        given = [one for one in rows if repeat_of(one) == index]
        made.append({"_ng_rollout_index": index, "sample_count": len(given), "missing_count": tasks - len(given)})
        for name, values in values_of(given).items():
            made[-1] |= {f"{key}/{name}": value for key, value in more_statistics(values).items()}
    return made


def more_statistics(values: Sequence[float]) -> dict[str, float]:
    mean = statistics.fmean(values)
    made = {"mean": mean, "median": statistics.median(values), "min": min(values), "max": max(values)}
    if len(values) > 1:
        quarters = statistics.quantiles(values, n=4, method="inclusive")
        spread = statistics.stdev(values)
        error = spread / math.sqrt(len(values))
        low, high = (mean + side * student.ppf(0.975, len(values) - 1) * error for side in (-1, 1))
        made |= {"p25": quarters[0], "p75": quarters[2], "std": spread, "sem": error}
        made |= {"ci_low_95": float(low), "ci_high_95": float(high)}
    return made


def across_repeats(rows: Iterable[Row]) -> Numbers:
    """Statistics whose observations are the means of the repeats, and how many repeats there are."""
    rows = list(rows)
    repeats = sorted({repeat_of(one) for one in rows})
    made: Numbers = {"num_repeats": len(repeats)}
    for name in values_of(rows):
        observed = [values_of(one for one in rows if repeat_of(one) == index).get(name) for index in repeats]
        found = more_statistics([statistics.fmean(values) for values in observed if values])
        for short, key in {**{one: one for one in ("mean", "median", "std", "min", "max")}, "se": "sem"}.items():
            if key in found:
                made[f"{short}_across_repeats/mean/{name}"] = found[key]
        for key in {"ci_low_95", "ci_high_95"} & found.keys():
            made[f"{key}_across_repeats/mean/{name}"] = found[key]
    return made


def performance(rows: Iterable[Row]) -> Numbers:
    """The token counts of `perf_summary`."""
    made: Numbers = {}
    for kind, name in (("prompt", "input_tokens"), ("completion", "output_tokens")):
        values = values_of(rows)[name]
        made |= {f"mean_{kind}_tokens": statistics.fmean(values), f"median_{kind}_tokens": statistics.median(values)}
        made[f"total_{kind}_tokens"] = sum(values)
    return made


ENDINGS = {
    "aggregate metrics": "run_aggregate_metrics.json",
    "reward profile": "run_reward_profiling.jsonl",
    "agent metrics": "run_agent_metrics.json",
    "repeat metrics": "run_repeat_level_metrics.json",
    "metrics": "run_metrics.json",
    "failures": "run_failures.jsonl",
    "materialized inputs": "run_materialized_inputs.jsonl",
    "health summary": "quality_summary.json",
    "health verdicts": "rollout_verdicts.jsonl",
}


def ship(directory: Path, kind: str, holds: Any, stem: str = "run") -> Path:
    """Write a sidecar: rows as JSON Lines, other values as JSON, bytes as they are."""
    path = directory / ENDINGS[kind].replace("run_", f"{stem}_", 1)
    if path.suffix == ".jsonl" and not isinstance(holds, bytes):
        return write(path, holds)
    path.write_bytes(holds if isinstance(holds, bytes) else json.dumps(holds).encode())
    return path


def checks(path: Path | str) -> list[SourceCheck]:
    """Every sidecar of every run at a path, held against the rows."""
    with blade.load(path, here()) as store:
        return [check for run in store.runs for check in check_shipped(store, run)]


def held(directory: Path, rows: Iterable[Row | str], sidecars: Mapping[str, Any]) -> dict[str, SourceCheck]:
    """A run with these rows and sidecars, checked; by kind of sidecar."""
    write(directory / "run.jsonl", rows)
    for kind, holds in sidecars.items():
        ship(directory, kind, holds)
    return {check.kind: check for check in checks(directory / "run.jsonl")}


class Shelf:
    """A run that was scanned once, and whose sidecars are written anew for every check."""

    def __init__(self, directory: Path, rows: Iterable[Row | str], *kinds: str, **scanned: Any) -> None:
        write(directory / "run.jsonl", rows)
        for kind in kinds:
            ship(directory, kind, b"[]")
        for kind, holds in scanned.items():
            ship(directory, kind.replace("_", " "), holds)
        self._directory, self._kinds = directory, kinds
        self._store = blade.load(directory / "run.jsonl", here())

    def __enter__(self) -> "Shelf":
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    def all(self, holds: Any) -> list[SourceCheck]:
        """Every kind of sidecar with the same content."""
        for kind in self._kinds:
            ship(self._directory, kind, holds)
        return check_shipped(self._store, self._store.runs[0])

    def check(self, holds: Any) -> SourceCheck:
        """The one kind there is, with this content."""
        [found] = self.all(holds)
        return found


def agrees_entirely(check: SourceCheck) -> bool:
    """Whether every number was compared and none differs."""
    told = (check.problem, check.disagreements, check.unchecked)
    assert told == (None, [], []), told
    return 0 < check.checked == check.agreed


def by_place_and_key(check: SourceCheck) -> dict[tuple[str, str], Disagreement]:
    """The disagreements of a file, which are all described."""
    assert check.problem is None
    assert check.checked - check.agreed == len(check.disagreements)
    return {(one.where, one.key): one for one in check.disagreements}


def only(check: SourceCheck) -> Disagreement:
    """The one disagreement."""
    [found] = by_place_and_key(check).values()
    return found


def said(found: Disagreement) -> tuple[str, str, Any, Any]:
    """Where two numbers differ, and both of them."""
    return found.where, found.key, found.shipped, found.recomputed


def test_the_statistics_of_rewards_are_those_of_a_known_file() -> None:
    made = described([scored(0, place, reward) for place, reward in enumerate((-1, 1, -1, 1, 1))])
    assert made == {
        "mean/reward": 0.2,
        "max/reward": 1.0,
        "min/reward": -1.0,
        "median/reward": 1.0,
        "std/reward": pytest.approx(1.0954451150103324, rel=1e-15),
    }


def test_columns_are_numbers_at_the_top_of_a_row_with_usage_over_them() -> None:
    one = scored(3, 4, 0.5, usage={"input_tokens": 7, "details": {"x": 1}}, input_tokens=99, text="5", flag=True)
    assert columns_of(one | {"nested": {"a": 1}, "nothing": None}) == {"reward": 0.5, "input_tokens": 7.0, "flag": 1.0}


def test_deviations_are_zero_where_no_column_has_one_and_absent_where_another_has() -> None:
    one, two = scored(0, 0, 1, extra=3), scored(0, 1, 0)
    assert {key: value for key, value in described([one]).items() if key.startswith("std")} == {
        "std/reward": 0.0,
        "std/extra": 0.0,
    }
    spread = {key: value for key, value in described([one, two]).items() if key.startswith("std")}
    assert spread == {"std/reward": pytest.approx(math.sqrt(0.5))}


def test_a_pass_among_k_is_counted_over_all_choices_or_taken_as_the_best_of_the_first() -> None:
    assert pass_at(2, [1, 0, 0, 1]) == pytest.approx(1 - math.comb(2, 2) / math.comb(4, 2))
    assert pass_at(3, [0, 0, 1, 0, 0]) == pytest.approx(1 - math.comb(4, 3) / math.comb(5, 3))
    assert pass_at(2, [0.2, 0.4, 0.9]) == 0.4


def test_a_majority_is_of_pairs_of_answer_and_score() -> None:
    assert majority_of([("a", 1), ("b", 0), ("a", 1)]) == 1
    assert majority_of([("a", 1), ("b", 0)]) == 0.5
    assert majority_of([("a", 1), ("a", 0), ("b", 0)]) == pytest.approx(1 / 3)
    assert majority_of([(None, 1), (None, 1), ("b", 0)]) == 0
    assert majority_of([(None, 1)]) == 0


def test_scores_are_given_in_percent_by_k_and_by_place() -> None:
    made = score_keys([[1, 0], [0, 0], [1]])
    assert made["per_sample_aggregate"] == {"accuracy": [pytest.approx(200 / 3), 0.0]}
    assert made["pass@1/accuracy"] == pytest.approx(50)
    assert made["pass@2/accuracy"] == pytest.approx(50)
    assert made["pass@1[avg-of-1]/accuracy"] == pytest.approx(200 / 3)
    assert made["pass@1[avg-of-2]/accuracy"] == pytest.approx(50)
    assert made["pass@1[avg-of-2]/accuracy/std_dev_across_runs"] == pytest.approx(100 * math.sqrt(2) / 3)
    assert made["pass@1[avg-of-2]/accuracy/std_err_across_runs"] == pytest.approx(100 / 3)
    assert made["pass@1[avg-of-2]/accuracy/avg_sample_std_dev"] == pytest.approx(math.sqrt(0.5) / 2)


def test_the_statistics_of_repeats_have_quarters_and_an_interval() -> None:
    made = more_statistics([1, 2, 3, 4])
    error = math.sqrt(5 / 3) / 2
    assert (made["p25"], made["p75"], made["sem"]) == (1.75, 3.25, pytest.approx(error))
    assert made["ci_low_95"] == pytest.approx(2.5 - 3.182446305284263 * error)
    assert made["ci_high_95"] == pytest.approx(2.5 + 3.182446305284263 * error)


def test_every_repeat_says_how_many_tasks_it_has_and_lacks() -> None:
    made = repeat_levels(grid([[1, 0], [0], [1, 1]]))
    assert [(one["sample_count"], one["missing_count"], one["mean/reward"]) for one in made] == [
        (3, 0, pytest.approx(2 / 3)),
        (2, 1, 0.5),
    ]
    across = across_repeats(grid([[1, 0], [0], [1, 1]]))
    assert across["num_repeats"] == 2
    assert across["mean_across_repeats/mean/reward"] == pytest.approx(7 / 12)


def test_what_is_owed_says_how_complete_a_task_is() -> None:
    [one] = profile(grid([[1, 0, 1]]), {0: 4})
    assert (one["expected_num_rollouts"], one["missing_num_rollouts"]) == (4, 1)
    assert one["reward_profile_completion_pct"] == 75.0
    assert [info["rollout_id"] for info in one["rollout_infos"]] == ["0:0", "0:1", "0:2"]
