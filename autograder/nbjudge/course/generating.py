"""nbgrader's own generate_assignment, into a folder, and the notebooks that it reads and writes."""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import IncludeHeaderFooter, InstantiateTests
from traitlets.config import Config

from nbjudge.course import release_settings
from nbjudge.grading.document.cells import Notebook

WITHOUT_GRADEBOOK = {"GenerateAssignment": {"no_database": True}, "SaveCells": {"enabled": False}}


class ReleaseError(RuntimeError):
    """What `solutions/` holds cannot be released. The text says which notebook, why, and what to
    do; nothing was changed.
    """


def convert(
    solutions: Path, target: Path, assignment: str, steps: Sequence[type] | None = None
) -> None:
    """nbgrader's release of an assignment into `target`, by its own steps or by those alone, with
    the settings beside `solutions`.
    """
    with tempfile.TemporaryDirectory(prefix="generate-") as folder:
        root = Path(folder).resolve()
        config = release_settings.of(solutions)
        config.merge(Config({"CourseDirectory": {"root": str(root)}, **WITHOUT_GRADEBOOK}))
        if steps is not None:
            config.GenerateAssignment.preprocessors = list(steps)
        run_generate(solutions, assignment, config)
        shutil.copytree(root / "release" / assignment, target)


def authored(solutions: Path, assignment: str) -> dict[str, Notebook]:
    """The notebooks as their author wrote them, by their names, with the course's header and footer.
    Raises ReleaseError.
    """
    return _after(solutions, assignment, [IncludeHeaderFooter])


def with_autotests(solutions: Path, assignment: str) -> dict[str, Notebook]:
    """`authored`, with asserts in place of autotests, and every source as one string."""
    written = read_notebooks(solutions / assignment).values()
    asks = any("AUTOTEST" in json.dumps(notebook) for notebook in written)
    steps = [IncludeHeaderFooter, *([InstantiateTests] if asks else [])]
    return joined(_after(solutions, assignment, steps))


def _after(solutions: Path, assignment: str, steps: list[type]) -> dict[str, Notebook]:
    """The notebooks after some of nbgrader's steps, which are run only where they change any."""
    if not release_settings.adds_cells(solutions):
        steps = [step for step in steps if step is not IncludeHeaderFooter]
    if not steps:
        return read_notebooks(solutions / assignment)
    with tempfile.TemporaryDirectory(prefix="authored-") as folder:
        target = Path(folder) / assignment
        convert(solutions, target, assignment, steps)
        return read_notebooks(target)


def joined(notebooks: Mapping[str, Notebook]) -> dict[str, Notebook]:
    """Notebooks with every source as one string: on disk nbformat writes lists of lines."""
    copied = json.loads(json.dumps(notebooks))
    for notebook in copied.values():
        for cell in notebook["cells"]:
            cell["source"] = "".join(cell["source"])
    return copied


def run_generate(solutions: Path, assignment: str, config: Config) -> None:
    """nbgrader's own generate_assignment, into `release` of the course folder that `config` names. Raises ReleaseError with what
    nbgrader said.
    """
    config = Config(config)
    config.CourseDirectory.source_directory = str(solutions.resolve())
    config.CourseDirectory.assignment_id = assignment
    said: list[str] = []
    with _heard(said):
        converter = GenerateAssignment(
            coursedir=CourseDirectory(config=config), config=config, force=True
        )
        try:
            converter.start()
        except NbGraderException:
            where, why = _refusal(solutions / assignment, said)
            raise ReleaseError(f"nbgrader refuses {where}: {why}") from None


def _refusal(folder: Path, said: Sequence[str]) -> tuple[str, str]:
    """The notebook that nbgrader refuses, or their folder, and its reason: the last line of its
    traceback. It names no notebook, and quotes the cell.
    """
    tracebacks = [text for text in said if text.startswith("Traceback")]
    why = tracebacks[0].strip().splitlines()[-1] if tracebacks else " ".join(said)[:1500]
    quoted = [text.partition("Cell contents are: \n")[2] for text in said]
    for name, notebook in read_notebooks(folder).items():
        for number, cell in enumerate(notebook["cells"], 1):
            if (source := "".join(cell["source"])) and source in quoted:
                return f"{folder / name}.ipynb, cell {number}", why
    return str(folder), why


def read_notebooks(folder: Path) -> dict[str, Notebook]:
    """The notebooks in a folder, by their names. Raises ReleaseError."""
    notebooks = {}
    for path in sorted(folder.glob("*.ipynb")):
        try:
            notebooks[path.stem] = json.loads(path.read_text())
        except ValueError as error:
            raise ReleaseError(f"{path} is no notebook: {error}") from None
    return notebooks


def write_notebook(path: Path, notebook: Notebook) -> None:
    """As nbformat writes: sorted keys, one-space indent, a newline at the end."""
    path.chmod(0o644)
    path.write_text(json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


class _Listener(logging.Handler):
    """Appends each message to `lines`."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(record.getMessage())


@contextmanager
def _heard(lines: list[str]) -> Iterator[None]:
    """What traitlets' logger says meanwhile goes into `lines`, not to the terminal."""
    logger = logging.getLogger("traitlets")
    handler = _Listener(lines)
    before = list(logger.handlers)
    propagate = logger.propagate
    logger.handlers = [handler]
    logger.propagate = False
    try:
        yield
    finally:
        logger.handlers = before
        logger.propagate = propagate
