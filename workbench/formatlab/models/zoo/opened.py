"""What opening a hostile file of each format did: written by the run of notebook 08 of Day 50."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("opened.json")


class Opened(NamedTuple):
    """`what` was opened, whether its code `ran`, what the loader `said`, and the package and
    version that it was tried with.
    """

    what: str
    ran: str
    said: str
    tried_with: str


def opened() -> list[Opened]:
    """In the order of the page."""
    return [Opened(*row) for row in json.loads(FILE.read_text(encoding="utf-8"))]
