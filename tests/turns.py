"""Whose turn it is: of tests that are long and alike, a run of `make test` takes a part, and another
commit another part. `make test-all` takes all of them.

The turn is drawn from the commit, so that a run that is repeated repeats the same tests. TURN=7
chooses another.
"""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest


def turn() -> int:
    """Workers take over the one of the process that starts them."""
    if "TURN" not in os.environ:
        asked = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
        try:
            commit = subprocess.run(asked, capture_output=True, text=True).stdout.strip()
        except FileNotFoundError:  # an archive of the repository, on a machine without git
            commit = ""
        os.environ["TURN"] = str(int(commit or "0", 16) % 10_000)
    return int(os.environ["TURN"])


def rotating(parts: int, params: Sequence) -> list:
    """Each a `pytest.param`; all but one in so many are slow in this turn."""
    return [
        one
        if place % parts == turn() % parts
        else one._replace(marks=[*one.marks, pytest.mark.slow])
        for place, one in enumerate(params)
    ]
