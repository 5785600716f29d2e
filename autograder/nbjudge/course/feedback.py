"""`course feedback`: one HTML page per notebook and student, made by nbgrader from the recorded
notebooks, text only.
"""

from __future__ import annotations

import glob
import html
import logging
import os
import re
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from nbformat.v4 import new_output
from nbgrader.api import MissingEntry
from nbgrader.converters import GenerateFeedback
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeError
from nbgrader.exchange.default import ExchangeReleaseFeedback
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import List, TraitError, Unicode, default

from nbjudge import sections
from nbjudge.course import boxed, checked_copy, not_marked, probing, transfer
from nbjudge.course import config as course_config
from nbjudge.course.explained import HowTheMarkCameAbout
from nbjudge.course.not_marked import NotMarkedYet
from nbjudge.course.timed import CoursePage
from nbjudge.grading import CONFIG
from nbjudge.grading.config.folders import Course
from nbjudge.grading.document.cells import is_code, is_test
from nbjudge.grading.gradebook import record, settle
from nbjudge.grading.published import rubric

# Pages for each process: with fewer, nbgrader's import in it costs more than it saves.
WORTH_A_PROCESS = 20
# As render.text writes it; letters, digits, blanks and hyphens only, whoever wrote it.
_READ_AGAIN = re.compile(
    r"Read again: notebooks/([a-z0-9_-]+(?:/[a-z0-9_-]+){0,2})\.ipynb(?:, section “([\w -]{1,80})”)?"
)


class WithoutRubrics(NbGraderPreprocessor):
    """Of the cells that are for the marker, leave the criteria."""

    def preprocess(self, nb, resources):
        kept = []
        for cell in nb.cells:
            if rubric.is_rubric(cell):
                if not (told := rubric.criteria_of(cell)):
                    continue
                cell.source = f"{rubric.CRITERIA}\n\n{told}"
            kept.append(cell)
        nb.cells = kept
        return nb, resources


class ReadAgain(NbGraderPreprocessor):
    """Below a verdict, the section to read again as a link, for a page that lies in
    labs/ASSIGNMENT/feedback/TIME/ of JupyterLab. `folder` is one from which the course's reading
    notebooks are found.
    """

    folder = Unicode(".").tag(config=True)

    def preprocess_cell(self, cell, resources, _index):
        if is_code(cell) and is_test(cell):
            printed = "".join(
                output.text for output in cell.outputs if output.output_type == "stream"
            )
            if named := _READ_AGAIN.search(" ".join(printed.split())):
                cell.outputs.append(
                    new_output("display_data", _link(named[1], named[2], Path(self.folder)))
                )
        return cell, resources


def _link(page: str, section: str | None, folder: Path) -> dict[str, str]:
    """The section as a link and as text; the notebook alone where the course does not have it."""
    there = sections.link(f"{page}#{(section or '').replace(' ', '-')}", folder)
    _, mark, heading = there.partition("#")
    words = f"notebooks/{page}.ipynb" + (f", section “{section}”" if section else "")
    address = f"../../../../../lab/tree/notebooks/{page}.ipynb{mark}{heading}"
    return {
        "text/html": f'Read again: <a href="{html.escape(address)}">{html.escape(words)}</a>',
        "text/plain": f"Read again: {words}",
    }


class StudentFeedback(GenerateFeedback):
    """nbgrader's GenerateFeedback, for students' eyes."""

    preprocessors = List(
        [
            WithoutRubrics,
            ReadAgain,
            *GenerateFeedback.preprocessors.default(),
            NotMarkedYet,
            HowTheMarkCameAbout,
        ]
    ).tag(config=True)

    assignments: dict[str, list[str]]

    @default("exporter_class")
    def _exporter_class_default(self):
        return CoursePage

    def convert_notebooks(self) -> None:
        """Where no step executes what students wrote, and for folders without links alone."""
        with boxed.no_kernels():
            try:
                self.require_walls()
            except boxed.NotBoxed as problem:
                self.log.error("No feedback was made: %s", problem)
                raise boxed.Refused from None
            refused = {
                folder: why[0]
                for folder in self.assignments
                if (why := checked_copy.not_regular(Path(folder), *self._above(folder)))
            }
            self.assignments = {
                folder: books for folder, books in self.assignments.items() if folder not in refused
            }
            for reason in refused.values():
                self.log.error(
                    "No feedback from there: %s. Take it away, and grade that student again", reason
                )
            super().convert_notebooks()
        if refused:
            raise NbGraderException("; ".join(refused.values()))

    def _above(self, folder: str) -> list[Path]:
        """What a student's folders lie in, here and where the pages go."""
        assignment, student = checked_copy.whose(self.coursedir, self._input_directory, folder)
        return [
            place
            for step in (self._input_directory, self._output_directory)
            for place in checked_copy.own_folders(self.coursedir, step, student, assignment)
        ]

    def require_walls(self) -> list[str]:
        """Try whether a notebook gets out by a step of the course's own. Returns the names of the
        steps that were tried; raises boxed.NotBoxed.
        """
        steps = list(self.exporter._preprocessors)
        boxed.require_none([self.exporter], "c.GenerateFeedback.exporter_class")
        boxed.require_none(steps, "c.GenerateFeedback.preprocessors and c.Exporter.preprocessors")
        return probing.require_inside(self.exporter, steps, Path(self.coursedir.root))


