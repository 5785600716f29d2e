"""`course new-exercise`: a complete exercise that runs, to be changed into one's own."""

from __future__ import annotations

import keyword
import re
from pathlib import Path

import nbformat
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from nbjudge import exercises
from nbjudge.course.pages import TEMPLATES

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
ASSIGNMENT = re.compile(r"[a-z0-9][a-z0-9.-]{0,39}")
FILES = {
    "ask.py": "ask.py",
    "judge/marks.py": "marks.py",
    "answers/empty.py": "empty.py",
    "answers/valid_loop.py": "valid_loop.py",
    "answers/steps.py": "steps.py",
    "answers/rounds_up.py": "rounds_up.py",
}
KINDS = ("solutions", "notebooks")
KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}

READING = """# {title}, to read

What findings send back to: the lab's ideas, explained.

## Ideas

A row of `size` numbers, and windows of `width` numbers: the first begins at 0, each other one `stride` after the one before it."""
TEXT = """# {title}

What the lab is about, in a sentence or two.

## Build

### Exercise: `{function}` ({points:g} points, 15 minutes)

Write `{function}(size, width, stride)`. It returns how many whole windows fit, as an `int`.
All three are at least 1, and one window fits."""
STUB = '''def {function}(size, width, stride):
    """How many windows of `width` fit into `size`, each `stride` after the one before it."""
    ### BEGIN SOLUTION
    return (size - width) // stride + 1
    ### END SOLUTION'''


class NewExerciseError(RuntimeError):
    """The exercise was not written. The text says why, and what to type; nothing was changed."""


def write(root: Path, name: str, assignment: str) -> list[Path]:
    """Write the exercise and its notebook below `root`; returns the files. Raises NewExerciseError
    before anything is there.
    """
    _refuse(root, name, assignment)
    written = []
    for target, text in _texts(name, assignment).items():
        written.append(_place(root / "exercises" / name / target))
        written[-1].write_text(text)
    for folder, notebook in zip(KINDS, (_lab(name), _reading(name)), strict=True):
        written.append(_place(root / folder / assignment / f"{name}.ipynb"))
        nbformat.write(notebook, written[-1])
    return written


def _texts(name: str, assignment: str) -> dict[str, str]:
    words = {"name": name, "assignment": assignment, "function": name}
    words["title"] = name.title().replace("_", "")
    loader = FileSystemLoader(TEMPLATES / "exercise")
    templates = Environment(loader=loader, undefined=StrictUndefined, keep_trailing_newline=True)
    named = {target: templates.get_template(f"{each}.j2") for target, each in FILES.items()}
    return {target: template.render(words) for target, template in named.items()}


def _place(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _refuse(root: Path, name: str, assignment: str) -> None:
    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        raise NewExerciseError(
            f"{name!r} cannot be an exercise's name: take small letters, digits and _ behind a letter, as in my_windows"
        )
    if not ASSIGNMENT.fullmatch(assignment):
        raise NewExerciseError(
            f"{assignment!r} cannot be an assignment's name: take small letters, digits, and - or . behind the first"
        )
    taken = exercises.find(name) or next(
        (path for kind in KINDS for path in root.glob(f"{kind}/*/{name}.ipynb")), None
    )
    # What exercises share is no exercise, and taken.
    for folder in (root / "exercises", *exercises.installed().values()):
        taken = taken or next(folder.glob(name), None)
    if taken:
        raise NewExerciseError(
            f"there is an exercise {name!r} already ({taken}): take another name"
        )


def _reading(name: str) -> NotebookNode:
    return _notebook([new_markdown_cell(READING.format(title=_title(name)), id="text")])


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _notebook(cells: list[NotebookNode]) -> NotebookNode:
    return new_notebook(
        cells=cells, metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}}
    )


def _lab(name: str) -> NotebookNode:
    """The lab as its author writes it: the task, the stub with its solution, and the test cell."""
    cells = [
        new_markdown_cell(
            TEXT.format(title=_title(name), function=name, points=4),
            id="text",
            metadata=_marked("text", locked=True),
        ),
        new_code_cell(
            "from nbjudge import check", id="imports", metadata=_marked("imports", locked=True)
        ),
        new_code_cell(
            STUB.format(function=name),
            id="answer",
            metadata=_marked(name.replace("_", "-"), solution=True),
        ),
        new_code_cell(
            f'check("{name}", {name})',
            id="check",
            metadata=_marked(f"check-{name.replace('_', '-')}", points=4, locked=True),
        ),
    ]
    return _notebook(cells)


def _marked(
    grade_id: str, solution: bool = False, locked: bool = False, points: float | None = None
) -> dict:
    """A cell's metadata, as nbgrader reads it: given (`locked`), the student's (`solution`), or
    with points the test cell.
    """
    marks = {
        "grade_id": grade_id,
        "solution": solution,
        "locked": locked,
        "grade": points is not None,
        "task": False,
        "schema_version": 3,
    }
    return {"nbgrader": {**marks, **({} if points is None else {"points": points})}}
