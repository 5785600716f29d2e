"""nbgrader's commands and formgrader's buttons, through this engine: two lines in
`nbgrader_config.py` put it in nbgrader's place.

Autograde: an assignment that `course publish` published is graded by the coordinator, as
`course grade` does it. Any other one takes nbgrader's own steps, but its notebook is executed in a
runner box. Generate: an assignment of the project's `solutions/` is released and published as
`course release` and `course publish` do it. Feedback: the marker's rubrics are left out. Feedback and
formgrader's page have a limit of time for each page.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode, from_dict
from nbgrader.apps import api, autogradeapp
from nbgrader.converters import Autograde, GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import CheckCellMetadata, ClearOutput
from nbgrader.validator import Validator
from traitlets import List
from traitlets.config import Config
from traitlets.log import get_logger

from nbjudge import _replaced, boxes, limits, plain_text
from nbjudge.course import boxed, checked_copy, pages, probing, zip_collecting
from nbjudge.course.exchange import collector
from nbjudge.course.feedback import ReleaseFeedback, StudentFeedback
from nbjudge.course.generating import ReleaseError
from nbjudge.course.publish import PublishRefused, publish
from nbjudge.course.release import release
from nbjudge.course.timed import CoursePage
from nbjudge.grading.config import budget
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.execution.runner import CellRun
from nbjudge.grading.gradebook import record
from nbjudge.grading.marks import reasons
from nbjudge.grading.marks.results import GRADED, SubmissionResult
from nbjudge.grading.published import skeletons
from nbjudge.grading.run import coordinator

NO_EFFECT = (
    "Nothing was graded: this course is graded in a sandbox, and the lines of nbgrader_config.py that see to it did not take effect. "
    "Mend what fails there, or type `course adopt`; with `course adopt --undo` you do without the sandbox"
)


class OnlyInTheSandbox(NotebookExporter):
    """What `course adopt` names in a course's `nbgrader_config.json`: it writes notebooks for
    SandboxedAutograde alone. nbgrader goes on with its own classes where a settings file fails, or
    its lines are taken out, and would then execute what students handed in under your account.
    """

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        if isinstance(self.parent, Autograde) and not isinstance(self.parent, SandboxedAutograde):
            self.log.error("%s", NO_EFFECT)
            raise boxed.Refused


HOOK = "only_in_the_sandbox"


def _only_in_the_sandbox(**_hooked: object) -> None:
    """What `course adopt` names in place of OnlyInTheSandbox where a course writes notebooks by a class
    of its own: nbgrader calls it before it copies or runs anything of a submission.
    """
    if not _is_in_the_sandbox():
        _refuse()


def _is_in_the_sandbox() -> bool:
    return all(issubclass(one.Autograde, SandboxedAutograde) for one in (api, autogradeapp))


def _refuse(_converter: object = None) -> None:
    get_logger().error("%s", NO_EFFECT)
    raise boxed.Refused


def __getattr__(name: str) -> object:
    """The hook, as nbgrader asks for it when it makes a converter. With `--force` it would call the hook
    only after it has removed what an earlier run made, so without the sandbox it converts nothing.
    """
    if name != HOOK:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if not _is_in_the_sandbox():
        _replaced.in_nbgrader_without_sandbox(_refuse)
    return _only_in_the_sandbox


class SandboxedAutograde(Autograde):
    """nbgrader's Autograde with this engine inside. Without a working sandbox it refuses."""

    autograde_preprocessors: list
    sanitize_preprocessors: list
    assignments: dict[str, list[str]]

    def convert_notebooks(self) -> None:
        try:
            boxes.require_sandbox()
        except boxes.SandboxUnavailable as error:
            self.log.error("No grading without a sandbox: %s", error)
            raise NbGraderException(str(error)) from None
        course = Course.at(self.coursedir.root, self.coursedir.db_url)
        assignment = self.coursedir.assignment_id
        if skeletons.is_published(course, assignment):
            self._grade_published(course, assignment)
            return
        with boxed.no_kernels():
            try:
                self.require_walls()
            except boxed.NotBoxed as problem:
                self.log.error("Nothing was graded: %s", problem)
                raise boxed.Refused from None
            self._convert_each()

    def require_walls(self) -> list[str]:
        """Put each step that executes into a box, and try whether a notebook gets out. Returns the
        names of the steps that were tried; raises boxed.NotBoxed.
        """
        self.sanitize_preprocessors, self.autograde_preprocessors = (
            [boxed.boxed(step, f"c.Autograde.{name}") for step in getattr(self, name)]
            for name in ("sanitize_preprocessors", "autograde_preprocessors")
        )
        boxed.require_none([self.exporter], "c.Autograde.exporter_class")
        steps = [*self.sanitize_preprocessors, *self.autograde_preprocessors]
        return probing.require_inside(self.exporter, steps, Path(self.coursedir.root))

    def _convert_each(self) -> None:
        """Each student's folder by itself, from a copy without links. What was left out, and who was
        refused, is said once more at the end.
        """
        told: list[str] = []
        has_failed = False
        for folder, notebooks in sorted(self.assignments.items()):
            assignment, student = checked_copy.whose(self.coursedir, self._input_directory, folder)
            if student in self.coursedir.student_id_exclude.split(","):
                continue
            try:
                self.notebooks = notebooks
                steps = (self._input_directory, self._output_directory)
                checked_copy.require_own(self.coursedir, steps, student, assignment)
                with checked_copy.checked_copy(self.coursedir, student, assignment) as copy:
                    # nbgrader removes here what an earlier run made, so whatever refuses comes before.
                    taken = self._taken(copy, notebooks, student, assignment)
                    if not self.init_destination(assignment, student):
                        continue
                    told += [f"{student}: {line}" for line in (*copy.refused, *copy.left_out)]
                    has_failed |= bool(copy.refused)
                    self._convert_copy(copy, taken)
            except (checked_copy.NotTaken, OSError, ValueError) as problem:
                told.append(f"{student}: {problem}")
                has_failed = True
            except NbGraderException:  # which said why
                has_failed = True
        for line in told:
            self.log.warning("Not taken of %s, %s", self.coursedir.assignment_id, line)
        if has_failed:
            raise NbGraderException(
                "some submissions were not graded, or not all of them: see the log"
            )

    def _taken(
        self,
        copy: checked_copy.CheckedCopy,
        notebooks: Sequence[str],
        student: str,
        assignment: str,
    ) -> list[str]:
        """The notebooks in the copy. Raises NotTaken where there is none, or where one that was graded
        before is not among them.
        """
        names = [Path(name).name for name in notebooks]
        taken = [str(copy.folder / name) for name in names if (copy.folder / name).is_file()]
        if not taken:
            raise checked_copy.NotTaken(
                "; ".join(["no notebook of it could be taken", *copy.refused])
            )
        graded = Path(self._format_dest(assignment, student))
        if len(taken) < len(names) and any(
            (graded / name).exists() for name in names if not (copy.folder / name).is_file()
        ):
            raise checked_copy.NotTaken(
                "; ".join([*copy.refused, "what was graded before stays as it is"])
            )
        return taken

    def _convert_copy(self, copy: checked_copy.CheckedCopy, taken: list[str]) -> None:
        with (
            boxed.set_to(self.coursedir, "submitted_directory", copy.step),
            boxed.set_to(self, "assignments", {str(copy.folder): taken}),
        ):
            super().convert_notebooks()

    def _grade_published(self, course: Course, assignment: str) -> None:
        for option in self._ignored():
            why = "%s is published, so %s changes nothing: its notebooks are all run"
            self.log.warning(why, assignment, option)
        report = self._graded(course, assignment)
        for result in report.submissions:
            self._tell(result)
            if (course.autograded / result.student / assignment).is_dir():
                self.set_permissions(assignment, result.student)
        if report.exit_code:
            raise NbGraderException(
                "some submissions were not graded through a fault of the harness: see the log"
            )

    def _graded(self, course: Course, assignment: str) -> coordinator.Report:
        submitted = course.root / self.coursedir.submitted_directory
        request = coordinator.GradingRequest(
            assignment,
            submitted=submitted,
            students=sorted(self._students(course)),
            force=self.force,
            budget=self._budget(),
            config=self.config,
        )
        try:
            return coordinator.grade(course, request)
        except coordinator.Refused as refusal:
            self.log.error("%s", refusal)
            raise NbGraderException(str(refusal)) from None

    def set_permissions(self, assignment_id: str, student_id: str) -> None:
        """As nbgrader does, but the secret name of a student's feedback is for nobody else."""
        super().set_permissions(assignment_id, student_id)
        secret = Path(self._format_dest(assignment_id, student_id), record.SECRET)
        if secret.is_file() and not self.coursedir.groupshared:
            secret.chmod(0o600)

    def _ignored(self) -> list[str]:
        given = {
            "--notebook": self.coursedir.notebook_id != "*",
            "--no-execute": not boxed.BoxedExecute(parent=self).enabled,
        }
        return [option for option, is_given in given.items() if is_given]

    def _students(self, course: Course) -> set[str]:
        """Whose submissions are graded, by nbgrader's own settings. Raises NbGraderException where
        somebody is in no gradebook and must not be put there.
        """
        excluded = set(self.coursedir.student_id_exclude.split(","))
        students = {Path(folder).parent.name for folder in self.assignments} - excluded
        new = sorted(students - record.known_students(course))
        if new and not self.create_student:
            told = f"not in the gradebook: {plain_text.line(', '.join(new))}"
            self.log.error("%s", told)
            raise NbGraderException(
                f"{told}; type `course roster FILE.csv`, or `nbgrader db student add STUDENT` for each of them"
            )
        return students

    def _budget(self) -> dict[str, float]:
        """`c.Execute.timeout` as the budget of a cell, where no `c.CourseBudget.cell` is set."""
        is_set = self.config.get("Execute", {}).get("timeout") is not None
        if not is_set or "cell" in self.config.get(budget.SECTION, {}):
            return {}
        return {"cell": float(boxed.BoxedExecute(parent=self).timeout)}

    def _tell(self, result: SubmissionResult) -> None:
        level = self.log.info if result.status == GRADED else self.log.error
        level(
            "%s: %s, %s of %s points%s",
            plain_text.line(result.student),
            result.status,
            result.score,
            result.max_score,
            f" ({plain_text.line(reasons.why(result))})",
        )


