"""Can an assignment be handed out, handed in and marked as its instructor wrote it? Found by
reading its notebooks, before nbgrader takes the solutions out of them.

Refused, in this order:
1. A name that a student's system cannot hold (`portable_names`), and `+` in an assignment's name,
   which nbgrader's exchange puts between names.
2. A file that would be released as it is and holds a solution: a notebook that nbgrader does not
   know by its ending, a text with nbgrader's marks. What `CourseDirectory.ignore` leaves out is not
   released.
3. What is no notebook of format 4.
4. A kernel that is not Python 3. Any other name of a Python kernel is released as `python3`.
5. nbgrader's metadata of an older version, or without a name of its own, a part or points that are a
   number. A kind of cell that nbgrader does not know, or that is never run.
6. Marks that are not in pairs; hidden tests outside of tests. What a mark is, nbgrader's own
   classes say, with the settings of the release (`release_settings`). Once nbgrader has taken out
   what it knows: a line that looks like one of its marks and is still there, because it is released
   with what stands below it.
7. An autotest without its templates, or for another kernel than nbgrader's.
8. A plain test behind the test of an exercise: nothing is kept of what runs there, so everybody
   would earn it.

Said, and released all the same:
9. A file that nbgrader leaves out: a notebook in a folder below the assignment's, and everything in
   a folder `feedback`.
10. An answer that a person marks with 0 points.
11. Hidden tests in an answer that a person marks: they never run.
12. Code that a person marks behind the test of an exercise: its outputs are not kept.
13. A line of an answer that looks like a mark and is none, where nbgrader replaces the whole cell.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from nbgrader.utils import find_all_files

from nbjudge.course import portable_names, release_settings
from nbjudge.course.generating import ReleaseError, read_notebooks
from nbjudge.course.release_settings import Region
from nbjudge.grading.document.cells import (
    Notebook,
    is_grade,
    is_marked_by_hand,
    is_solution,
    is_test,
    known_metadata,
    nbgrader_metadata,
)
from nbjudge.grading.published.asked_exercises import behind, in_notebook

KERNEL = "python3"
_KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": KERNEL}
_PYTHON = frozenset({"python", "ipython", "python3", "ipython3"})
_SCHEMA = 3
_NAME = re.compile(r"[a-zA-Z0-9_\-]+")
_KINDS = ("SOLUTION", "HIDDEN TESTS", "MARK SCHEME")
# What comments begin with, in the languages of the files that lie beside notebooks.
_COMMENT = r"(?:#|=|/|%|\*|--|;|<!--|[ \t])+"
# In Markdown, `### Begin solution` is a heading like others: there capitals tell.
_LIKE_A_MARK = r"^[ \t]*[#=]+[ \t]*(BEGIN|END)[ \t_-]+(SOLUTIONS?|HIDDEN[ \t_-]*TESTS?|MARK(?:ING)?[ \t_-]*SCHEMES?)\b"
_IN_CODE = re.compile(_LIKE_A_MARK, re.IGNORECASE | re.MULTILINE)
_IN_TEXT = re.compile(_LIKE_A_MARK, re.MULTILINE)
_BEGINS_SO = re.compile(
    r"^[ \t]*[#=]+[ \t]*(?:BEGIN|END)[ \t_-]+(?!OF\b)([A-Z \t_-]+)", re.IGNORECASE
)
# How like a mark's words are that somebody mistyped: `SOULTION`, and not `the solution`.
_LIKENESS = 0.86
_AUTOTEST = re.compile(r"^\s*#.*AUTOTEST", re.MULTILINE)
_TEMPLATES = "autotests.yml"
_MAX_TEXT = 1 << 20
# Folders that nbgrader leaves out when it copies an assignment, and nobody misses.
_NEVER_MEANT = frozenset({".ipynb_checkpoints", "__pycache__"})


def require(solutions: Path, assignment: str) -> None:
    """Raises ReleaseError for the first thing that keeps an assignment from being released."""
    folder = solutions / assignment
    _require_names(solutions, assignment)
    regions = release_settings.regions(solutions)
    for path in _files(solutions, assignment):
        _require_no_solution(folder, path, regions)
    for name, notebook in read_notebooks(folder).items():
        where = f"{solutions.name}/{assignment}/{name}.ipynb"
        _require_format(where, notebook)
        require_python(where, notebook)
        _require_cells(where, notebook, (folder / _TEMPLATES).is_file(), regions)


def require_nothing_left(
    where: str, released: Notebook, written: Notebook, regions: Sequence[Region]
) -> None:
    """Raises ReleaseError where nbgrader left something in a notebook that was to be taken out:
    `released` is what it made of what its author has `written`.
    """
    for cell in released["cells"]:
        is_code = cell["cell_type"] == "code"
        for line in "".join(cell["source"]).split("\n"):
            if not (_is_like_a_mark(line, is_code) or _holds(line, regions)):
                continue
            number, own = next(
                (
                    (number, each)
                    for number, each in enumerate(written["cells"])
                    if line in "".join(each["source"]).split("\n")
                ),
                (None, cell),
            )
            at = where if number is None else cell_at(where, number, own)
            raise ReleaseError(
                f"{at} would be released with the line {line.strip()!r}, which looks like one of nbgrader's marks and is none: "
                f"write {' or '.join(f'`{mark}`' for mark in _nearest(line, regions))}"
            )


def marks_in(source: str, regions: Sequence[Region]) -> bool:
    """Whether code holds nbgrader's marks, or what looks like them."""
    lines = source.split("\n")
    return any(_is_like_a_mark(line, True) or _holds(line, regions) for line in lines)


