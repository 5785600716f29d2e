"""A notebook that was handed in under another name is known by its cells: by their names, or by
their sources where the names are gone (`matching`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath

from nbjudge import wire
from nbjudge.grading.document.cells import Notebook
from nbjudge.grading.intake import untrusted
from nbjudge.grading.intake.notebook_names import folded
from nbjudge.grading.notebook import matching

MAX_LOOKED_AT = 8
# What marimo, jupytext, Quarto and "Save as" make of a notebook.
_NO_NOTEBOOKS = frozenset({".py", ".md", ".qmd", ".rmd", ".html", ".pdf", ".txt", ".docx"})
Read = Callable[[wire.Blob], tuple[list[dict], str | None]]


class NotHandedIn(ValueError):
    """The submission holds no notebook of that name, and none or several that could be it. The text
    is for the student.
    """


class Candidates:
    """The cells of a submission's files that bear no notebook's name; each file is read once.

    `files` are notebooks by name, without `.ipynb`. `read` parses bytes into cells; what it refuses
    with a ValueError is no candidate. `beside` are the paths of what else was handed in.
    """

    def __init__(
        self,
        skeletons: Mapping[str, Notebook],
        files: Mapping[str, wire.Blob],
        read: Read,
        beside: Collection[str] = (),
    ):
        self.beside = beside
        self.names = [name for name in sorted(files) if name not in skeletons]
        self._skeletons = skeletons
        self._files = files
        self.read = read

    @cached_property
    def shares(self) -> dict[str, dict[str, float]]:
        """By file, which share of each notebook's cells it holds."""
        return {
            name: shares_of(self._in(name), self._skeletons) for name in self.names[:MAX_LOOKED_AT]
        }

    def _in(self, name: str) -> list[dict]:
        try:
            return self.read(self._files[name])[0]
        except ValueError:
            return []


def find(name: str, candidates: Candidates) -> str:
    """The name under which the notebook `name` was handed in. Raises NotHandedIn unless exactly one
    file holds its cells.

    Files that bear the name of another notebook of the assignment are that notebook.
    """
    others = candidates.names
    found = holding(name, candidates)
    if len(found) == 1:
        return found[0]
    if found:
        raise NotHandedIn(
            f"{name}.ipynb is not in the submission, and {listed(found)} hold its cells: hand in one, as {name}.ipynb"
        )
    there = (
        f"; its files are {listed(others)}, and none of them holds the cells of {name}.ipynb"
        if others
        else ""
    )
    raise NotHandedIn(f"{name}.ipynb is not in the submission{there}{_instead(name, candidates)}")


def _instead(name: str, candidates: Candidates) -> str:
    """What there is to say of a file that bears the notebook's name and is none, as editors make of
    one.
    """
    for path in sorted(candidates.beside):
        file = PurePosixPath(path)
        if file.suffix.lower() in _NO_NOTEBOOKS and folded(file.stem) == folded(name):
            return f"; {untrusted.shown(path)} is, which is no notebook: open or convert it in Jupyter, and hand in {name}.ipynb"
    return ""


def holding(name: str, candidates: Candidates) -> list[str]:
    """The files that hold the cells of the notebook `name`, and bear no notebook's name."""
    return [other for other, shares in candidates.shares.items() if _belongs(shares, name)]


def hold_any(skeletons: Mapping[str, Notebook], candidates: Candidates) -> bool:
    """Whether one of the files holds the cells of any of the notebooks."""
    return any(
        _belongs(shares, name) for shares in candidates.shares.values() for name in skeletons
    )


def notebook_of(cells: Sequence[Mapping], skeletons: Mapping[str, Notebook]) -> str | None:
    """The notebook whose cells these are, or None."""
    shares = shares_of(cells, skeletons)
    return next((name for name in skeletons if _belongs(shares, name)), None)


def shares_of(cells: Sequence[Mapping], skeletons: Mapping[str, Notebook]) -> dict[str, float]:
    """Which share of each notebook's cells is among `cells`."""
    return {name: matching.share(skeleton, cells) for name, skeleton in skeletons.items()}


def _belongs(shares: Mapping[str, float], name: str) -> bool:
    """Whether most of the notebook's cells are there, and more of them than of any other
    notebook's.
    """
    others = (share for other, share in shares.items() if other != name)
    own = shares.get(name, 0.0)
    return own > 0.5 and own > max(others, default=0.0)


def shown(name: str) -> str:
    """A file's name, which a student chose, for a report."""
    return (
        "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in name)[:60]
        + ".ipynb"
    )


def listed(names: Sequence[str]) -> str:
    return ", ".join(map(shown, names[:4])) + (
        f" and {len(names) - 4} more" if len(names) > 4 else ""
    )
