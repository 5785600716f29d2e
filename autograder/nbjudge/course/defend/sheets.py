"""The pages, the key and the list for the ticks.

What the key rests on is kept in the course's private folder, by all that it depends on, so that the
same command goes on where it stopped, and gives the same pages.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from markupsafe import Markup

from nbjudge import exercises
from nbjudge.contract import Defence
from nbjudge.contract.authored import authored
from nbjudge.course.defend import code as codes
from nbjudge.course.defend.code import Code
from nbjudge.course.defend.running import MOST_SECONDS, run
from nbjudge.course.filled import ENVIRONMENT
from nbjudge.defending import questions
from nbjudge.defending.questions import LETTERS, Page
from nbjudge.defending.ran import MOST_VARIANTS
from nbjudge.grading.config.folders import Course, write_private
from nbjudge.grading.execution.sandboxes import imports, spread
from nbjudge.grading.gradebook import record
from nbjudge.grading.marks.results import SubmissionResult
from nbjudge.grading.published import seed as seeds
from nbjudge.grading.published import skeletons
from nbjudge.grading.store import fingerprints
from nbjudge.grading.store.hashes import digest, of_case

FOLDER = "defend"
_WRITTEN = "written.json"


class DefendError(RuntimeError):
    """There is nothing to ask about. The text says why."""


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """One student's page as it is kept: `inputs` are the places of the drawn inputs, in the order
    of their numbers on the page. In `asked` each text is one that is printed.
    """

    student: str
    exercise: str
    source: str
    inputs: list[int]
    asked: list[dict]
    why_fewer: str

    @property
    def page(self) -> str:
        """What tells this page from others of the student; no spreadsheet takes it for a number."""
        return f"p{digest([self.source, json.dumps(self.asked)])[:6]}"


@dataclass(frozen=True)
class Done:
    folder: Path
    sheets: list[Sheet]

    @property
    def fewer(self) -> list[Sheet]:
        return [sheet for sheet in self.sheets if sheet.why_fewer]


def defend(
    course: Course,
    assignment: str,
    students: Sequence[str] = (),
    *,
    seed: int | None = None,
    out: Path | None = None,
    jobs: int = 1,
    say: Callable[[str], None] = lambda _line: None,
) -> Done:
    """Write `sheets.html`, `key.html` and `ticks.csv` for the graded submissions that earned
    something. Raises DefendError, and SandboxUnavailable.
    """
    number = _seed(course, assignment, seed)
    work = [one for one in _codes(course, assignment, students) if one]
    if not work:
        raise DefendError(
            f"nobody earned anything in an exercise of {assignment} that asks about code: type `{course.typed('grade', assignment)}` first"
        )
    say(
        f"{len(work)} submissions, each run twice with up to {MOST_VARIANTS} changes: at most {MOST_SECONDS // 60} minutes "
        f"for each of them and exercise, {jobs} at once. Ctrl-C keeps what is done"
    )
    imported = _imports(course, assignment)
    done: dict[str, Sheet] = {}
    for _, sheet in spread(
        work, lambda one, _boxes: _sheet(course, assignment, one, number, imported), jobs
    ):
        done[sheet.student] = sheet
        say(f"{sheet.student}: {len(sheet.asked)} questions about {sheet.exercise}")
    sheets = [done[student] for student in sorted(done)]
    folder = out or course.root / FOLDER / assignment
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "sheets.html", _page("defend.html.j2", assignment, sheets))
    _write(folder / "key.html", _page("defend_key.html.j2", assignment, sheets))
    _write(folder / "ticks.csv", _ticks(sheets))
    _keep(course, assignment, sheets)
    return Done(folder, sheets)


def _keep(course: Course, assignment: str, sheets: list[Sheet]) -> None:
    """Remember which pages were written, with those of other students from before."""
    by_student = {sheet.student: sheet for sheet in [*kept_sheets(course, assignment), *sheets]}
    data = json.dumps([asdict(sheet) for sheet in by_student.values()]).encode()
    write_private(course.private(FOLDER, assignment) / _WRITTEN, data)


def kept_sheets(course: Course, assignment: str) -> list[Sheet]:
    """The pages that were written last, of each student."""
    path = course.root / ".nbjudge" / FOLDER / assignment / _WRITTEN
    return [Sheet(**each) for each in json.loads(path.read_bytes())] if path.is_file() else []


def _write(path: Path, text: str) -> None:
    write_private(path, text.encode())


def _seed(course: Course, assignment: str, typed: int | None) -> int:
    """What was typed, or a seed of the class's own, which is drawn once."""
    return seeds.of_assignment(course, f"{assignment}.{FOLDER}", typed)