def _holds(line: str, regions: Sequence[Region]) -> bool:
    return any(mark in line for region in regions for mark in (region.begin, region.end))


def remarks(solutions: Path, assignment: str) -> list[str]:
    """What an instructor should know of an assignment that is fit to be released, a line each."""
    folder = solutions / assignment
    released = set(_files(solutions, assignment))
    ignored = release_settings.ignored(solutions)
    left_out = [
        f"{solutions.name}/{assignment}/{path.relative_to(folder).as_posix()} is not released, because nbgrader leaves out notebooks in "
        "folders below and everything in a folder named feedback: move it elsewhere if students need it"
        for path in _all_files(folder)
        if _is_left_out(path.relative_to(folder), path in released, "feedback" in ignored)
    ]
    regions = release_settings.regions(solutions)
    return left_out + [
        remark
        for name, notebook in read_notebooks(folder).items()
        for remark in _remarks(f"{solutions.name}/{assignment}/{name}.ipynb", notebook, regions)
    ]


def _is_left_out(path: Path, is_released: bool, ignores_feedback: bool) -> bool:
    """Whether nbgrader leaves a file out that nobody told it to leave out."""
    if path.suffix == ".ipynb" and len(path.parts) > 1:
        return True
    return not is_released and ignores_feedback and "feedback" in path.parts[:-1]


def cell_at(where: str, number: int, cell: Mapping) -> str:
    """How messages call a cell; `number` counts from 0."""
    meta = nbgrader_metadata(cell)
    grade_id = meta.get("grade_id") if isinstance(meta, dict) else None
    return f"{where}, cell {number + 1}" + (f" ({grade_id})" if grade_id else "")


def _files(solutions: Path, assignment: str) -> list[Path]:
    """What of an assignment's folder is released: what nbgrader is not told to leave out."""
    folder = solutions / assignment
    released = set(find_all_files(str(folder), release_settings.ignored(solutions)))
    return [
        path
        for path in _all_files(folder)
        if str(path) in released or (path.parent == folder and path.suffix == ".ipynb")
    ]


def _all_files(folder: Path) -> list[Path]:
    """What an instructor put into the folder of an assignment."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and path.suffix != ".pyc"
        and not _NEVER_MEANT & set(path.relative_to(folder).parts)
    ]


# Rule 1


def _require_names(solutions: Path, assignment: str) -> None:
    if "+" in assignment:
        raise ReleaseError(
            f"{solutions.name}/{assignment} has a + in its name, which nbgrader puts between names itself: rename the folder"
        )
    beside = sorted(folder.name for folder in solutions.iterdir() if any(folder.glob("*.ipynb")))
    twins = [name for name in beside if portable_names.problem_of([name, assignment])]
    if problem := portable_names.problem_of([assignment, *twins]):
        raise ReleaseError(f"in {solutions.name}/, {problem}: rename the folder")
    folder = solutions / assignment
    names = [path.relative_to(folder).as_posix() for path in _files(solutions, assignment)]
    if problem := portable_names.problem_of(names):
        raise ReleaseError(f"in {solutions.name}/{assignment}, {problem}: rename it")


# Rule 2


def _require_no_solution(folder: Path, path: Path, regions: Sequence[Region]) -> None:
    """nbgrader takes solutions out of the notebooks `*.ipynb` in the assignment's folder alone."""
    name = f"{folder.parent.name}/{folder.name}/{path.relative_to(folder).as_posix()}"
    if path.suffix == ".ipynb":  # nbgrader copies none from folders below
        return
    if path.name.lower().endswith((".ipynb", ".ipynb.json", ".ipynb.txt")):
        raise ReleaseError(
            f"{name} would be released as it is, solutions included: nbgrader knows notebooks by the ending .ipynb, "
            "so rename the file, or move it out of the folder"
        )
    if path.stat().st_size > _MAX_TEXT:
        return
    text = path.read_text("utf-8", errors="replace")
    marks = "|".join(re.escape(mark) for region in regions for mark in (region.begin, region.end))
    if found := re.search(rf"^{_COMMENT}(?:{marks}).*$|^(?:{marks})", text, re.MULTILINE):
        raise ReleaseError(
            f"{name} would be released as it is, with {found[0].strip()!r} in it: nbgrader takes solutions out of notebooks alone, "
            "so move the file out of the folder, name it in `c.CourseDirectory.ignore`, or take the mark off if students may read it"
        )