class ReleaseFeedback(ExchangeReleaseFeedback):
    """nbgrader's ExchangeReleaseFeedback, student by student: one without a secret is left out by
    name, and stops nobody else.
    """

    src_path: str

    def copy_files(self) -> None:
        self.sent = []
        self.left_out = []
        for folder in sorted(Path(folder) for folder in glob.glob(self.src_path)):
            student = folder.parent.name
            if not any(folder.glob("*.html")):
                continue
            if not (folder / record.SECRET).is_file() or not (folder / "timestamp.txt").is_file():
                self.left_out.append(student)
                self.log.warning(
                    "No feedback in the exchange for %s, who did not hand in through it", student
                )
                continue
            self.src_path = glob.escape(str(folder))
            super().copy_files()
            self.sent.append(student)


class FeedbackError(RuntimeError):
    """Feedback could not be made. The text says why, and what to do."""


def feedback(
    course: Course,
    assignment: str,
    students: Sequence[str] = (),
    *,
    jobs: int | None = None,
    told: Callable[[int, int], None] = lambda _done, _total: None,
    noticed: Callable[[str], None] = lambda _line: None,
) -> list[Path]:
    """Write `feedback/<student>/<assignment>/*.html` for every graded submission, at most `jobs`
    students at once (as many as there are processors by default). Returns the pages.

    `told` hears how many students of how many are done, `noticed` of each page that took too long
    and holds the marks only, of late penalties that are not what they were, and of marks that a
    person has still to give. Raises FeedbackError,
    once everybody else has their pages, and PenaltyError.
    """
    graded = [page.parts[-3] for page in course.autograded.glob(f"*/{assignment}/*.ipynb")]
    if not graded:
        raise FeedbackError(
            f"nothing of {assignment} is graded in {course.root}: type `{course.typed('grade', assignment)}` first"
        )
    for line in _late_as_of_now(course, assignment):
        noticed(line)
    chosen = list(students) or sorted(set(graded))
    wanted = set(chosen)
    pages = sum(student in wanted for student in graded)
    jobs = min(jobs or len(os.sched_getaffinity(0)), max(1, pages // WORTH_A_PROCESS))
    failures: dict[str, str] = {}
    for done, wrote in enumerate(_each(partial(_write, course, assignment), chosen, jobs), 1):
        told(done, len(chosen))
        failures |= wrote.failures
        for line in wrote.cut_short:
            noticed(line)
    for line in not_marked.lines(course, assignment, wanted):
        noticed(line)
    if failures:
        raise FeedbackError(_of_all(failures))
    return sorted(course.feedback.glob(f"*/{assignment}/*.html"))


def _late_as_of_now(course: Course, assignment: str) -> list[str]:
    """Work out late penalties as they are due now; what changed since marks were last shown."""
    with record.gradebook(course) as book:
        try:
            found = book.find_assignment(assignment)
        except MissingEntry:
            return []
        changed = settle.up_to_date(book, course, found, course_config.config(course))
        book.db.commit()
    return [f"{assignment}, late penalty: {line}" for line in changed.lines()]


def _of_all(failures: Mapping[str, str]) -> str:
    """What nbgrader said of the first student, and who else has no pages."""
    first, *others = failures
    nor = f"; nor that of {', '.join(others)}" if others else ""
    return f"nbgrader could not make the feedback of {first}: {failures[first]}{nor}"


@dataclass(frozen=True)
class _Wrote:
    """What there is to say of one student's pages; `failures` by the student's name."""

    cut_short: list[str]
    failures: dict[str, str]


def _each(write: Callable[[str], _Wrote], students: Sequence[str], jobs: int) -> Iterator[_Wrote]:
    """Students in turn, or in processes."""
    if jobs == 1:
        yield from map(write, students)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), _leave_interrupts) as pool:
        try:
            yield from pool.map(write, students)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _leave_interrupts() -> None:
    """Ctrl-C ends the command, which ends its processes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _write(course: Course, assignment: str, student: str) -> _Wrote:
    logging.getLogger("traitlets").setLevel(logging.ERROR)
    config = course_config.config(course)
    config.CourseDirectory.assignment_id = assignment
    config.CourseDirectory.student_id = student
    config.ReadAgain.folder = str(Path.cwd())  # nbgrader works in the course folder
    failures = {}
    made = StudentFeedback(coursedir=CourseDirectory(config=config), config=config, force=True)
    try:
        made.start()
    except NbGraderException as error:
        failures[student] = str(error)
    except TraitError as error:
        raise FeedbackError(f"{course.root / CONFIG}: {error}") from None
    return _Wrote(made.exporter.cut_short, failures)


@dataclass(frozen=True)
class Sent:
    """Whose pages are in the exchange now, and who has none there: handed in some other way, they
    have no way to fetch them.
    """

    students: list[str]
    left_out: list[str]


def return_feedback(course: Course, assignment: str, students: Sequence[str] = ()) -> Sent:
    """Put pages into the exchange, for these students (all by default) to fetch in JupyterLab.
    Raises FeedbackError.
    """
    try:
        transfer.require_exchange(course, assignment)
    except transfer.ExchangeProblem as problem:
        raise FeedbackError(f"{problem}. The pages are written, and none is sent") from None
    sent = Sent([], [])
    for student in students or ["*"]:
        release = _released(course, assignment, student)
        sent.students.extend(release.sent)
        sent.left_out.extend(release.left_out)
    return sent


def _released(course: Course, assignment: str, student: str) -> ReleaseFeedback:
    config = course_config.config(course)
    config.CourseDirectory.assignment_id = assignment
    config.CourseDirectory.student_id = student
    try:
        release = ReleaseFeedback(coursedir=CourseDirectory(config=config), config=config)
        release.start()
    except (ExchangeError, OSError) as error:
        raise FeedbackError(
            f"the exchange at {course.exchange} refuses the feedback: {transfer.reason(error)}"
        ) from None
    return release
