"""A class's report: for each graded cell its marks, its broken rungs and misconceptions; then who
handed in the same, and pairs of submissions that are alike.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from nbjudge import exercises, plain_text
from nbjudge.contract import Exercise
from nbjudge.course.defend import ticks
from nbjudge.course.report import alike, figures
from nbjudge.course.report.alike import Author, Group, Pair, TooShort
from nbjudge.course.report.figures import Correlation
from nbjudge.grading.config.folders import Course
from nbjudge.grading.document.cells import (
    Notebook,
    is_marked_by_hand,
    is_own,
    is_task,
    known_metadata,
)
from nbjudge.grading.document.cells import grade_id as name_of
from nbjudge.grading.gradebook import database, settle
from nbjudge.grading.gradebook.record import gradebook
from nbjudge.grading.marks import reasons
from nbjudge.grading.marks.results import GRADED, MANUAL, UNGRADABLE, CellResult, SubmissionResult
from nbjudge.grading.published import seed, skeletons
from nbjudge.grading.published.asked_exercises import in_notebooks
from nbjudge.grading.reuse.journal import Journal

NOT_DONE = "exists"
NUMBERED = "student "


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


@dataclass(frozen=True, kw_only=True)
class Item:
    """One graded cell; `name` is its exercise, or the cell itself where people or asserts mark it.

    `tried` counts who wrote something for it, marked or not, and leaves out whoever did not do it;
    `waiting` of them have no mark yet. All that follows is about the `judged`, who tried and have one.

    `earned` says of each thing that the cell gives points for how many of the `judged` earned it.
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
    judged: int
    difficulty: float | None
    discrimination: Correlation | None
    full: int
    earned: Mapping[str, int]
    rungs: Mapping[str, int]
    misconceptions: tuple[Misconception, ...]


@dataclass(frozen=True)
class ChangedMark:
    """What changed a student's mark after the automatic grading, in words, and the points that
    being late took of it.
    """

    student: str
    late_penalty: float
    text: str


@dataclass(frozen=True)
class Defended:
    """How many questions about an exercise's own code a student answered right (`course defend`)."""

    student: str
    exercise: str
    right: int
    asked: int


