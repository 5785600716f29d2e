"""Which cell of a published notebook a submitted cell is.

A submitted cell is the published cell

1. with its grade_id;
2. else with its cell id;
3. else with its source. Editors of other kinds drop both names, and a notebook without any is still
   known by the tests and texts that it was given. Of published cells with the same source, one that
   no other cell has claimed is meant, the next behind the cell before; else it is a copy of the last.

Blanks at the ends of lines make no other source, nor do the lines by which editors part cells, and a
blank cell is nobody's.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from nbjudge.grading.document.cells import Notebook, nbgrader_metadata
from nbjudge.grading.document.syntax import parse, without_docstrings
from nbjudge.grading.published.skeletons import UNNAMED

# What PyCharm and DataSpell, VS Code, Spyder, jupytext and nbconvert write in front of a cell.
_BETWEEN = re.compile(r"#\s*%%.*|# In\[[ \d]*\]:?|# [+-]")
MAX_BETWEEN = 200
_MAGIC = re.compile(r"^([ \t]*)([%!].*)$", re.MULTILINE)


@dataclass
class _Names:
    """Where the published cells are, by what a submitted cell may say of itself."""

    by_grade_id: dict[str | None, int] = field(default_factory=dict)
    by_id: dict[str | None, int] = field(default_factory=dict)
    by_source: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, published: Notebook) -> _Names:
        names = cls()
        for position, cell in enumerate(published["cells"]):
            if meta := nbgrader_metadata(cell):
                names.by_grade_id[meta["grade_id"]] = position
            if not cell.get("id", UNNAMED).startswith(UNNAMED):
                names.by_id[cell["id"]] = position
            if source := normal(cell["source"]):
                names.by_source.setdefault(source, []).append(position)
        return names

    def named(self, cell: Mapping) -> int | None:
        meta = cell.get("nbgrader") or {}
        position = self.by_grade_id.get(meta.get("grade_id"))
        return self.by_id.get(cell.get("id")) if position is None else position

    def alike(self, cell: Mapping) -> list[int]:
        return self.by_source.get(normal(cell.get("source", "")), [])


def matched(published: Notebook, submitted: Sequence[Mapping]) -> list[int | None]:
    """For each submitted cell the position of the published cell that it is, or None."""
    names = _Names.of(published)
    found = [names.named(cell) for cell in submitted]
    claimed = set(found)
    before = -1
    for index, cell in enumerate(submitted):
        if found[index] is None and (alike := names.alike(cell)):
            free = [position for position in alike if position not in claimed]
            found[index] = _next(free, before) if free else _last(alike, before)
            claimed.add(found[index])
        here = found[index]
        before = before if here is None else here
    return found


def _next(positions: Sequence[int], before: int) -> int:
    """The first of the positions behind one, or else the first."""
    return next((position for position in positions if position > before), positions[0])


def _last(positions: Sequence[int], before: int) -> int:
    """The last of the positions up to one, or else the first."""
    return max((position for position in positions if position <= before), default=positions[0])


def share(published: Notebook, submitted: Iterable[Mapping]) -> float:
    """The share of a published notebook's cells that are among the submitted ones: of all, or of
    those that nbgrader knows, whichever is larger.
    """
    names = _Names.of(published)
    found = set()
    for cell in submitted:
        named = names.named(cell)
        found |= {named} if named is not None else set(names.alike(cell))
    marked = set(names.by_grade_id.values())
    every = set(names.by_id.values()).union(marked, *names.by_source.values())
    return max((len(found & some) / len(some) for some in (marked, every) if some), default=0.0)


def normal(source: str) -> str:
    """Without blanks at the ends of lines, and without the lines by which editors part cells in
    front. Line by line: a pattern would look from each of a million blanks for the end of their
    line, and hold up the class.
    """
    lines = source.replace("\r\n", "\n").split("\n")
    first = next((n for n, line in enumerate(lines) if not _is_between(line)), len(lines))
    return "\n".join(line.rstrip(" \t") for line in lines[first:]).strip()


def _is_between(line: str) -> bool:
    return len(line) <= MAX_BETWEEN and (not line.strip() or bool(_BETWEEN.fullmatch(line.strip())))


def same_code(one: str, other: str) -> bool:
    """Whether two sources of code differ in layout alone, as formatters leave them: in blanks, line
    breaks, quotes and comments, and in what docstrings say. Magics are compared as they stand.
    """
    try:
        trees = [
            without_docstrings(parse(_MAGIC.sub(_called, normal(text)))) for text in (one, other)
        ]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return ast.dump(trees[0]) == ast.dump(trees[1])


def _called(line: re.Match[str]) -> str:
    return f"{line[1]}magic({line[2].rstrip()!r})"
