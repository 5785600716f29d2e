"""A notebook that was handed in under another name is known by the grade_ids of its cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from autograder import wire
from autograder.grading.skeletons import Notebook, nbgrader_metadata

MAX_LOOKED_AT = 8
Read = Callable[[bytes], tuple[list[dict], str | None]]


class NotHandedIn(ValueError):
    """The submission holds no notebook of that name, and none or several that could be it. The text
    is for the student.
    """


class Candidates:
    """The grade_ids in a submission's files that bear no notebook's name; each file is read once.

    `files` are notebooks by name, without `.ipynb`. `read` parses bytes into cells; what it refuses
    with a ValueError is no candidate.
    """

    def __init__(
        self, skeletons: Mapping[str, Notebook], files: Mapping[str, wire.Blob], read: Read
    ):
        self.names = [name for name in sorted(files) if name not in skeletons]
        self._files, self.read = files, read

    @cached_property
    def grade_ids(self) -> dict[str, set[str]]:
        return {name: self._in(name) for name in self.names[:MAX_LOOKED_AT]}

    def _in(self, name: str) -> set[str]:
        try:
            cells, _ = self.read(self._files[name])
        except ValueError:
            return set()
        return {(cell.get("nbgrader") or {}).get("grade_id") for cell in cells}


def find(name: str, skeletons: Mapping[str, Notebook], candidates: Candidates) -> str:
    """The name under which the notebook `name` was handed in. Raises NotHandedIn unless exactly one
    file holds its cells.

    Files that bear the name of another notebook of the assignment are that notebook.
    """
    others, found = candidates.names, holding(name, skeletons, candidates)
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
    raise NotHandedIn(f"{name}.ipynb is not in the submission{there}")


def holding(name: str, skeletons: Mapping[str, Notebook], candidates: Candidates) -> list[str]:
    """The files that hold the cells of the notebook `name`, and bear no notebook's name."""
    return [
        other for other, theirs in candidates.grade_ids.items() if _belongs(theirs, name, skeletons)
    ]


def hold_any(skeletons: Mapping[str, Notebook], candidates: Candidates) -> bool:
    """Whether one of the files holds the cells of any of the notebooks."""
    return any(
        _belongs(theirs, name, skeletons)
        for theirs in candidates.grade_ids.values()
        for name in skeletons
    )


def _belongs(theirs: set[str], name: str, skeletons: Mapping[str, Notebook]) -> bool:
    """Whether most of the notebook's grade_ids are there, and more of them than of any other
    notebook's.
    """
    shares = {
        each: len(theirs & ids) / len(ids)
        for each, ids in ((key, _grade_ids(skeleton)) for key, skeleton in skeletons.items())
        if ids
    }
    own = shares.pop(name, 0.0)
    return own > 0.5 and own > max(shares.values(), default=0.0)


def _grade_ids(skeleton: Notebook) -> set[str]:
    return {meta["grade_id"] for cell in skeleton["cells"] if (meta := nbgrader_metadata(cell))}


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
