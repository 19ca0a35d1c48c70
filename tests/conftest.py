"""What many tests need: a cache of their own, and the shared data where there is any."""

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that no other test has seen; whatever uses the default cache uses this one."""
    directory = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("BLADE_CACHE", str(directory))
    return directory


@pytest.fixture(scope="session")
def gym_data() -> Path:
    """Real files of NeMo Gym."""
    directory = SHARED / "gym"
    if not directory.is_dir():
        pytest.skip("the shared data is not beside the repository")
    return directory


@pytest.fixture(scope="session")
def published() -> Path:
    """Runs whose results others have published: folders beside those of NeMo Gym."""
    if not (SHARED / "tau_airline").is_dir() or not (SHARED / "mint").is_dir():
        pytest.skip("the shared data is not beside the repository")
    return SHARED
