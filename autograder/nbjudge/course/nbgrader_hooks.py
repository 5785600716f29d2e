"""nbgrader's commands and formgrader's buttons, through this engine: two lines in
`nbgrader_config.py` put it in nbgrader's place.

Autograde: an assignment that `course publish` published is graded by the coordinator, as
`course grade` does it. Any other one takes nbgrader's own steps, but its notebook is executed in a
runner box. Generate: an assignment of the project's `solutions/` is released and published as
`course release` and `course publish` do it. Feedback: the marker's rubrics are left out. Feedback and
formgrader's page have a limit of time for each page.
"""

from __future__ import annotations

from pathlib import Path

from jupyter_client.kernelspec import KernelSpecManager
from nbclient.exceptions import DeadKernelError
from nbformat import NotebookNode, from_dict
from nbgrader.converters import Autograde, GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import Execute
from nbgrader.utils import is_locked
from traitlets.config import Config

from nbjudge import _replaced, boxes, plain_text, wire
from nbjudge.course import pages
from nbjudge.course.exchange import SafeCollect
from nbjudge.course.feedback import ReleaseFeedback, StudentFeedback
from nbjudge.course.generating import ReleaseError
from nbjudge.course.publish import PublishRefused, publish
from nbjudge.course.release import release
from nbjudge.course.timed import CoursePage
from nbjudge.grading.config import budget
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.document import sanitize
from nbjudge.grading.document.cells import is_test
from nbjudge.grading.execution.runner import Budget, CellRun, run_notebook
from nbjudge.grading.gradebook import record
from nbjudge.grading.intake import untrusted
from nbjudge.grading.marks import plain_tests, reasons
from nbjudge.grading.marks.results import GRADED, SubmissionResult
from nbjudge.grading.notebook import attachments
from nbjudge.grading.published import skeletons
from nbjudge.grading.run import coordinator

MAX_FILES = 200


def _unfinished(ran: CellRun) -> dict:
    """The error of a cell that shows none."""
    why = "CellTimeoutError" if ran.status == "timeout" else "NotRun"
    lines = [f"{why}: the cell did not finish"]
    return {"output_type": "error", "ename": why, "evalue": "", "traceback": lines}


class BoxedExecute(Execute):
    """Execute a plain notebook in a runner box instead of a kernel of the grader's own."""

    def preprocess(self, nb, resources=None, km=None):  # noqa: ARG002  # as nbclient calls it
        name = nb.metadata.get("kernelspec", {}).get("name", "python3")
        if name != "python":  # jupyter_client's own alias of python3
            KernelSpecManager().get_kernel_spec(name)
        folder = Path(resources["metadata"]["path"] or ".")
        budget = (
            Budget(cell=self.timeout, notebook=max(600.0, 4 * self.timeout))
            if self.timeout
            else Budget()
        )
        run = run_notebook(nb, {}, budget=budget, files=_files(folder))
        if any(map(_used_up, run.cells.values())):
            raise DeadKernelError("the kernel died, or used up the memory that a box has")
        for index, ran in run.cells.items():
            self._fill(nb.cells[index], ran)
        for cell in nb.cells:
            if not is_locked(cell):
                cell.source = sanitize.source(cell)
        for name, data in run.files.items():
            _write_inside(folder, name, data)
        return nb, resources

    def _fill(self, cell: NotebookNode, ran: CellRun) -> None:
        outputs = ran.outputs
        if ran.status != "ok" and not any(output["output_type"] == "error" for output in outputs):
            outputs = [*outputs, _unfinished(ran)]
        if is_test(cell):
            result = plain_tests.grade_cell(ran, float(cell.metadata.nbgrader["points"]))
            outputs = plain_tests.record_outputs(ran, result)
        cell.outputs = [from_dict(output) for output in outputs]
        cell.execution_count = ran.execution_count


class SandboxedAutograde(Autograde):
    """nbgrader's Autograde with this engine inside. Without a working sandbox it refuses."""

    autograde_preprocessors: list

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        boxed = [BoxedExecute if step is Execute else step for step in self.autograde_preprocessors]
        self.autograde_preprocessors = boxed

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
        else:
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
            "--no-execute": not BoxedExecute(parent=self).enabled,
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
        return {"cell": float(BoxedExecute(parent=self).timeout)}

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


def install(config: Config | None = None) -> None:
    """Put the classes where nbgrader's command line and formgrader look for theirs. With the
    `config` that nbgrader is reading, its pages also show what students wrote as text only.
    """
    if config is not None:
        config.HTMLExporter.update(pages.settings())
    _replaced.in_nbgrader(
        autograde=SandboxedAutograde,
        generate_assignment=PublishingGenerate,
        generate_feedback=StudentFeedback,
        course_page=CoursePage,
        release_feedback=ReleaseFeedback,
        collect=SafeCollect,
    )


def _used_up(ran: CellRun) -> bool:
    """Whether nbgrader, whose kernels have no limit, would have lost the kernel here: to nbgrader
    that is no mark, but a failure.
    """
    return ran.status == "died" or any(
        output.get("ename") == "MemoryError" for output in ran.outputs
    )


def _files(folder: Path) -> dict[str, bytes]:
    """The files beside the notebook that its code may read: regular ones, within intake's limits;
    notebooks stay out.
    """
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        is_ours = (
            path.is_file()
            and not path.is_symlink()
            and path.suffix != ".ipynb"
            and path.name != "timestamp.txt"
        )
        if is_ours and path.stat().st_size <= untrusted.MAX_FILE and len(found) < MAX_FILES:
            found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found


def _write_inside(folder: Path, name: str, data: wire.Blob) -> None:
    """Copy back a file that the notebook wrote, if it may lie there."""
    target = folder / name
    if not attachments.may_lie_there(name) or not target.resolve().is_relative_to(folder.resolve()):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    with open(target, "wb") as file:
        file.writelines(wire.parts_of(data))
