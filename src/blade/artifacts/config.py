"""What stands beside a run and was written for people or for the harness: configs and notes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from blade.artifacts.discover import RunFiles

REPEAT_KEYS = ("num_repeats", "repeats", "n_repeats", "num_rollouts_per_task", "num_samples_per_prompt", "num_trials")
LIMIT_KEYS = ("limit", "task_limit", "num_tasks", "max_tasks", "num_samples", "limit_samples")
TRAIT_KEYS = (
    "model",
    "model_name",
    "policy_model_name",
    "temperature",
    "top_p",
    "max_output_tokens",
    "max_tokens",
    "max_steps",
    "max_turns",
    "seed",
    "split",
    "dataset",
    "benchmark",
    "agent",
    "agent_name",
    "timeout",
    "concurrency",
    "num_samples_in_parallel",
)
LONGEST_NOTES = 64 * 1024
LARGEST_CONFIG = 4 * 1024 * 1024
_DEEPEST = 12


class Declared(msgspec.Struct, kw_only=True):
    """What the configs beside a run declare, as far as it can be recognised; null where they do not say."""

    files: list[str] = []
    repeats: int | None = None
    task_limit: int | None = None
    values: dict[str, Any] = {}
    """Settings that describe the run, under the dotted names they have in the configs."""
    problems: list[str] = []


def read_config(run: RunFiles) -> Declared | None:
    """The declared settings of a run, or None where no config stands beside it."""
    if not run.configs:
        return None
    declared = Declared(files=list(run.configs))
    for path in run.configs:
        try:
            document = _parse(Path(path))
        except (OSError, ValueError) as error:
            declared.problems.append(f"{path} could not be read: {str(error).splitlines()[0]}")
            continue
        for name, value in _leaves(document, ""):
            _take(declared, name, value)
    return declared


def _parse(path: Path) -> Any:
    """JSON or YAML; the YAML library is loaded only when there is YAML to read."""
    if path.stat().st_size > LARGEST_CONFIG:
        raise ValueError("too large for a config")
    data = path.read_bytes()
    if path.suffix.lower() == ".json":
        return msgspec.json.decode(data)
    import yaml

    try:
        return yaml.safe_load(data)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _leaves(value: Any, name: str, depth: int = _DEEPEST) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and depth:
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else str(key), depth - 1)
    elif isinstance(value, list) and depth:
        for place, inner in enumerate(value):
            yield from _leaves(inner, f"{name}.{place}", depth - 1)
    else:
        yield name, value


def _take(declared: Declared, name: str, value: Any) -> None:
    key = name.rpartition(".")[2]
    whole = value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
    if key in REPEAT_KEYS and whole:
        declared.repeats = max(declared.repeats or 0, whole)
    elif key in LIMIT_KEYS and whole:
        declared.task_limit = min(declared.task_limit or whole, whole)
    if key in (*TRAIT_KEYS, *REPEAT_KEYS, *LIMIT_KEYS) and value is not None:
        declared.values[name] = value


def read_notes(run: RunFiles) -> str | None:
    """The run's own notes, at most `LONGEST_NOTES` characters."""
    texts = []
    for path in run.of_kind("notes"):
        try:
            texts.append(Path(path).read_text(encoding="utf-8", errors="replace").strip())
        except OSError:
            continue
    return "\n\n".join(filter(None, texts))[:LONGEST_NOTES] or None
