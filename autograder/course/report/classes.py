"""A class's report: for each graded cell its marks, its broken rungs and misconceptions; then who
handed in the same, and pairs of submissions that are alike.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from autograder import exercises, plain_text
from autograder.contract import Exercise
from autograder.course.report import alike, figures
from autograder.course.report.alike import Author, Group, Pair, TooShort
from autograder.course.report.figures import Correlation
from autograder.grading import gradebook as database
from autograder.grading import seed, settle, skeletons
from autograder.grading.asked import in_notebooks
from autograder.grading.folders import Course
from autograder.grading.journal import Journal
from autograder.grading.record import gradebook
from autograder.grading.results import GRADED, UNGRADABLE, CellResult, SubmissionResult
from autograder.grading.skeletons import Notebook

NOT_DONE = "exists"


class ReportError(RuntimeError):
    """There is nothing to report on. The text says what to type."""


@dataclass(frozen=True)
class Misconception:
    """One mistake that has a name, in the words that students read, and how many of the class made
    it.
    """

    id: str
    text: str
    students: int


@dataclass(frozen=True)
class Item:
    """One graded cell; `name` is its exercise, or the cell itself where people or asserts mark it.

    `tried` leaves out whoever did not do it; all that follows `tried` is about those who did.

    `histogram` counts everybody who has a mark, by tenths of the points. `difficulty` is the mean
    share of the points: 1 is easy.
    """

    name: str
    points: float
    minutes: int | None
    marked: int
    waiting: int
    histogram: tuple[int, ...]
    tried: int
    difficulty: float | None
    discrimination: Correlation | None
    full: int
    rungs: Mapping[str, int]
    misconceptions: tuple[Misconception, ...]


@dataclass(frozen=True)
class ClassReport:
    """`total` counts the students by tenths of all points, `mean` is their mean number of points.
    `compared` counts the pairs of submissions, `sources` what else everybody was compared with.
    """

    assignment: str
    students: int
    max_score: float
    mean: float
    total: tuple[int, ...]
    items: tuple[Item, ...]
    groups: tuple[Group, ...]
    pairs: tuple[Pair, ...]
    too_short: tuple[TooShort, ...]
    compared: int
    sources: tuple[str, ...]
    named: bool

    def to_json(self) -> dict:
        return plain_text.data(asdict(self))


def of(
    course: Course, assignment: str, names: bool = False, earlier: Sequence[Path] = ()
) -> ClassReport:
    """The report on everybody whose submission is graded. Names are numbers unless `names`.
    `earlier` are course folders of earlier terms, whose submissions everybody's are compared with.
    Raises ReportError.
    """
    results = _graded(course, assignment)
    skeleton = skeletons.current(course, assignment) if results else None
    if skeleton is None:
        raise ReportError(
            f"nothing of {assignment} is graded in {course.root}: type `{course.typed('grade', assignment)}` first"
        )
    shown = (
        {result.student: result.student for result in results}
        if names
        else _numbers(course, assignment, results)
    )
    solution = Author(alike.SOLUTION, skeleton.solutions, is_source=True)
    before = [each for folder in earlier for each in _earlier(course, assignment, folder, names)]
    return build(assignment, results, skeleton.notebooks, shown, names, [solution, *before])


def build(
    assignment: str,
    results: Sequence[SubmissionResult],
    notebooks: Mapping[str, Notebook],
    shown: Mapping[str, str],
    named: bool,
    sources: Sequence[Author] = (),
) -> ClassReport:
    """The report on `results`. `notebooks` are those that the class was given, `shown` says how to
    call a student, `sources` are what everybody is compared with.
    """
    keys = list(dict.fromkeys(key for result in results for key in result.cells))
    asked = _exercises(notebooks)
    scores = [result.score or 0.0 for result in results]
    most = max(result.max_score for result in results)
    students = [Author(shown[result.student], result.documents) for result in results]
    found = alike.compare([*students, *sources], notebooks)
    return ClassReport(
        assignment,
        len(results),
        most,
        sum(scores) / len(scores),
        figures.histogram([score / most for score in scores if most]),
        tuple(_item(key, asked.get(key), results) for key in keys),
        found.groups,
        found.pairs,
        found.too_short,
        len(results) * (len(results) - 1) // 2,
        tuple(source.name for source in sources),
        named,
    )


def _earlier(course: Course, assignment: str, folder: Path, names: bool) -> list[Author]:
    """The submissions of an earlier term, from its journal: JSON that grading wrote, of which
    nothing is run. What that term's own skeleton holds does not count. Nothing is written there.
    Raises ReportError.
    """
    before = Course.at(folder)
    if before.root == course.root:
        raise ReportError(
            f"{folder} is this class's own course folder: name one of an earlier term"
        )
    skeleton = skeletons.current(before, assignment)
    is_graded = skeleton and Journal.is_there(before, assignment)
    results = list(Journal(before, assignment).results()) if is_graded else []
    if not results:
        raise ReportError(
            f"nothing of {assignment} was graded in {before.root}: name the course folder of an earlier term, as it was given to --course then"
        )
    shown = (
        {result.student: result.student for result in results}
        if names
        else _numbers(course, assignment, results)
    )
    return [
        Author(
            f"{shown[result.student]} of {folder}",
            result.documents,
            is_source=True,
            given=skeleton.notebooks,
        )
        for result in results
    ]


def _graded(course: Course, assignment: str) -> list[SubmissionResult]:
    """What was graded last of everybody who is in the gradebook, with the gradebook's marks."""
    if not skeletons.is_published(course, assignment) or not database.exists(course):
        return []
    results = {result.student: result for result in Journal(course, assignment).results()}
    with gradebook(course) as book:
        known = {student.id for student in book.students}
        results = {
            student: result for student, result in sorted(results.items()) if student in known
        }
        settle.read_marks(book, assignment, results)
    return list(results.values())