class BoxedForValidation(boxed.BoxedExecute):
    """Outputs as they are: nbgrader's Validator reads them, and nobody is marked."""

    def _fill(self, cell: NotebookNode, ran: CellRun) -> None:
        outputs = list(ran.outputs)
        if ran.status == "timeout":
            outputs.append({"output_type": "error", **self.error_on_timeout})
        elif ran.status != "ok" and not any(each["output_type"] == "error" for each in outputs):
            outputs.append(boxed.unfinished(ran))
        cell.outputs = [from_dict(output) for output in outputs]
        cell.execution_count = ran.execution_count


class BoxedValidator(Validator):
    """nbgrader's Validator: an instructor may type `nbgrader validate` for a notebook of a student's."""

    preprocessors = List([CheckCellMetadata, ClearOutput, BoxedForValidation])

    def validate(self, filename: str) -> dict:
        status = os.stat(filename)
        problem: str | None = f"it is no regular file of at most {limits.NOTEBOOK >> 20} MB"
        if stat.S_ISREG(status.st_mode) and status.st_size <= limits.NOTEBOOK:
            problem = checked_copy.bomb(Path(filename).read_bytes())
        if problem:
            self.log.error("Nothing is run of %s: %s", plain_text.line(filename), problem)
            raise boxed.Refused
        return super().validate(filename)

    def _indent(self, val: str) -> str:
        """For the terminal: nbgrader leaves what sets a title or the clipboard in a text of a student's."""
        return super()._indent(plain_text.block(val))

    def _preprocess(self, nb):
        try:
            boxes.require_sandbox()
        except boxes.SandboxUnavailable as error:
            self.log.error("Nothing is run without a sandbox: %s", error)
            raise boxed.Refused from None
        return super()._preprocess(nb)


