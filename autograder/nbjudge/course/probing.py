"""Before nbgrader touches the first submission: a notebook that tries from the inside to get out
goes through the steps that execute, and through those that the course brought itself.

What it tries is seen from the outside: whether a file lies in the course folder afterwards, whether
a word that stands only there came back, and whether anybody connected. So it does not matter by
which step, exporter or setting its code was run.
"""

from __future__ import annotations

import secrets
import socket
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from jupyter_client.kernelspec import NoSuchKernel
from nbconvert.exporters import Exporter, NotebookExporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from nbjudge import plain_text
from nbjudge.course.boxed import BoxedExecute, NotBoxed, named, resolved

STUDENT = "course-adopt-probe"
PREFIX = ".course-adopt-probe-"
TRIED = "to write into the course's folder, to read what lies there, and to connect to this machine"
_KNOWN = ("nbgrader.preprocessors.", "nbconvert.preprocessors.", "nbjudge.")
_SOURCE = """
import socket
try:
    with open({written!r}, "w") as file:
        file.write("out")
except OSError:
    pass
try:
    print(open({secret!r}).read())
except OSError:
    pass
try:
    socket.create_connection(("127.0.0.1", {port}), timeout=5).close()
except OSError:
    pass
print("ran", {factor} * 3)
"""


@dataclass(kw_only=True)
class Probe:
    """`word` stands in a file of the course folder alone, `written` is what the notebook writes;
    `door` listens.
    """

    word: str
    written: Path
    secret: Path
    door: socket.socket
    factor: int = field(default_factory=lambda: 1 + secrets.randbelow(10**9))

    def notebook(self) -> NotebookNode:
        source = _SOURCE.format(
            written=str(self.written),
            secret=str(self.secret),
            port=self.door.getsockname()[1],
            factor=self.factor,
        )
        cell = new_code_cell(source)
        # Nobody may grade by it, and nbgrader's own steps ask each cell.
        cell.metadata["nbgrader"] = {
            "schema_version": 3,
            "grade_id": STUDENT,
            "grade": False,
            "solution": True,
            "locked": False,
            "task": False,
        }
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        return new_notebook(cells=[cell], metadata={"kernelspec": kernel})

    def got_out(self, seen: str) -> str | None:
        """What it managed from the inside, by what is seen of it afterwards."""
        if self.written.exists():
            return "wrote a file into the course's folder"
        if self.word in seen:
            return "read a file in the course's folder"
        with suppress(BlockingIOError):
            self.door.accept()[0].close()
            return "connected to this machine"
        return None

    def has_run(self, seen: str) -> bool:
        return f"ran {self.factor * 3}" in seen


@contextmanager
def probe(root: Path) -> Iterator[Probe]:
    """A notebook that tries to get into the folder `root`, and what is needed to see it."""
    with (
        tempfile.TemporaryDirectory(prefix=PREFIX, dir=root) as folder,
        socket.create_server(("127.0.0.1", 0)) as door,
    ):
        door.setblocking(False)
        word = secrets.token_hex(16)
        secret = Path(folder, "secret.txt")
        secret.write_text(word)
        yield Probe(word=word, written=Path(folder, "written.txt"), secret=secret, door=door)


def is_known(step: object) -> bool:
    """Whether the step is nbgrader's or nbconvert's own, and no subclass or function of a course's."""
    kind = step if isinstance(step, type) else type(step)
    return f"{kind.__module__}.".startswith(_KNOWN)


def require_inside(exporter: Exporter, steps: Sequence[object], root: Path) -> list[str]:
    """Send the probe through those of the exporter's steps that could execute it, and through the
    exporter where it is a course's own. Returns the names of what was tried; raises NotBoxed.
    """
    before = exporter._preprocessors
    own = [
        step
        for step in map(resolved, steps)
        if not is_known(step) or issubclass(_kind(step), BoxedExecute)
    ]
    is_own_exporter = not (type(exporter) is NotebookExporter or is_known(exporter))
    if not (own or is_own_exporter):
        return []
    exporter._preprocessors = []
    try:
        for step in own:
            exporter.register_preprocessor(step)
        made = list(exporter._preprocessors)
        exporter._preprocessors = []
        with probe(root) as sent:
            for step in made:
                _try(sent, step, root)
            if is_own_exporter:
                _try(sent, exporter.from_notebook_node, root)
    finally:
        exporter._preprocessors = before
    return [named(step) for step in (*own, *([exporter] if is_own_exporter else []))]


def _kind(step: object) -> type:
    return step if isinstance(step, type) else type(step)


def _try(probe: Probe, step, root: Path) -> None:
    """Raises NotBoxed where the notebook gets out by the step, or a box does not run it."""
    notebook = probe.notebook()
    is_box = isinstance(step, BoxedExecute)
    why = "it did not run"
    result = None
    name = named(getattr(step, "__self__", step))
    with tempfile.TemporaryDirectory() as folder:
        try:
            result = step(notebook, _resources(folder))
        except NoSuchKernel:
            raise NotBoxed(
                f"{name} starts a kernel outside the sandbox: take it out, or name nbgrader.preprocessors.Execute in its place"
            ) from None
        except Exception as error:  # whatever a course's own step does with a strange notebook  # noqa: BLE001
            why = plain_text.line(str(error) or type(error).__name__)
    seen = f"{notebook}{result}"
    if out := probe.got_out(seen):
        raise NotBoxed(
            f"a probe notebook got out of the sandbox by {name}: it {out}. Take that out of the settings that nbgrader reads in {root}"
        )
    if is_box and step.enabled and not probe.has_run(seen):
        raise NotBoxed(f"a probe notebook did not run in its box by {name}: {why}")


def _resources(folder: str) -> ResourcesDict:
    """As nbgrader's converters fill it in, for a student and a gradebook that do not exist. By `is_probe`,
    which no student can set, a step of a course's own that keeps a list can leave it out.
    """
    resources = ResourcesDict()
    resources["metadata"] = ResourcesDict(name=STUDENT, path=folder)
    resources["unique_key"] = STUDENT
    resources["output_files_dir"] = f"{STUDENT}_files"
    resources["nbgrader"] = {
        "student": STUDENT,
        "assignment": STUDENT,
        "notebook": STUDENT,
        "db_url": f"sqlite:///{folder}/gradebook.db",
        "is_probe": True,
    }
    return resources