# Rule 3


def _require_format(where: str, notebook: object) -> None:
    found = notebook.get("nbformat") if isinstance(notebook, dict) else None
    if found == 4 and isinstance(notebook, dict) and _is_whole(notebook):
        return
    what = f"a notebook of format {found}" if found not in (None, 4) else "no whole notebook"
    raise ReleaseError(
        f"{where} is {what}, and graded are those of format 4: open it in JupyterLab, save it, and type the command again"
    )


def _is_whole(notebook: Mapping) -> bool:
    cells = notebook.get("cells")
    metadata = notebook.get("metadata")
    if not isinstance(cells, list) or not isinstance(metadata, dict):
        return False
    parts = (metadata.get("kernelspec", {}), metadata.get("language_info", {}))
    return all(isinstance(part, dict) for part in parts) and all(map(_is_cell, cells))


def _is_cell(cell: object) -> bool:
    if not isinstance(cell, dict) or not isinstance(cell.get("metadata"), dict):
        return False
    source = cell.get("source")
    lines = source if isinstance(source, list) else [source]
    return isinstance(cell.get("cell_type"), str) and all(isinstance(line, str) for line in lines)


# Rule 4


def require_python(where: str, notebook: Notebook) -> None:
    """Raises ReleaseError unless a notebook is one for Python 3, whatever its kernel is called."""
    spec = notebook["metadata"].get("kernelspec", {})
    info = notebook["metadata"].get("language_info", {})
    name = str(spec.get("name", ""))
    shown = str(spec.get("display_name", ""))
    language = str(spec.get("language") or info.get("name") or "").lower()
    is_python = language in _PYTHON if language else not name or "py" in f"{name}{shown}".lower()
    is_old = name.lower() == "python2" or str(info.get("version", "")).startswith("2.")
    if not is_python or is_old:
        found = "Python 2" if is_python else language or f"the kernel {name!r}"
        raise ReleaseError(
            f"{where} is written for {found} (its kernel is {name or shown!r}), and what is graded runs in Python 3: "
            "choose the kernel Python 3 in JupyterLab's menu Kernel and save the notebook, or move it out of this folder"
        )


def with_every_machines_kernel(notebook: Notebook) -> None:
    """Let a notebook name the kernel that every machine has, in place."""
    if notebook["metadata"].get("kernelspec", {}).get("name") != KERNEL:
        notebook["metadata"]["kernelspec"] = dict(_KERNELSPEC)


# Rules 5 to 8


def _require_cells(
    where: str, notebook: Notebook, has_templates: bool, regions: Sequence[Region]
) -> None:
    kernel = str(notebook["metadata"].get("kernelspec", {}).get("name", KERNEL))
    taken: set[str] = set()
    for number, cell in enumerate(notebook["cells"]):
        at = cell_at(where, number, cell)
        if "nbgrader" in cell["metadata"]:
            _require_metadata(at, cell, taken)
        _require_marks(at, cell, regions)
        _require_autotests(at, cell, has_templates, kernel)
    for number in behind(notebook):
        cell = notebook["cells"][number]
        if is_test(cell) and not in_notebook({"cells": [cell]}):
            raise ReleaseError(
                f"{cell_at(where, number, cell)} is a plain test behind the test of an exercise, from which on nothing is kept of what "
                "cells do, so everybody would earn it: move it above that test, or into a notebook of its own"
            )