class PublishingGenerate(GenerateAssignment):
    """nbgrader's GenerateAssignment, except for the assignments of a project: those are released
    and published, or nothing changes.
    """

    def start(self) -> None:
        source = Path(self.coursedir.root, self.coursedir.source_directory)
        project = Project(source.parent)
        assignment = self.coursedir.assignment_id
        if source.name != "solutions" or not (project.root / "pyproject.toml").is_file():
            super().start()
            return
        course = Course.at(self.coursedir.root, self.coursedir.db_url)
        try:
            release(project, [assignment], budget=budget.of(self.config, {}))
            (done,) = publish(course, project, [assignment], exchange=False)
        except (ReleaseError, PublishRefused, budget.BudgetError) as problem:
            self.log.error("%s", problem)
            raise NbGraderException(str(problem)) from None
        self.log.info("released and published %s, version %s", done.assignment, done.version)


class _Plain(logging.Filter):
    """nbgrader logs names, and errors that quote what a student wrote, as they are."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = plain_text.block(record.getMessage())
        record.args = ()
        return True


_PLAIN = _Plain()


def log_plainly() -> None:
    """Keep what a student wrote from driving the terminal in which nbgrader was started."""
    log = get_logger()
    (log.logger if isinstance(log, logging.LoggerAdapter) else log).addFilter(_PLAIN)


def install(config: Config | None = None) -> None:
    """Put the classes where nbgrader's command line and formgrader look for theirs. With the
    `config` that nbgrader is reading, its pages also show what students wrote as text only.
    """
    if config is not None:
        config.HTMLExporter.update(pages.settings())
        # Where something puts nbgrader's own class back, it grades nothing.
        config.Autograde.setdefault("exporter_class", OnlyInTheSandbox)
    log_plainly()
    _replaced.in_nbgrader(
        autograde=SandboxedAutograde,
        generate_assignment=PublishingGenerate,
        generate_feedback=StudentFeedback,
        course_page=CoursePage,
        release_feedback=ReleaseFeedback,
        collector=collector,
        extract=zip_collecting.extract,
        process_extracted_files=zip_collecting.process_extracted_files,
        validator=BoxedValidator,
        existing_timestamp=checked_copy.existing_timestamp,
        served_headers=pages.served_headers,
    )
