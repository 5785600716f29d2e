"""Predictions: the reader writes an answer before a cell runs, and one line compares it with what
came out.
"""

from __future__ import annotations

from typing import Any


def compare(guess: Any, found: Any) -> None:
    """Say what was predicted and what was found. `guess` is `...` until the reader writes one."""
    if guess is ...:
        print(
            f"Found: {found}. Your prediction: none yet. Write it in place of the dots and run the cell again."
        )
    else:
        print(
            f"Found: {found}. Your prediction: {guess}. {'Right.' if guess == found else 'Not this time.'}"
        )