@dataclass(frozen=True, kw_only=True)
class ClassReport:
    """`total` counts the students by tenths of all points that are marked, `mean` is their mean number of points;
    both are after late penalties. `changed` lists the marks that something changed after the
    automatic grading: being late, an extension, a person; `defended` what students answered about
    their own code. `compared` counts the pairs of
    submissions, `sources` what else everybody was compared with.
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
    changed: tuple[ChangedMark, ...] = ()
    defended: tuple[Defended, ...] = ()

    def to_json(self) -> dict:
        return plain_text.data(asdict(self))


def of(
    course: Course, assignment: str, names: bool = False, earlier: Sequence[Path] = ()
) -> ClassReport:
    """The report on everybody whose submission is graded. Names are numbers unless `names`.
    `earlier` are course folders of earlier terms, whose submissions everybody's are compared with.
    Raises ReportError, and SettingsError or PenaltyError where nobody can say what being late costs.
    """
    results, written = _graded(course, assignment)
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
    report = build(
        assignment,
        results,
        skeleton.notebooks,
        shown,
        names,
        sources=[solution, *before],
        written=written,
    )
    scores = [one for one in ticks.known(course, assignment) if one.student in shown]
    scores.sort(key=lambda one: _in_order(shown[one.student]))
    defended = [Defended(shown[one.student], one.exercise, one.right, one.asked) for one in scores]
    return replace(report, defended=tuple(defended))


def build(
    assignment: str,
    results: Sequence[SubmissionResult],
    notebooks: Mapping[str, Notebook],
    shown: Mapping[str, str],
    named: bool,
    *,
    sources: Sequence[Author] = (),
    written: Mapping[str, Collection[str]] | None = None,
) -> ClassReport:
    """The report on `results`. `notebooks` are those that the class was given, `shown` says how to
    call a student, `sources` are what everybody is compared with. `written` are, by student, the
    cells that a person has to mark or has marked.
    """
    written = _for_a_person(results) if written is None else written
    by_hand = _by_hand(notebooks)
    keys = list(dict.fromkeys(key for result in results for key in result.cells))
    asked = _exercises(notebooks)
    scores = [result.score or 0.0 for result in results]
    most = max(result.max_score for result in results)
    students = [Author(shown[result.student], result.documents) for result in results]
    found = alike.compare([*students, *sources], notebooks)
    return ClassReport(
        assignment=assignment,
        students=len(results),
        max_score=most,
        mean=sum(scores) / len(scores),
        total=figures.histogram(
            [(each.score or 0.0) / each.marked_score for each in results if each.marked_score]
        ),
        items=tuple(_item(key, asked.get(key), results, by_hand.get(key), written) for key in keys),
        groups=found.groups,
        pairs=found.pairs,
        too_short=found.too_short,
        compared=len(results) * (len(results) - 1) // 2,
        sources=tuple(source.name for source in sources),
        named=named,
        changed=tuple(sorted(_changed(results, shown), key=lambda one: -one.late_penalty)),
    )


def _changed(
    results: Sequence[SubmissionResult], shown: Mapping[str, str]
) -> Iterator[ChangedMark]:
    # Not in the order of the names, which numbers stand for.
    for result in sorted(results, key=lambda result: _in_order(shown[result.student])):
        if said := reasons.changes(result):
            yield ChangedMark(shown[result.student], result.late_penalty, "; ".join(said))


def _in_order(name: str) -> tuple[int, str]:
    """Numbers by their value."""
    return len(name) if name.startswith(NUMBERED) else 0, name


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
    is_graded = Journal.is_there(before, assignment)
    results = list(Journal(before, assignment).results()) if skeleton and is_graded else []
    if skeleton is None or not results:
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


def _graded(
    course: Course, assignment: str
) -> tuple[list[SubmissionResult], dict[str, frozenset[str]]]:
    """What was graded last of everybody who is in the gradebook, with the gradebook's marks; and by
    student the cells that grading left to a person.
    """
    if not skeletons.is_published(course, assignment) or not database.exists(course):
        return [], {}
    results = {result.student: result for result in Journal(course, assignment).results()}
    with gradebook(course) as book:
        known = {student.id for student in book.students}
        results = {
            student: result for student, result in sorted(results.items()) if student in known
        }
        written = _for_a_person(results.values())
        # What being late costs now: it is read, and not kept.
        found = book.find_assignment(assignment)
        settle.up_to_date(book, course, found, course.settings)
        settle.read_marks(book, assignment, results)
        book.db.rollback()
    return list(results.values()), written


def _for_a_person(results: Iterable[SubmissionResult]) -> dict[str, frozenset[str]]:
    """By student, the cells that have no mark before a person gives it."""
    return {
        result.student: frozenset(
            key for key, cell in result.cells.items() if cell.status == MANUAL
        )
        for result in results
    }


def _by_hand(notebooks: Mapping[str, Notebook]) -> dict[str, dict]:
    """The published cells that a person marks, as the report names them."""
    return {
        f"{name}/{known_metadata(cell)['grade_id']}": cell
        for name, notebook in notebooks.items()
        for cell in notebook["cells"]
        if is_marked_by_hand(cell)
    }


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
    return {result.student: f"{NUMBERED}{number}" for number, result in enumerate(order, 1)}


def _exercises(notebooks: Mapping[str, Notebook]) -> dict[str, Exercise]:
    """The exercises that the notebooks check and that are still to be found, by their cells."""
    found = {name: exercises.get(name) for name in in_notebooks(notebooks) if exercises.find(name)}
    return {
        f"{notebook}/{found[name].grade_id}": found[name]
        for name, notebook in in_notebooks(notebooks).items()
        if name in found
    }


def _item(
    key: str,
    exercise: Exercise | None,
    results: Sequence[SubmissionResult],
    given: Mapping | None,
    written: Mapping[str, Collection[str]],
) -> Item:
    """`given` is the published cell, where a person marks it."""
    cells = {result.student: result.cells[key] for result in results if key in result.cells}
    marked = {who: cell for who, cell in cells.items() if cell.score is not None and cell.max_score}
    tried = {
        result.student
        for result in results
        if key in result.cells
        and _notebook(result, key) != UNGRADABLE
        and _is_tried(result, key, given, key in written.get(result.student, ()))
    }
    judged = {who: cell for who, cell in marked.items() if who in tried}
    every = {who: _share(cell) for who, cell in marked.items()}
    shares = {who: every[who] for who in judged}
    rests = {result.student: _rest(key, result) for result in results if result.student in judged}
    return Item(
        name=exercise.id if exercise else _called(key, cells.values()),
        points=next(iter(cells.values())).max_score,
        minutes=exercise.minutes if exercise else None,
        marked=len(marked),
        waiting=sum(cell.status != GRADED for cell in cells.values()),
        histogram=figures.histogram(list(every.values())),
        tried=len(tried),
        judged=len(judged),
        difficulty=sum(shares.values()) / len(shares) if shares else None,
        discrimination=figures.correlation(list(shares.values()), [rests[who] for who in shares]),
        full=sum(share >= 1 for share in shares.values()),
        earned=_earned(judged.values()),
        rungs=dict(Counter(cell.rung for cell in judged.values() if cell.rung).most_common()),
        misconceptions=_misconceptions(list(judged.values())),
    )


def _earned(cells: Iterable[CellResult]) -> dict[str, int]:
    """By title, how many earned each item, in the order of the exercise."""
    earned: dict[str, int] = {}
    for cell in cells:
        for item in cell.items:
            earned[item.title] = earned.get(item.title, 0) + item.earned
    return earned


def _called(key: str, cells: Iterable[CellResult]) -> str:
    """What people call a cell, with its notebook."""
    label = next((cell.label for cell in cells if cell.label), None)
    return f"{key.partition('/')[0]}/{label}" if label else key


def _share(cell: CellResult) -> float:
    """The share of its points that a marked cell got."""
    return (cell.score or 0.0) / cell.max_score


def _is_tried(
    result: SubmissionResult, key: str, given: Mapping | None, is_for_a_person: bool
) -> bool:
    """Whether the student wrote something for it. What a person marks is an automatic 0 where nothing
    was written, but for a task, whose cells are the student's own.
    """
    cell = result.cells[key]
    if given is None:
        return is_for_a_person or not _is_empty(cell)
    if cell.score:
        return True
    if not is_task(given):
        return is_for_a_person
    book, _, grade_id = key.partition("/")
    return any(
        is_own(own) and own["source"].strip()
        if name_of(own) != grade_id
        else own["source"].strip() != given["source"].strip()
        for own in result.documents.get(book, {}).get("cells", ())
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
        # Of an exception nothing is said beside what it says itself.
        Misconception(
            name,
            Counter(cell.cause or cell.found for cell in found).most_common(1)[0][0],
            len(found),
        )
        for name, found in counted
    )