def _require_metadata(at: str, cell: Mapping, taken: set[str]) -> None:
    """Raises ReleaseError unless nbgrader knows what to make of a cell. `taken` are the names of the
    cells above it, and gets its own.
    """
    meta = cell["metadata"]["nbgrader"]
    problem = (
        _problem_of_schema(meta)
        or _problem_of_parts(meta)
        or _problem_of_points(meta)
        or _problem_of_kind(cell["cell_type"], meta)
    )
    if problem:
        raise ReleaseError(f"{at} {problem}")
    grade_id = meta.get("grade_id")
    if grade_id in taken:
        raise ReleaseError(
            f"{at} has the name of another cell of this notebook, and marks hang on names: give it one of its own in nbgrader's "
            "Create Assignment sidebar"
        )
    taken |= {grade_id} if grade_id else set()


def _problem_of_schema(meta: object) -> str | None:
    version = meta.get("schema_version", 0) if isinstance(meta, dict) else None
    if version == _SCHEMA:
        return None
    if isinstance(version, int) and version > _SCHEMA:
        return f"is of version {version} of nbgrader's metadata, and {_SCHEMA} is known here: install a newer nbgrader"
    return (
        f"is of version {version} of nbgrader's metadata, and {_SCHEMA} is needed: copy the folder to a safe place, then type "
        "`nbgrader update solutions`"
    )


def _problem_of_parts(meta: Mapping) -> str | None:
    remedy = "choose its type once more in nbgrader's Create Assignment sidebar"
    for part in ("grade", "solution", "locked"):
        if not isinstance(meta.get(part), bool):
            return f"does not say whether it is {part!r} in its nbgrader metadata: {remedy}"
    if not isinstance(meta.get("task", False), bool):
        return f"says neither yes nor no to 'task' in its nbgrader metadata: {remedy}"
    is_named = meta["grade"] or meta["solution"] or meta["locked"] or meta.get("task")
    grade_id = meta.get("grade_id")
    if is_named and not (isinstance(grade_id, str) and _NAME.fullmatch(grade_id)):
        found = repr(grade_id) if grade_id else "no name"
        return f"has {found} for its nbgrader id, which takes letters, digits, - and _: mend it in nbgrader's Create Assignment sidebar"
    return None


def _problem_of_points(meta: Mapping) -> str | None:
    if not (meta["grade"] or meta.get("task")):
        return None
    points: Any = meta.get("points")
    is_number = isinstance(points, int | float) and not isinstance(points, bool)
    if is_number and math.isfinite(points) and points >= 0:
        return None
    found = "no points" if points is None else f"{points!r} for its points"
    return f"is to be marked and has {found}: give it a number from 0 in nbgrader's Create Assignment sidebar"


def _problem_of_kind(kind: str, meta: Mapping) -> str | None:
    """What nbgrader makes of a cell goes by its type and three flags; the rest of their
    combinations is marked by nobody.
    """
    is_marked = meta["grade"]
    is_answer = meta["solution"]
    is_task = meta.get("task", False)
    if kind not in ("code", "markdown") and (is_marked or is_answer or is_task):
        return f"is a {kind} cell, which is never run, so nothing of it can be marked: make it a code or a Markdown cell"
    if is_task and kind != "markdown":
        return "is a task in a code cell: make it a Markdown cell, or choose another type in nbgrader's Create Assignment sidebar"
    if kind == "markdown" and is_answer and not is_marked:
        return (
            "is an answer in Markdown that nobody marks: choose 'Manually graded answer' for it in nbgrader's Create Assignment "
            "sidebar, or '-' if it is none"
        )
    if kind == "markdown" and is_marked and not is_answer and not is_task:
        return (
            "is a test in a Markdown cell, which is never run: make it a code cell, or choose 'Manually graded answer' for it in "
            "nbgrader's Create Assignment sidebar"
        )
    return None


def _require_marks(at: str, cell: Mapping, regions: Sequence[Region]) -> None:
    lines = "".join(cell["source"]).split("\n")
    for region in regions:
        _require_pairs(at, lines, region)
        if region.kind != "HIDDEN TESTS" or is_grade(cell) or not region.enforced:
            continue
        if any(region.begin in line for line in lines):
            raise ReleaseError(
                f"{at} holds hidden tests and is no test: choose 'Autograder tests' for it in nbgrader's Create Assignment sidebar"
            )


