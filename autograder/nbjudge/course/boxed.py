"""Which of nbgrader's steps execute a notebook, told by their class, and what stands in their place.

1. A step that executes is a subclass of nbclient's, from which nbgrader's `Execute` and nbconvert's
   `ExecutePreprocessor` are derived, or nbgrader's `InstantiateTests`. Where students' notebooks are
   graded, it is executed in a box; a step whose own code reaches into the execution is refused.
2. What starts a kernel in another way, for example a hook, is stopped where kernels are started.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType

from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
from jupyter_client.provisioning import KernelProvisionerFactory
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError
from nbconvert.exporters import PDFExporter, WebPDFExporter
from nbconvert.exporters.qt_exporter import QtExporter
from nbconvert.preprocessors import ConvertFiguresPreprocessor
from nbformat import NotebookNode, from_dict
from nbgrader.preprocessors import Execute, InstantiateTests
from nbgrader.utils import is_locked
from traitlets.utils.importstring import import_item

from nbjudge import wire
from nbjudge.grading.document import sanitize
from nbjudge.grading.document.cells import is_test
from nbjudge.grading.execution.runner import Budget, CellRun, run_notebook
from nbjudge.grading.intake import untrusted
from nbjudge.grading.marks import plain_tests
from nbjudge.grading.notebook import attachments

MAX_FILES = 200
# jupyter_client says this name where somebody wants a kernel.
NO_KERNELS = "none: what students handed in runs in the sandbox alone, as `course adopt` says"


class Refused(SystemExit):
    """The run is refused before anything is done; a line in the log says why, and what to do.
    nbgrader's commands end with it, and formgrader shows the log.
    """

    def __init__(self) -> None:
        super().__init__(2)


class NotBoxed(RuntimeError):
    """Students' code would run outside the sandbox. The text says by what, and what to do."""


def unfinished(ran: CellRun) -> dict:
    """The error of a cell that shows none."""
    why = "CellTimeoutError" if ran.status == "timeout" else "NotRun"
    lines = [f"{why}: the cell did not finish"]
    return {"output_type": "error", "ename": why, "evalue": "", "traceback": lines}


class BoxedExecute(Execute):
    """Execute a plain notebook in a runner box instead of a kernel of the grader's own."""

    def preprocess(self, nb, resources=None, km=None):  # noqa: ARG002  # as nbclient calls it
        name = nb.metadata.get("kernelspec", {}).get("name", "python3")
        # `python` is jupyter_client's own alias of python3. Its `get_kernel_spec` finds none where
        # none may be started.
        if name != "python" and name.lower() not in KernelSpecManager().find_kernel_specs():
            raise NoSuchKernel(name)
        # `nbgrader validate` names no folder: it stands in the notebook's.
        folder = Path((resources or {}).get("metadata", {}).get("path") or ".")
        budget = (
            Budget(cell=self.timeout, notebook=max(600.0, 4 * self.timeout))
            if self.timeout
            else Budget()
        )
        run = run_notebook(nb, {}, budget=budget, files=self._files(folder))
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
            outputs = [*outputs, unfinished(ran)]
        if is_test(cell):
            result = plain_tests.grade_cell(ran, float(cell.metadata.nbgrader["points"]))
            outputs = plain_tests.record_outputs(ran, result)
        cell.outputs = [from_dict(output) for output in outputs]
        cell.execution_count = ran.execution_count

    def _files(self, folder: Path) -> dict[str, bytes]:
        """The files beside the notebook that its code may read: regular ones, within intake's
        limits; notebooks stay out.
        """
        found: dict[str, bytes] = {}
        for path in sorted(folder.rglob("*")):
            if not path.is_file() or path.suffix == ".ipynb" or path.name == "timestamp.txt":
                continue
            problem = (
                "is a link"
                if path.is_symlink()
                else f"is larger than {untrusted.MAX_FILE >> 20} MB"
                if path.stat().st_size > untrusted.MAX_FILE
                else f"comes after {MAX_FILES} others"
                if len(found) >= MAX_FILES
                else None
            )
            if problem:
                shown = untrusted.shown(str(path))
                self.log.warning("Not beside the notebook in its box: %s %s", shown, problem)
            else:
                found[path.relative_to(folder).as_posix()] = path.read_bytes()
        return found


