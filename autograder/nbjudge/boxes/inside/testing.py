"""Test cells: which exercise one is about, and its call of `check`."""

from __future__ import annotations

import re

_TEST_CELL = re.compile(r"""\s*check\(\s*["'](\w+)["']\s*,[^()\n]*\)\s*""")


def tested_exercise(source: str) -> str | None:
    """The exercise whose test cell this source is: nothing but one call of `check`."""
    match = _TEST_CELL.fullmatch(source)
    return match[1] if match else None


def call_of(source: str) -> tuple[str, str | None]:
    """A test cell as (source, expression): its call of `check` as an expression that neither input
    transformers nor a name can change.
    """
    return (
        ("", f'__import__("nbjudge").{source.strip()}')
        if _TEST_CELL.fullmatch(source)
        else (source, None)
    )
