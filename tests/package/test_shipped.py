"""The packages that the project ships are whole, true, and cannot be fooled."""

from pathlib import Path

import pytest

from blade.package.calibrating import calibrate_package
from blade.package.layout import layout_of
from blade.package.validate import validate
from examples.packages.writing import PACKAGES
from tests.package.conftest import ROOT, SHIPPED

LARGEST = 5_000_000
"""Bytes of all packages together."""


@pytest.mark.parametrize("name", PACKAGES)
def test_a_shipped_package_passes_every_check(name: str) -> None:
    found = validate(SHIPPED / name)
    assert [each.lines() for each in found.findings if each.status != "PASS"] == []


@pytest.mark.parametrize("name", PACKAGES)
def test_its_golden_reports_are_calibrated(name: str) -> None:
    found = calibrate_package(SHIPPED / name)
    assert found.keys() == {golden.model for golden in layout_of(SHIPPED / name).goldens}
    for model, calibration in found.items():
        assert calibration.holds, f"{model}: {calibration.note}"


def test_at_least_two_are_shipped_and_they_are_small() -> None:
    names = {path.name for path in SHIPPED.iterdir() if path.is_dir()}
    assert names == set(PACKAGES)
    assert len(names) >= 2
    assert sum(path.stat().st_size for path in SHIPPED.rglob("*") if path.is_file()) < LARGEST


def test_make_packages_writes_them() -> None:
    assert "examples.packages" in (ROOT / "Makefile").read_text(encoding="utf-8")
    assert Path(ROOT / "examples" / "packages" / "parts").is_dir()