# What is not called where a box executes: a step that changes it means something that would not
# happen.
_UNCALLED = {
    name
    for base in BoxedExecute.__mro__
    if issubclass(base, NotebookClient)
    for name, value in vars(base).items()
    if isinstance(value, FunctionType) and name not in ("__init__", "preprocess")
}


def resolved(step: object) -> object:
    """The step itself where a setting names it. Raises NotBoxed."""
    if not isinstance(step, str):
        return step
    try:
        return import_item(step)
    except ImportError as error:
        raise NotBoxed(
            f"the step {step!r} cannot be imported ({error}): correct its name"
        ) from None


def executes(step: object) -> bool:
    kind = step if isinstance(step, type) else type(step)
    return issubclass(kind, (NotebookClient, InstantiateTests))


def hands_over(step: object) -> bool:
    """Whether a step or an exporter gives what students wrote to a program that reads files of the
    account's where the text says so: TeX, a browser, Inkscape.
    """
    return isinstance(step, (PDFExporter, WebPDFExporter, QtExporter, ConvertFiguresPreprocessor))


def named(step: object) -> str:
    kind = step if isinstance(step, (type, FunctionType)) else type(step)
    return f"{kind.__module__}.{kind.__qualname__}"


def boxed(step: object, setting: str) -> object:
    """What nbgrader runs for a step of that setting: the step, or one that does the same in a box.
    Raises NotBoxed.
    """
    step = resolved(step)
    if not executes(step):
        return step
    remedy = f"take it out of {setting}, or name nbgrader.preprocessors.Execute in its place"
    if not isinstance(step, type):
        raise NotBoxed(f"an instance of {named(step)} executes notebooks: {remedy}")
    if not issubclass(step, NotebookClient):
        raise NotBoxed(f"{named(step)} starts a kernel: {remedy}")
    if issubclass(step, BoxedExecute):
        return step
    if issubclass(BoxedExecute, step):
        return BoxedExecute
    own = {name for base in step.__mro__ if base not in BoxedExecute.__mro__ for name in vars(base)}
    if changed := sorted(own & _UNCALLED):
        raise NotBoxed(
            f"{named(step)} has its own {changed[0]}, which does not happen in a box: {remedy}"
        )
    try:
        return type(step.__name__, (step, BoxedExecute), {"__module__": step.__module__})
    except TypeError:  # no order of the two
        raise NotBoxed(f"{named(step)} executes notebooks in its own way: {remedy}") from None


def require_none(steps: Iterable[object], setting: str) -> None:
    """Raises NotBoxed where one of the steps executes notebooks, or hands them over, and is not
    switched off.
    """
    for step in map(resolved, steps):
        if not getattr(step, "enabled", True):
            continue
        if executes(step):
            raise NotBoxed(f"{named(step)} executes notebooks: take it out of {setting}")
        if hands_over(step):
            raise NotBoxed(
                f"{named(step)} gives what students wrote to a program that can read your files: take it out of {setting}"
            )


@contextmanager
def no_kernels() -> Iterator[None]:
    """While nbgrader goes through what students handed in, no kernel is started on this machine, by
    this process or one that it starts.
    """
    factory = KernelProvisionerFactory.instance()
    variable = factory.default_provisioner_name_env
    before = os.environ.get(variable)
    with set_to(factory, "default_provisioner_name", NO_KERNELS):
        os.environ[variable] = NO_KERNELS
        try:
            yield
        finally:
            del os.environ[variable]
            if before is not None:
                os.environ[variable] = before


@contextmanager
def set_to(instance: object, name: str, value: object) -> Iterator[None]:
    """For a while, and back again whatever happens, which nbgrader's own `temp_attrs` leaves."""
    before = getattr(instance, name)
    setattr(instance, name, value)
    try:
        yield
    finally:
        setattr(instance, name, before)


def _used_up(ran: CellRun) -> bool:
    """Whether nbgrader, whose kernels have no limit, would have lost the kernel here: to nbgrader
    that is no mark, but a failure.
    """
    return ran.status == "died" or any(
        output.get("ename") == "MemoryError" for output in ran.outputs
    )


def _write_inside(folder: Path, name: str, data: wire.Blob) -> None:
    """Copy back a file that the notebook wrote, if it may lie there."""
    target = folder / name
    if not attachments.may_lie_there(name) or not target.resolve().is_relative_to(folder.resolve()):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    with open(target, "wb") as file:
        file.writelines(wire.parts_of(data))
