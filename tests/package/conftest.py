"""A sound package to break: a copy of one that the project ships."""

import shutil
from pathlib import Path

import pytest

from blade.package import engine

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "benchmarks"
TOOLKIT = Path("skills/nemo-gym-blade-analysis/scripts/blade_toolkit.py")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of a shipped package: two runs, the golden report of one, and one that compares them."""
    made = Path(shutil.copytree(SHIPPED / "completion_plus", tmp_path / "completion_plus"))
    for path in (made / "golden_reports").glob("careful_*"):
        if "_vs_" not in path.name:
            path.unlink()
    return made


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the libraries of the engine are not installed."""
    monkeypatch.setattr(engine, "missing", lambda: "needs the engine: python -m pip install it")