def _numbers(
    course: Course, assignment: str, results: Sequence[SubmissionResult]
) -> dict[str, str]:
    """A number for each student, the same in every report: by a hash that nobody can repeat without
    the course's own seed.
    """
    key = str(seed.of_assignment(course, assignment))
    order = sorted(
        results,
        key=lambda result: hashlib.sha256(f"report/{key}/{result.student}".encode()).digest(),
    )
    return {result.student: f"student {number}" for number, result in enumerate(order, 1)}


def _exercises(notebooks: Mapping[str, Notebook]) -> dict[str, Exercise]:
    """The exercises that the notebooks check and that are still to be found, by their cells."""
    found = {name: exercises.get(name) for name in in_notebooks(notebooks) if exercises.find(name)}
    return {
        f"{notebook}/{found[name].grade_id}": found[name]
        for name, notebook in in_notebooks(notebooks).items()
        if name in found
    }


def _item(key: str, exercise: Exercise | None, results: Sequence[SubmissionResult]) -> Item:
    cells = {result.student: result.cells[key] for result in results if key in result.cells}
    marked = {who: cell for who, cell in cells.items() if cell.score is not None and cell.max_score}
    refused = {result.student for result in results if _notebook(result, key) == UNGRADABLE}
    left = marked.keys() - refused
    tried = {who: cell for who, cell in marked.items() if who in left and not _is_empty(cell)}
    shares = {who: cell.score / cell.max_score for who, cell in tried.items()}
    rests = {result.student: _rest(key, result) for result in results if result.student in tried}
    return Item(
        name=exercise.id if exercise else key,
        points=next(iter(cells.values())).max_score,
        minutes=exercise.minutes if exercise else None,
        marked=len(marked),
        waiting=sum(cell.status != GRADED for cell in cells.values()),
        histogram=figures.histogram([cell.score / cell.max_score for cell in marked.values()]),
        tried=len(tried),
        difficulty=sum(shares.values()) / len(shares) if shares else None,
        discrimination=figures.correlation(list(shares.values()), [rests[who] for who in shares]),
        full=sum(share >= 1 for share in shares.values()),
        rungs=dict(Counter(cell.rung for cell in tried.values() if cell.rung).most_common()),
        misconceptions=_misconceptions(list(tried.values())),
    )


def _is_empty(cell: CellResult) -> bool:
    """Whether nothing was handed in for it: a cell that ends with an error is something."""
    return cell.rung == NOT_DONE and not cell.score and cell.misconception != "not-defined"


def _notebook(result: SubmissionResult, key: str) -> str:
    return result.notebooks[key.split("/")[0]].status


def _rest(key: str, result: SubmissionResult) -> float:
    """What the student has in the other cells: with its own share in the sum, every item would go
    along with it a little.
    """
    return sum(cell.score or 0.0 for other, cell in result.cells.items() if other != key)


def _misconceptions(cells: Sequence[CellResult]) -> tuple[Misconception, ...]:
    """The named ones, most frequent first; the words are those that most of these students read."""
    named: dict[str, list[CellResult]] = {}
    for cell in cells:
        if cell.misconception:
            named.setdefault(cell.misconception, []).append(cell)
    counted = sorted(named.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return tuple(
        Misconception(name, Counter(cell.cause for cell in found).most_common(1)[0][0], len(found))
        for name, found in counted
    )