def _codes(course: Course, assignment: str, students: Sequence[str]) -> list[list[Code]]:
    """For each student the code for the exercises that have something to ask."""
    everybody = sorted(path.parent.name for path in course.autograded.glob(f"*/{assignment}"))
    wanted = [one for one in everybody if not students or one in students]
    if missing := sorted(set(students) - set(everybody)):
        raise DefendError(f"nothing of {', '.join(missing)} is graded in {course.root}")
    with record.gradebook(course) as book:
        results = record.last_results(course, book, assignment, wanted)
    return [
        [one for one in _of(course, assignment, results[student]) if _defence(one.exercise)]
        for student in wanted
    ]


def _of(course: Course, assignment: str, result: SubmissionResult) -> list[Code]:
    return list(codes.of_student(course, assignment, result))


def _defence(exercise_id: str) -> Defence | None:
    return exercises.get(exercise_id).defence if exercises.find(exercise_id) else None


def _imports(course: Course, assignment: str) -> dict[str, tuple[str, ...]]:
    skeleton = skeletons.current(course, assignment)
    return {name: imports(each) for name, each in skeleton.notebooks.items()} if skeleton else {}


def _sheet(
    course: Course,
    assignment: str,
    work: list[Code],
    seed: int,
    imported: dict[str, tuple[str, ...]],
) -> Sheet:
    """The page about one of the exercises: the first, in an order that is drawn, that gives three
    questions, or the one that gives most.
    """
    rng = random.Random(f"{seed}/{work[0].student}")
    best: Sheet | None = None
    for one in rng.sample(work, len(work)):
        sheet = _kept(course, assignment, one, seed, imported.get(one.notebook, ()))
        if best is None or len(sheet.asked) > len(best.asked):
            best = sheet
        if len(best.asked) == questions.WANTED:
            break
    if best is None:
        raise DefendError("there is no code to ask about")
    return best


def _kept(
    course: Course, assignment: str, code: Code, seed: int, imported: tuple[str, ...]
) -> Sheet:
    """The page, made once."""
    defence = _defence(code.exercise)
    if defence is None:
        raise DefendError(f"{code.exercise} asks nothing about code")
    with authored(f"the inputs of {code.exercise}"):
        instances = [defence.inputs(number) for number in (0, 1)]
    key = digest(
        [
            fingerprints.of_harness(),
            fingerprints.of_asking(code.exercise),
            fingerprints.of_environment(),
            str(seed),
            json.dumps(asdict(code)),
            *(of_case(case) for cases in instances for case in cases),
        ]
    )
    path = course.private(FOLDER, assignment, code.student) / f"{code.exercise}.json"
    if path.is_file() and (kept := json.loads(path.read_bytes()))["key"] == key:
        return Sheet(**kept["sheet"])
    drawn = f"{seed}/{code.student}/{code.exercise}"
    ran = run(code, drawn, instances, imported)
    chosen = questions.choose(ran, random.Random(drawn))
    page = Page.of(chosen.questions)
    sheet = Sheet(
        student=code.student,
        exercise=code.exercise,
        source=ran.source,
        inputs=page.inputs,
        asked=page.asked,
        why_fewer=chosen.why_fewer,
    )
    write_private(path, json.dumps({"key": key, "sheet": asdict(sheet)}).encode())
    return sheet


def _page(template: str, assignment: str, sheets: list[Sheet]) -> str:
    drawn: dict[str, list[Markup]] = {}
    for exercise_id in {sheet.exercise for sheet in sheets}:
        if defence := _defence(exercise_id):
            with authored(f"the inputs of {exercise_id}"):
                drawn[exercise_id] = [Markup(defence.drawn(case)) for case in defence.inputs(0)]
    return ENVIRONMENT.get_template(template).render(
        assignment=assignment, sheets=sheets, drawn=drawn, letters=LETTERS
    )


def _ticks(sheets: list[Sheet]) -> str:
    """One line for each student: behind each question the letter that was ticked goes in."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    numbers = range(1, questions.WANTED + 1)
    table.writerow(["student", "exercise", "page", *(f"question {number}" for number in numbers)])
    for sheet in sheets:
        left_out = questions.WANTED - len(sheet.asked)
        blanks = [*[""] * len(sheet.asked), *["-"] * left_out]
        table.writerow([sheet.student, sheet.exercise, sheet.page, *blanks])
    return text.getvalue()
