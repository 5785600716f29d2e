"""The demo's class: sixteen submissions of day-50, good, partly right, wrong and hostile, with the marks that each deserves.

Right and wrong answers are the stored answers of exercises/, whose marks are declared there; what is here is how they are handed in.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nbjudge import exercises
from nbjudge.course.stored import Stored, one

ROOT = Path(__file__).resolve().parent.parent
EXERCISES = ROOT / "exercises"
SOLUTION_CELLS = {"inspect": "describe", "dropout": "remove-dropout"}
Notebooks = dict[str, dict]


@dataclass(frozen=True)
class Student:
    """`inspect`, `dropout` and `rest` (every other lab) name answers, see `answer`; `deed` changes the notebooks afterwards.

    `share` is what each lab deserves; those that it leaves out deserve everything if `rest` is the solution, else nothing.
    """

    name: str
    inspect: str
    dropout: str
    share: dict[str, float]
    rest: str = "stub"
    deed: Callable[[Notebooks], None] = lambda notebooks: None
    write: Callable[[Path], None] = lambda folder: None
    flagged: bool = False


def answer(exercise: str, name: str, solutions: Path) -> str | None:
    """A solution cell's source: `solution` from the instructor's notebook, `stub` for None, else the mutant's functions."""
    if name == "stub":
        return None
    if name == "solution":
        notebook = json.loads((solutions / f"{exercise}.ipynb").read_text())
        return "".join(_cell(notebook, SOLUTION_CELLS[exercise])["source"])
    return stored(exercise, name).source


def deserved(student: Student, lab: str) -> float:
    return student.share.get(lab, float(student.rest == "solution"))


def hand_in(student: Student, labs: Path, solutions: Path, folder: Path) -> None:
    """Write the student's submission into `folder`, from fresh copies of the released labs."""
    notebooks = {path.stem: json.loads(path.read_text()) for path in sorted(labs.glob("*.ipynb"))}
    if student.rest == "solution":
        for name in notebooks.keys() - SOLUTION_CELLS:
            _solve(notebooks[name], json.loads((solutions / f"{name}.ipynb").read_text()))
    for exercise, cell in SOLUTION_CELLS.items():
        if source := answer(exercise, getattr(student, exercise), solutions):
            _cell(notebooks[exercise], cell)["source"] = source
    student.deed(notebooks)
    folder.mkdir(parents=True)
    for name, notebook in notebooks.items():
        (folder / f"{name}.ipynb").write_text(json.dumps(notebook))
    student.write(folder)


def declared(exercise: str, name: str) -> float:
    """The share that exercises/ declares for an answer; 1 for the solution, 0 for the stub."""
    if name in ("solution", "stub"):
        return float(name == "solution")
    return stored(exercise, name).share(exercises.get(exercise))


def stored(exercise: str, name: str) -> Stored:
    return one(EXERCISES / exercise / "answers" / f"{name}.py")


def _student(
    name: str, inspect: str, dropout: str, share: dict[str, float] | None = None, **how
) -> Student:
    share = {"inspect": declared("inspect", inspect), "dropout": declared("dropout", dropout)} | (
        share or {}
    )
    return Student(name, inspect, dropout, share, **how)


def _solve(notebook: dict, solution: dict) -> None:
    solved = {cell["id"]: cell["source"] for cell in solution["cells"]}
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            cell["source"] = solved[cell["id"]]


def _cell(notebook: dict, grade_id: str) -> dict:
    return next(
        cell
        for cell in notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id
    )


def _insert(notebook: dict, before: str, source: str) -> None:
    position = notebook["cells"].index(_cell(notebook, before))
    cell = {
        "cell_type": "code",
        "id": "mine",
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }
    notebook["cells"].insert(position, cell)


def _append(exercise: str, source: str) -> Callable[[Notebooks], None]:
    def deed(notebooks: Notebooks) -> None:
        cell = _cell(notebooks[exercise], SOLUTION_CELLS[exercise])
        cell["source"] = "".join(cell["source"]) + "\n\n" + source

    return deed


def _replace(exercise: str, source: str) -> Callable[[Notebooks], None]:
    def deed(notebooks: Notebooks) -> None:
        _cell(notebooks[exercise], SOLUTION_CELLS[exercise])["source"] = source

    return deed


def _forge(notebooks: Notebooks) -> None:
    for exercise in SOLUTION_CELLS:
        test = _cell(notebooks[exercise], f"check-{exercise}")
        test["source"] = "4.0"
        test["metadata"]["nbgrader"] |= {"points": 1000, "grade": False}
        copied = copy.deepcopy(test)
        copied["id"] = "copied"
        notebooks[exercise]["cells"].append(copied)


def _truncate(folder: Path) -> None:
    path = folder / "dropout.ipynb"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _link(folder: Path) -> None:
    (folder / "dropout.ipynb").unlink()
    (folder / "dropout.ipynb").symlink_to(ROOT / "solutions" / "day-50" / "dropout.ipynb")


SYNTAX_ERROR = "def remove_dropout(model):\n    for node in model.graph.node\n        return model"

ENDLESS = """import signal

signal.signal(signal.SIGINT, signal.SIG_IGN)
while True:
    pass"""

OS_EXIT = """import os


def remove_dropout(model):
    os._exit(0)"""

FLOOD = """for _ in range(500):
    print("x" * 1_000_000)"""

TRANSFORMER = """get_ipython().input_transformers_cleanup.append(lambda lines: ["pass\\n"])
import numpy as np

np.allclose = np.array_equal = lambda *values, **options: True"""

READER = """import glob
import os
import sqlite3


def describe(model, directory=None):
    seen = [path for folder in ("..", "../..", "../../..", "/*", "/*/*", "/*/*/*") for path in glob.glob(f"{folder}/*")]
    for path in seen:
        if path.endswith("gradebook.db"):
            return {"sources": sqlite3.connect(path).execute("select source from source_cell").fetchall()}
        if path.endswith(".ipynb"):
            return {"stolen": open(path).read()}
    return {"found": len(seen), "environment": dict(os.environ)}"""

CLASS = (
    _student("ada-perfect", "solution", "solution", rest="solution"),
    _student("ben-other-way", "valid_onnx_ir", "valid_ir"),
    _student("cleo-third-way", "valid_message_walk", "valid_surgeon"),
    _student("dan-first-opset", "first_opset", "producer_only"),
    _student("eve-main-graph-only", "main_graph_only", "main_graph_only"),
    _student("finn-identity", "solution", "identity"),
    _student("gus-empty", "stub", "stub"),
    _student("hana-syntax-error", "solution", "stub", deed=_replace("dropout", SYNTAX_ERROR)),
    _student("ivo-truncated-file", "solution", "solution", {"dropout": 0.0}, write=_truncate),
    _student("jan-endless-loop", "solution", "stub", deed=_replace("dropout", ENDLESS)),
    _student("kim-os-exit", "solution", "stub", deed=_replace("dropout", OS_EXIT)),
    _student("lou-500-megabytes", "solution", "solution", deed=_append("inspect", FLOOD)),
    _student("mallory-forged-tests", "stub", "unchanged", deed=_forge, flagged=True),
    _student("nils-transformer", "first_opset", "unchanged", deed=_append("dropout", TRANSFORMER)),
    _student("olga-reader", "stub", "stub", deed=_replace("inspect", READER)),
    _student("pat-link", "solution", "solution", {"dropout": 0.0}, write=_link),
)
