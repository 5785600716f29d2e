"""What other people's programs say of the pages: html-validate of all of them, Lighthouse of two.
Both come from npm by the lock.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chromium import CHROMIUM

ROOT = Path(__file__).resolve().parents[2]
NODE = Path(sys.executable).with_name("node")
CATEGORIES = ("performance", "accessibility", "best-practices")
LEAST = 0.95

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("site")]


def test_every_page_is_valid_html(built, read, modules):
    command = [
        NODE,
        modules / "html-validate" / "bin" / "html-validate.mjs",
        "--config",
        ROOT / "site" / ".htmlvalidate.json",
    ]
    done = subprocess.run(
        [*command, "--formatter", "text", *read], cwd=built, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]


def lighthouse(modules: Path, address: str, report: Path) -> dict[str, float]:
    """The scores of one run, by category."""
    command = [
        NODE,
        modules / "lighthouse" / "cli" / "index.js",
        address,
        "--output=json",
        f"--output-path={report}",
        "--quiet",
        f"--only-categories={','.join(CATEGORIES)}",
        "--chrome-flags=--headless=new --no-sandbox --disable-gpu",
    ]
    subprocess.run(command, check=True, env=os.environ | {"CHROME_PATH": str(CHROMIUM)})
    found = json.loads(report.read_text())["categories"]
    return {name: each["score"] for name, each in found.items()}


@pytest.mark.parametrize("page", ["index.html", "notebooks/day-50/05-graph-surgery.html"])
def test_lighthouse_has_little_to_say(address, modules, tmp_path, page):
    """Performance is the best of up to three runs: whatever else the machine does can only lower it.
    What a page costs on any machine is held by test_browser.py, in bytes and requests.
    """
    best = 0.0
    for number in range(3):
        scores = lighthouse(modules, f"{address}/{page}", tmp_path / f"{number}.json")
        assert set(scores) == set(CATEGORIES)
        assert min(scores["accessibility"], scores["best-practices"]) >= LEAST, scores
        best = max(best, scores["performance"])
        if best >= LEAST:
            return
    raise AssertionError(f"performance: {best}")