def _is_like_a_mark(line: str, is_code: bool) -> bool:
    if (_IN_CODE if is_code else _IN_TEXT).search(line):
        return True
    return bool(_BEGINS_SO.match(line) and (is_code or line.isupper()) and _kinds_like(line))


def _kinds_like(line: str) -> list[str]:
    """The kinds of marks that the words behind BEGIN or END are nearly those of."""
    found = _BEGINS_SO.match(line)
    letters = re.sub("[^A-Z]", "", found[1].upper()) if found else ""
    return [
        kind
        for kind in _KINDS
        if get_close_matches(letters, [kind.replace(" ", "")], cutoff=_LIKENESS)
    ]


def _nearest(line: str, regions: Sequence[Region]) -> tuple[str, ...]:
    """The marks of the kind that a line seems to be of."""
    words = re.sub("[^A-Z]", "", line.upper())
    named = [region for region in regions if region.kind.split()[0][:4] in words]
    like = [region for region in regions if region.kind in _kinds_like(line)]
    held = [region for region in regions if _holds(line, [region])]
    return (held or named or like)[0].shown


def _require_pairs(at: str, lines: list[str], region: Region) -> None:
    begin, end = region.shown
    is_open = False
    for line in lines:
        if region.begin in line:
            if is_open:
                raise ReleaseError(
                    f"{at} holds `{begin}` twice before `{end}`: write them in pairs"
                )
            is_open = True
        elif region.end in line:
            if not is_open:
                raise ReleaseError(
                    f"{at} holds `{end}` without `{begin}` above it, so what was to be taken out would be released: write them in pairs"
                )
            is_open = False
    if is_open:
        raise ReleaseError(f"{at} holds `{begin}` without `{end}` below it: write them in pairs")


def _require_autotests(at: str, cell: Mapping, has_templates: bool, kernel: str) -> None:
    if cell["cell_type"] != "code" or not _AUTOTEST.search("".join(cell["source"])):
        return
    if not is_grade(cell):
        raise ReleaseError(
            f"{at} holds an autotest and is no test: choose 'Autograder tests' for it in nbgrader's Create Assignment sidebar"
        )
    if not has_templates:
        raise ReleaseError(
            f"{at} holds an autotest, and nbgrader makes autotests from the file {_TEMPLATES}: put it beside the notebook"
        )
    if kernel != KERNEL:
        raise ReleaseError(
            f"{at} holds an autotest, which nbgrader makes for the kernel {KERNEL} alone, and the notebook names {kernel!r}: "
            "choose the kernel Python 3 (ipykernel) in JupyterLab's menu Kernel and save the notebook"
        )


# Rules 9 to 13


def _remarks(where: str, notebook: Notebook, regions: Sequence[Region]) -> Iterator[str]:
    unseen = behind(notebook)
    [hidden] = [region for region in regions if region.kind == "HIDDEN TESTS"]
    for number, cell in enumerate(notebook["cells"]):
        at = cell_at(where, number, cell)
        is_by_hand = is_marked_by_hand(cell)
        if is_by_hand and not known_metadata(cell)["points"]:
            yield f"{at} is marked by a person and worth 0 points: whatever the answer is, it earns nothing"
        if is_by_hand and hidden.begin in "".join(cell["source"]):
            yield f"{at} is marked by a person, so the hidden tests in it never run: move them into a test of their own"
        if is_by_hand and number in unseen and cell["cell_type"] == "code":
            yield (
                f"{at} is marked by a person and stands behind the test of an exercise, from which on no outputs are kept, so whoever "
                "marks it sees none: move it above that test"
            )
        if line := _unused_mark(cell, regions):
            yield (
                f"{at} holds the line {line!r}, which nbgrader does not take for a mark, so students get a stub in place of the whole "
                f"cell: write {' or '.join(f'`{mark}`' for mark in _nearest(line, regions))} to keep what stands around"
            )


def _unused_mark(cell: Mapping, regions: Sequence[Region]) -> str | None:
    """The line that looks like a mark in an answer that nbgrader replaces as a whole."""
    lines = "".join(cell["source"]).split("\n")
    [solution] = [region for region in regions if region.kind == "SOLUTION"]
    if not is_solution(cell) or any(solution.begin in line for line in lines):
        return None
    is_code = cell["cell_type"] == "code"
    return next(
        (
            line.strip()
            for line in lines
            if _is_like_a_mark(line, is_code) and not _holds(line, regions)
        ),
        None,
    )
