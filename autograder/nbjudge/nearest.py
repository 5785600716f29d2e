"""The known names that somebody who mistyped one may have meant."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable


def names(typed: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The nearest ones first; capitals and forms of accents do not count."""
    by_form: dict[str, list[str]] = {}
    for name in known:
        by_form.setdefault(_form(name), []).append(name)
    near = difflib.get_close_matches(_form(typed), by_form, most, 0.6)
    return [name for form in near for name in sorted(set(by_form[form]))][:most]


def _form(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
