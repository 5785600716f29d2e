"""Grade a class: prepare once, grade submissions side by side, write journal and gradebook one at a
time.
"""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import replace
from functools import cache, partial
from operator import attrgetter
from pathlib import Path
from typing import Any

from nbjudge.grading.config import budget, settings
from nbjudge.grading.config.budget import Budget
from nbjudge.grading.config.errors import Refused
from nbjudge.grading.config.folders import Course
from nbjudge.grading.config.locks import alone
from nbjudge.grading.execution.checker import CheckFault
from nbjudge.grading.faults.faults import Fault
from nbjudge.grading.gradebook import extensions, record
from nbjudge.grading.intake import intake
from nbjudge.grading.published import seed, skeletons
from nbjudge.grading.reference.references import Prepared, prepare
from nbjudge.grading.run import submissions
from nbjudge.grading.run.batch import Run, Sandbox
from nbjudge.grading.run.request import GradingRequest, Report
from nbjudge.grading.run.submissions import Watcher
from nbjudge.grading.store import case_hashes


def grade(
    course: Course, request: GradingRequest, watch: Watcher = lambda _event, _count, _result: None
) -> Report:
    """Grade an assignment. `watch` hears ("references", 0, None), ("start", total, None),
    ("reference", number, (total, exercise)) for each that is ready, before or after that, again and
    again ("running", number, {student: (seconds, notebook)}), ("later", 0, student) for a
    submission that goes to the back of the queue, ("changed", 0, result) for one that had another
    mark, before the gradebook has the new one, and ("done", number, result) for each that is
    over. The notebook is empty where workers grade.

    Every result is in the journal before it is in the gradebook, so a run that is killed at any
    moment loses nothing and another goes on where it stopped. Raises Refused when nothing could be
    started: no sandbox, nothing published, no such submissions.

    The sandbox is tried, the exercises are made ready, and the canary is sent, before the first box
    that grades: a run with nothing new needs none of it.
    """
    with alone(course):
        run = _run(course, _with_settings(course, request), watch)
        _grade_all(run, watch)
        _add_final_marks(run)
        run.report.submissions.sort(key=attrgetter("student"))
        run.report.new_students.sort()
        return run.report


def _grade_all(run: Run, watch: Watcher) -> None:
    """The results, and who is new in the gradebook, into the report."""
    known = record.known_students(run.course)
    watch("start", len(run.students), None)
    with closing(run.recorder), closing(submissions.graded(run, watch)) as results:
        for result in results:
            run.report.submissions.append(result.without_documents())
            if result.student not in known and result.documents:
                run.report.new_students.append(result.student)
            watch("done", len(run.report.submissions), result)


def _add_final_marks(run: Run) -> None:
    """What the gradebook makes of the marks, late penalties included, into the results."""
    request = run.request
    report = run.report
    try:
        changed = record.final_marks(
            run.course, request.assignment, report.submissions, request.config
        )
    except Exception as error:  # whatever it is, the marks are safe and it is said  # noqa: BLE001
        raise Refused(
            f"everything is graded, but the final marks cannot be read from the gradebook: {error}"
        ) from None
    run.recorder.changed_penalties.add(changed)
    # Of a first penalty the table says all that there is to say.
    report.penalties = run.recorder.changed_penalties.lines(with_first=False)


def _run(course: Course, request: GradingRequest, watch: Watcher) -> Run:
    """Everything that is prepared once. Raises Refused."""
    name = request.assignment
    pretrained = request.pretrained
    skeleton = skeletons.current(course, name)
    if skeleton is None:
        raise Refused(f"{name} was never published in {course.root}: {course.publishing(name)}")
    submitted = request.submitted or course.submitted
    students = _choose(submitted, request)
    jobs = request.jobs or len(os.sched_getaffinity(0))
    grading_seed = seed.of_assignment(course, name, request.seed, request.new_seed)
    sandbox = Sandbox(course.root)

    def progress(done: int, total: int, exercise: str) -> None:
        watch("reference", done, (total, exercise))

    ready = cache(
        partial(
            _ready,
            skeleton,
            grading_seed,
            jobs=jobs,
            pretrained=pretrained,
            progress=progress,
            before=sandbox.prove,
        )
    )
    watch("references", 0, None)
    hashes = case_hashes.known(skeleton, grading_seed, pretrained)
    if hashes is None:
        hashes = {name: each.hashes for name, each in ready().items()}
    stored = skeletons.versions(course, name)
    report = Report(name, seed.public_id(grading_seed))
    if not request.students:
        known = record.known_assignments(course)
        report.passed_over = intake.passed_over(submitted, name, known)
    return Run(
        course=course,
        request=request,
        skeleton=skeleton,
        stored=stored,
        exercise_hashes=hashes,
        prepare=ready,
        students=students,
        seed=grading_seed,
        jobs=jobs,
        sandbox=sandbox,
        report=report,
    )


def _ready(skeleton: skeletons.Skeleton, grading_seed: int, **how: Any) -> dict[str, Prepared]:
    """As `references.prepare`. Raises Refused."""
    try:
        return prepare(skeleton, grading_seed, **how)
    except (CheckFault, Fault) as error:
        raise Refused(f"the references could not be computed: {error}") from None


def _with_settings(course: Course, request: GradingRequest) -> GradingRequest:
    """The request with nbgrader's settings. What is wrong with them, or with the extensions, is said
    before anything is graded.
    """
    try:
        extensions.read(course)
        config = course.settings if request.config is None else request.config
        own = (
            request.budget
            if isinstance(request.budget, Budget)
            else budget.of(config, request.budget or {})
        )
        return replace(request, config=config, budget=own)
    except (settings.SettingsError, extensions.ExtensionError, budget.BudgetError) as error:
        raise Refused(str(error)) from None


def _choose(submitted: Path, request: GradingRequest) -> list[str]:
    found = intake.students(submitted, request.assignment)
    if missing := sorted(set(request.students) - set(found)):
        raise Refused(
            f"no submission of {request.assignment} by {', '.join(missing)} in {submitted}"
        )
    if not found:
        raise Refused(
            f"{submitted} holds no submission of {request.assignment}: it should look like {submitted}/STUDENT/{request.assignment}/*.ipynb"
        )
    return sorted(set(request.students)) or found
