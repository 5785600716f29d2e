"""Display of a verdict where an answer was checked: a notebook or a terminal. It knows verdicts
alone, so that the steps of the reading notebooks use it without what judges and marks.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from nbjudge import render, sections, typed
from nbjudge.verdict import MIME, Verdict


class Shown:
    """What a notebook displays as HTML, and everything else as text."""

    def __init__(self, text: str, html: str):
        self.text = text
        self.html = html

    def _repr_mimebundle_(self, **_options: object) -> dict[str, object]:
        return {"text/plain": self.text, "text/html": self.html}


class _Ladder(Shown):
    """What a notebook displays of a verdict. To `course check` it is data, too, which no notebook
    that a student saves needs.
    """

    def __init__(self, verdict: Verdict, note: str, draw: int | None = None):
        self.data = {"verdict": verdict.to_json(), "draw": draw}
        link = sections.link(verdict.broken.read, Path.cwd()) if verdict.broken else ""
        super().__init__(render.text(verdict, note), render.html(verdict, note, link))

    def _repr_mimebundle_(self, **_options: object) -> dict[str, object]:
        shown = super()._repr_mimebundle_()
        return shown | ({MIME: self.data} if typed.TYPED in os.environ else {})


def show(verdict: Verdict, note: str, draw: int | None = None) -> None:
    """Display the ladder, as HTML where a notebook shows it, and `note` below it; `draw` is the
    number of a practice draw.
    """
    put(_Ladder(verdict, note, draw))


def put(shown: Shown) -> None:
    """Display something where it was asked for: a notebook or a terminal."""
    if _in_notebook():
        from IPython.display import display

        display(shown)
    else:
        print(shown.text)


def _in_notebook() -> bool:
    """A kernel's front end takes HTML. An IPython terminal and plain Python take text."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and hasattr(shell, "kernel")
