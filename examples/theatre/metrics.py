"""The statistics that NeMo Gym derives from a rollouts file, by its formulas.

A column is every number or truth value at the top level of a row and every number in
`response.usage`. Each column has its own denominator: rows without a value are left out.
Masked rows count like others, and there is no level of repeats: this is the form of the
versions before 0.7.
"""

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import comb, fsum, sqrt
from typing import Any

Row = dict[str, Any]
Columns = dict[str, list[float]]

INDICES = ("_ng_task_index", "_ng_rollout_index")
_STATISTICS: dict[str, Callable[[list[float]], float]] = {
    "mean": statistics.fmean,
    "max": max,
    "min": min,
    "median": statistics.median,
}


def aggregate_metrics(rows: Iterable[Row]) -> list[Row]:
    """Return the content of the aggregate file: one entry for the one agent of a run."""
    ordered = _in_order(rows)
    if not ordered:
        return []
    columns = numeric_columns(ordered)
    metrics = describe(columns) | pass_metrics(_rewards_by_task(ordered))
    key_metrics = {key: value for key, value in metrics.items() if key.startswith("mean/")}
    return [
        {
            "agent_ref": {"name": ordered[0]["agent_ref"]["name"]},
            "agent_metrics": metrics,
            "key_metrics": key_metrics,
            "group_level_metrics": [
                {**_group(index, group, len(group)), "sample": {"agent_ref": {"name": "agent"}}}
                for index, group in _by_task(ordered).items()
            ],
        }
    ]


def reward_profile(rows: Iterable[Row], inputs: Iterable[Row]) -> list[Row]:
    """Return one row per task that has a rollout, with what was owed and what came."""
    owed = _by_task(inputs)
    profile = []
    for index, group in _by_task(_in_order(rows)).items():
        sample = {key: value for key, value in owed[index][0].items() if key not in INDICES}
        profile.append({**_group(index, group, len(owed[index])), "sample": sample})
    return profile


def numeric_values(row: Row) -> dict[str, float]:
    """Return a row's own entry in every column."""
    usage = (row.get("response") or {}).get("usage") or {}
    values = {**row, **usage}
    return {
        key: int(value) if isinstance(value, bool) else value
        for key, value in values.items()
        if isinstance(value, (int, float)) and key not in INDICES
    }


def numeric_columns(rows: Sequence[Row]) -> Columns:
    """Return the columns in order of first appearance."""
    columns: Columns = {}
    for row in rows:
        for key, value in numeric_values(row).items():
            columns.setdefault(key, []).append(value)
    return columns


def describe(columns: Columns) -> dict[str, float]:
    """Return the statistics of each column.

    The standard deviation is of the sample (n - 1). One value has none; where no column has
    one, all are written as 0.
    """
    described = {
        f"{name}/{key}": float(statistic(values))
        for name, statistic in _STATISTICS.items()
        for key, values in columns.items()
    }
    spreads = {f"std/{key}": sample_deviation(values) for key, values in columns.items() if len(values) > 1}
    return described | (spreads or {f"std/{key}": 0.0 for key in columns})


def sample_deviation(values: Sequence[float]) -> float:
    """Return the standard deviation with n - 1; `statistics.stdev` is exact and far slower."""
    mean = statistics.fmean(values)
    return sqrt(fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def pass_metrics(rewards: Mapping[int, list[float]]) -> dict[str, Any]:
    """Return pass@k and the averages of the first k, in percent, for every k there is."""
    groups = list(rewards.values())
    largest = max(len(group) for group in groups)
    by_place = [_percent([group[n] for group in groups if len(group) > n]) for n in range(largest)]
    metrics: dict[str, Any] = {}
    for k in range(1, largest + 1):
        full = [group for group in groups if len(group) >= k]
        metrics[f"pass@{k}/accuracy"] = _percent([_pass_at(k, group) for group in full])
        average = f"pass@1[avg-of-{k}]/accuracy"
        metrics[average] = _percent([statistics.fmean(group[:k]) for group in groups])
        if k > 1:
            spread = sample_deviation(by_place[:k])
            metrics[f"{average}/std_dev_across_runs"] = spread
            metrics[f"{average}/std_err_across_runs"] = spread / sqrt(k)
    metrics["per_sample_aggregate"] = {"accuracy": by_place}
    return metrics


def _pass_at(k: int, rewards: list[float]) -> float:
    passes = sum(reward == 1.0 for reward in rewards)
    return 1.0 - comb(len(rewards) - passes, k) / comb(len(rewards), k)


def _percent(shares: list[float]) -> float:
    return 100.0 * statistics.fmean(shares)


def _group(index: int, rows: Sequence[Row], owed: int) -> Row:
    return {
        "_ng_task_index": index,
        **describe(numeric_columns(rows)),
        "num_rollouts": len(rows),
        "expected_num_rollouts": owed,
        "missing_num_rollouts": owed - len(rows),
        "reward_profile_completion_pct": 100.0 * len(rows) / owed,
        "rollout_infos": [_rollout_info(row) for row in rows],
    }


def _rollout_info(row: Row) -> Row:
    task, rollout = (row[key] for key in INDICES)
    identity = {
        "rollout_id": f"{task}:{rollout}",
        "_ng_task_index": task,
        "_ng_rollout_index": rollout,
    }
    return identity | numeric_values(row)


def _in_order(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: tuple(row[key] for key in INDICES))


def _by_task(rows: Iterable[Row]) -> dict[int, list[Row]]:
    groups: dict[int, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["_ng_task_index"], []).append(row)
    return groups


def _rewards_by_task(rows: Iterable[Row]) -> dict[int, list[float]]:
    return {index: [row["reward"] for row in group] for index, group in _by_task(rows).items()}
