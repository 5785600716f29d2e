"""The site, built once for all its tests, and a server for it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.chromium import CHROMIUM, FLAGS
from tests.site import pages

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Path:
    """The folder with the pages: that of COURSE_SITE, or built now. Sphinx keeps what it has read
    in build/, so a second run is faster.
    """
    if "COURSE_SITE" in os.environ:
        return Path(os.environ["COURSE_SITE"]).resolve()
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "site", "--out", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    return folder


@pytest.fixture(scope="session")
def read(built) -> dict[str, pages.Page]:
    """Each page that we write, by its address in the site, but for those that only lead on.
    Netron's own is not ours.
    """
    import moved

    found = {
        path.relative_to(built).as_posix(): path
        for path in sorted(built.rglob("*.html"))
        if "_static" not in path.relative_to(built).parts
    }
    return {
        name: pages.read(path) for name, path in found.items() if name not in moved.addresses(ROOT)
    }


@pytest.fixture(scope="session")
def address(built) -> Iterator[str]:
    import serving

    with serving.running(built) as started:
        yield started


# One Playwright at a time can run in a process, and tests/test_lab_browser.py has its own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert CHROMIUM, "Chromium is missing; type: sudo apt-get install chromium"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def modules() -> Path:
    """The packages that tests alone need: axe-core, html-validate, lighthouse."""
    import vendor

    return vendor.install(ROOT / "site", ROOT / "build" / "npm-tests", [])


@pytest.fixture(scope="session")
def axe(modules) -> str:
    return (modules / "axe-core" / "axe.min.js").read_text("utf-8")
