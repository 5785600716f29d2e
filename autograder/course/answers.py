"""`course answers`: the stored answers of an exercise, graded as a class's are, and held against
what they declare.

An answer is a file in the exercise's folder `answers`: a docstring, `EXPECTED`, and the functions
that a student would write. With `BASE` and `EDITS` it is the answer BASE with some texts replaced;
`BASE = "dropout/identity"` is an answer of another exercise.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder import exercises
from autograder.course.release import read_notebooks
from autograder.grading.asked import in_notebooks
from autograder.grading.checker import judge
from autograder.grading.folders import Project
from autograder.grading.references import compute
from autograder.grading.runner import run_notebook
from autograder.grading.skeletons import Notebook, nbgrader_metadata
from autograder.verdict import Verdict

SEED = 20261
DECLARED = ("EXPECTED", "BASE", "EDITS")
CLOSE = 0.005


class AnswersError(RuntimeError):
    """The answers cannot be graded. The text says why."""


@dataclass(frozen=True)
class Stored:
    """One stored answer: what a student would have in the solution cell, and what it must get.
    `about` says what it does.
    """

    name: str
    source: str
    score: float
    rung: str | None
    message: str = ""
    shows: str | None = None
    lazy: str = ""
    about: str = ""

    def differs(self, verdict: Verdict) -> str:
        """In what the verdict is another than declared; empty where it is that."""
        share, broken = verdict.score / verdict.max_score, verdict.broken
        texts = f"{broken.expected} | {broken.found} | {broken.cause}" if broken else ""
        rung, shows = (broken.name, broken.misconception) if broken else (None, "")
        found = {
            f"the share {share:.3g}, not {self.score:g}": abs(share - self.score) > CLOSE,
            f"{_rung(rung)}, not {_rung(self.rung)}": rung != self.rung,
            f"no {self.message!r} in its words: {texts}": self.message not in texts,
            f"the misconception {shows or 'without a name'}, not {self.shows}": (
                self.shows and self.shows != shows
            ),
        }
        return "; ".join(words for words, is_so in found.items() if is_so)


def _rung(name: str | None) -> str:
    return f"the rung {name}" if name else "no broken rung"


def outcome(verdict: Verdict) -> str:
    """Points, and the rung that broke with the misconception that explains it."""
    broken = verdict.broken
    why = (
        f"{broken.name}{f' ({broken.misconception})' if broken.misconception else ''}"
        if broken
        else "every rung passed"
    )
    return f"{verdict.score:g} of {verdict.max_score:g}, {why}"


def read(folder: Path) -> list[Stored]:
    """The answers in a folder, by name. Raises AnswersError."""
    answers = [one(path) for path in sorted(folder.glob("*.py"))]
    if not answers:
        raise AnswersError(f"{folder} holds no answers")
    return answers


def grade(project: Project, exercise_id: str) -> Iterator[tuple[Stored, Verdict]]:
    """Each stored answer with its verdict, in the sandbox, on the public cases and on hidden ones.
    Raises AnswersError.
    """
    folder, solution = exercises.find(exercise_id), _solution(project, exercise_id)
    if folder is None or solution is None:
        raise AnswersError(
            f"no notebook below {project.solutions} checks an exercise {exercise_id!r}, or it has no folder in exercises/"
        )
    exercise = exercises.get(exercise_id)
    answers, cases = read(folder / "answers"), exercise.graded_cases(SEED)
    references = compute(solution, exercise_id, cases)
    for answer in answers:
        run = run_notebook(_with(solution, answer.source), {exercise_id: cases})
        yield answer, judge(exercise_id, cases, run.answers[exercise_id], references)


def _solution(project: Project, exercise_id: str) -> Notebook | None:
    """The first notebook in solutions/ that checks the exercise."""
    for name in project.assignments():
        notebooks = read_notebooks(project.solutions / name)
        if own := in_notebooks(notebooks).get(exercise_id):
            return notebooks[own]
    return None


def _with(solution: Notebook, source: str) -> Notebook:
    """The notebook with the answer in its first solution cell, and nothing in the others."""
    handed_in = copy.deepcopy(dict(solution))
    cells = [
        cell
        for cell in handed_in["cells"]
        if cell["cell_type"] == "code" and (meta := nbgrader_metadata(cell)) and meta["solution"]
    ]
    for cell in cells:
        cell["source"] = source if cell is cells[0] else ""
    return handed_in


def one(path: Path) -> Stored:
    """The answer in a file. Raises AnswersError."""
    try:
        about, declared, source = _parts(path.read_text())
        if "BASE" in declared:
            _, _, source = _parts(_edited(_base(path, declared["BASE"]), declared["EDITS"]))
        return Stored(path.stem, source, about=about, **declared["EXPECTED"])
    except (OSError, SyntaxError, ValueError, TypeError, KeyError) as error:
        raise AnswersError(f"{path} is no stored answer: {type(error).__name__}: {error}") from None


def _base(path: Path, name: str) -> str:
    """The text of the answer that the one in `path` differs from: `name` beside it, or
    `exercise/name`.
    """
    exercise, _, answer = name.rpartition("/")
    folder = path.parents[2] / exercise / "answers" if exercise else path.parent
    base = folder / f"{answer}.py"
    if not base.is_file():
        raise AnswersError(f"{path}: its BASE is {name!r}, and there is no file {base}")
    text = base.read_text()
    if "BASE" in _parts(text)[1]:
        raise AnswersError(f"{path}: its BASE {name!r} is a difference itself; name a whole answer")
    return text


def _parts(text: str) -> tuple[str, Mapping, str]:
    """What a file says of its answer, what it declares, and the lines that a student would write."""
    tree = ast.parse(text)
    assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
    named = {getattr(node.targets[0], "id", ""): node for node in assigned}
    declared = {name: node for name, node in named.items() if name in DECLARED}
    about = ast.get_docstring(tree) or ""
    taken: set[int] = set()
    for node in (*tree.body[: bool(about)], *declared.values()):
        taken |= set(range(node.lineno, node.end_lineno + 1))
    lines = enumerate(text.splitlines(keepends=True), 1)
    source = "".join(line for number, line in lines if number not in taken).strip()
    return about, {name: ast.literal_eval(node.value) for name, node in declared.items()}, source


def _edited(source: str, edits: list[tuple[str, str]]) -> str:
    for old, new in edits:
        if source.count(old) != 1:
            raise ValueError(f"{source.count(old)} places in its BASE hold {old!r}")
        source = source.replace(old, new)
    return source
