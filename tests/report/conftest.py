"""A real browser to look at reports with, where there is one."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium from the system's packages; `BLADE_BROWSER=required` makes its absence a failure."""
    required = os.environ.get("BLADE_BROWSER") == "required"
    if not CHROMIUM.exists():
        reason = f"{CHROMIUM} is not there: as root, `apt-get install chromium` installs it"
        pytest.fail(reason) if required else pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS.split())
        yield opened
        opened.close()
