"""The pages as a PDF, printed by a Chromium of the system, which draws them as the instructor's own
browser would. It is no dependency: who prints from a browser needs none.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from nbjudge.course.defend.sheets import DefendError
from nbjudge.grading.config.folders import write_private

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 600
# The page itself forbids scripts and whatever it would have to fetch.
OPTIONS = (
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--no-pdf-header-footer",
)


def browser() -> str:
    """The program that prints. Raises DefendError where there is none."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise DefendError(
            "--pdf needs Chromium: type `sudo apt-get install chromium`, or print sheets.html from any browser"
        )
    return found


def pdf(page: Path) -> Path:
    """Print a page beside itself. Raises DefendError."""
    program = browser()
    target = page.with_suffix(".pdf")
    with tempfile.TemporaryDirectory() as folder:
        printed = Path(folder, "printed.pdf")
        # Chromium has no sandbox of its own for root. The page is ours: all text in it is escaped.
        as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
        command = [program, *OPTIONS, *as_root, f"--user-data-dir={folder}/profile"]
        try:
            ended = subprocess.run(
                [*command, f"--print-to-pdf={printed}", page.resolve().as_uri()],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise DefendError(f"{program} did not print {page} within {SECONDS} s") from None
        if not printed.is_file():
            why = (ended.stderr.strip().splitlines() or ["it says nothing"])[-1]
            raise DefendError(f"{program} did not print {page}: {why}")
        write_private(target, printed.read_bytes())
    return target
