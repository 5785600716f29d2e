"""`course check`: run a lab notebook in a kernel of the student's own, and read off what its checks
said.

1. What runs is what grading would run: the released notebook with what the student wrote, joined by
   grading's own `rebuild`. Where cells are not as they were given, a line says how they were read.
2. The released notebook comes from `references/given/` (`given_cells`). Without it, or where
   the file is of another release or holds none of the lab's cells, the notebook runs as it stands.
   Where grading may then see something else, a line says so.
3. A verdict comes out of the student's own kernel, so its data is read as `Verdict.from_json` reads
   an untrusted one. No mark follows from it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from importlib.util import find_spec
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError
from nbformat import NotebookNode

from nbjudge import plain_text
from nbjudge.contract.authored import NOT_YOURS
from nbjudge.course import given_cells
from nbjudge.exercises import installed
from nbjudge.grading.document.cells import grade_id, is_code, is_test
from nbjudge.grading.notebook import renamed
from nbjudge.grading.notebook.parser import Unreadable, read_notebook
from nbjudge.grading.notebook.rebuild import NotRebuildable, rebuild
from nbjudge.practice import VARIABLE, NoDraw, choose
from nbjudge.references import folder_of
from nbjudge.typed import TYPED
from nbjudge.verdict import MIME, Verdict

CELL_SECONDS = 600
_CALLED = re.compile(r"""^check\(\s*["']([^"']*)["']""", re.MULTILINE)
_IMPORTED = re.compile(r"^[ \t]*(?:import|from)[ \t]+([A-Za-z]\w*)", re.MULTILINE)
NO_CHECK = "no exercise is checked in this notebook: name a notebook of labs/, whose check cells are as they were"

AS_IT_STANDS = "the notebook was run as it stands, where grading puts given cells back. Fetch the lab again if it has exercises"


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What one test cell said. `exercise` is None for a plain test, `verdict` where the check ended
    before there was one, and `draw` where it did not practise. `error` is what the cell ended with.
    """

    cell: str
    exercise: str | None
    passed: bool
    verdict: Verdict | None = None
    draw: int | None = None
    error: str | None = None


@dataclass(frozen=True)
class Ladders:
    """What the checks of one notebook said, and whether all of them passed.

    `notes` say how the notebook was read, and `troubles` what in it went wrong outside of its
    checks, a line each.
    """

    text: str
    passed: bool
    _: KW_ONLY
    notes: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()
    checks: tuple[Checked, ...] = ()


def run_ladders(path: Path, practice: bool = False, seed: int | None = None) -> Ladders:
    """Run a notebook, joined with the released one, in its own folder; nothing is written back.
    Raises RuntimeError when it is no notebook, has no such draw, or its kernel dies.

    With `practice` its checks draw fresh cases: by chance, or the draw that `seed` numbers.
    """
    notebook, notes = as_graded(path)
    if practice and seed is not None:
        _require_draw(notebook, path, seed)
    wish = {VARIABLE: "" if seed is None else str(seed)} if practice else {}
    _execute(notebook, path, {**os.environ, **wish, TYPED: "1"})
    checks = [cell for cell in notebook.cells if _is_check(cell)]
    outputs = [output for cell in checks for output in cell.outputs]
    passed = bool(checks) and all(output.output_type != "error" for output in outputs)
    said = [_said(cell) for cell in checks] or [NO_CHECK]
    troubles = [] if passed else [*_hidden_libraries(notebook, path.parent), *_troubles(notebook)]
    return Ladders(
        "\n".join([*notes, *troubles, *said]),
        passed,
        notes=tuple(notes),
        troubles=tuple(troubles),
        checks=tuple(map(_checked, checks)),
    )


def as_graded(path: Path) -> tuple[NotebookNode, list[str]]:
    """What grading would run of a notebook, and lines on how it was read."""
    as_it_stands = _read(path)
    cells, version = _parsed(path)
    given = _given(path, version)
    if given is None:
        where = f"{path.parent / 'references' / given_cells.FOLDER} is missing or damaged"
        return as_it_stands, [f"{where}: {AS_IT_STANDS}"]
    known = path.stem in given.notebooks
    name = path.stem if known else renamed.notebook_of(cells, given.notebooks)
    if name is None:
        return as_it_stands, [f"{path} holds the cells of no notebook of this lab: {AS_IT_STANDS}"]
    if version not in (None, given.version(name)):
        return as_it_stands, [f"{path} is of another release than references/: {AS_IT_STANDS}"]
    try:
        rebuilt = rebuild(given.notebooks[name], cells)
    except NotRebuildable as error:
        return as_it_stands, [f"{path} would earn nothing as it is: {error}"]
    lines = [*rebuilt.tampered, *rebuilt.remarks]
    return nbformat.from_dict(rebuilt.notebook), [plain_text.line(line) for line in lines]


def _given(path: Path, version: str | None) -> given_cells.GivenCells | None:
    """Return the released notebooks: those of the lab's own folder, or those that are installed with
    its exercises, the first with the version that this notebook is of.
    """
    places = [path.parent, *installed().values()]
    found = list(filter(None, (given_cells.read(each / "references") for each in places)))
    fitting = (
        each
        for each in found
        if path.stem in each.notebooks and version in (None, each.version(path.stem))
    )
    return next(fitting, next(iter(found), None))


def _parsed(path: Path) -> tuple[list[dict], str | None]:
    """The cells as grading reads them, and the release that the notebook claims."""
    try:
        return read_notebook(path.read_bytes())
    except Unreadable as refusal:
        raise RuntimeError(f"{path} cannot be read as a notebook ({refusal})") from None


def _hidden_libraries(notebook: NotebookNode, folder: Path) -> Iterator[str]:
    """Files beside the notebook that Python imports instead of a library, a line each."""
    imported = {name for cell in notebook.cells for name in _IMPORTED.findall(cell.source)}
    for name in sorted(imported):
        own = folder / f"{name}.py"
        if own.is_file() and find_spec(name):  # of this process, which does not look there
            yield f"{own} is imported instead of the library {name}: give the file another name"


def _troubles(notebook: NotebookNode) -> Iterator[str]:
    """The other cells that ended with an error, a line each: what a check alone would call an
    unknown name. A stub that is called says so in its check.
    """
    for cell in notebook.cells:
        errors = (each for each in cell.get("outputs", ()) if each.output_type == "error")
        error = next(errors, None)
        if error is None or _is_check(cell) or error.ename == "NotImplementedError":
            continue
        name = grade_id(cell)
        named = f", the cell “{name}”," if name else ""
        # IPython's own file, whose name says nothing, and the line in the cell.
        what = re.sub(r" \(\S+\.py, (line \d+)\)$", r", \1 of the cell", error.evalue)
        line = plain_text.line(f"{error.ename}: {what}", 300)
        yield f"In [{cell.execution_count}]{named} ended with {line}"


def _read(path: Path) -> NotebookNode:
    try:
        notebook = nbformat.read(path, as_version=4)
        if not _is_whole(notebook):
            raise ValueError("its cells are damaged")
        return notebook
    except Exception as error:  # one of a dozen, by what is wrong with it  # noqa: BLE001
        why = plain_text.line(str(error) or type(error).__name__, 200)
        raise RuntimeError(
            f"{path} cannot be read as a notebook ({why}): open and save it in JupyterLab, or start from the lab's own again"
        ) from None


def _is_whole(notebook: NotebookNode) -> bool:
    """Whether it has what running it and reading its checks take for granted."""
    return isinstance(notebook.metadata, dict) and all(
        isinstance(cell, dict)
        and isinstance(cell.get("source"), str)
        and isinstance(cell.get("metadata"), dict)
        and isinstance(cell["metadata"].get("nbgrader", {}), dict)
        for cell in notebook.cells
    )


def _require_draw(notebook: NotebookNode, path: Path, seed: int) -> None:
    called = (_CALLED.search(cell.source) for cell in notebook.cells if _is_check(cell))
    for exercise in (call[1] for call in called if call):
        try:
            choose(folder_of(exercise, path.parent), exercise, seed)
        except NoDraw as error:
            raise RuntimeError(str(error)) from None


def _execute(notebook: NotebookNode, path: Path, environment: dict[str, str]) -> None:
    resources = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(
        notebook,
        resources=resources,
        timeout=CELL_SECONDS,
        kernel_name="python3",
        allow_errors=True,
    )
    client.extra_arguments = ["--IPKernelApp.log_level=ERROR"]
    try:
        client.execute(env=environment)
    except DeadKernelError:
        raise RuntimeError(
            f"the kernel died while it ran {path}: open it in JupyterLab and run it cell by cell"
        ) from None


def _is_check(cell: NotebookNode) -> bool:
    """Whether the cell is a test cell: graded, and not the student's."""
    return is_code(cell) and is_test(cell)


def _said(cell) -> str:
    texts = []
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stdout":
            texts.append(output.text)
        elif "data" in output:
            texts.append(output.data.get("text/plain", ""))
        elif output.output_type == "error" and not texts:
            whose = f". {NOT_YOURS}" if output.ename == "ExerciseBroken" else ""
            texts.append(f"{output.ename}: {output.evalue}{whose}")
    return "\n".join(text.rstrip() for text in texts)


def _checked(cell: NotebookNode) -> Checked:
    called = _CALLED.search(cell.source)
    errors = [each for each in cell.outputs if each.output_type == "error"]
    verdict, draw = _verdict(cell)
    return Checked(
        cell=cell.metadata["nbgrader"].get("grade_id", ""),
        exercise=called[1] if called else None,
        passed=not errors,
        verdict=verdict,
        draw=draw,
        error=plain_text.line(f"{errors[0].ename}: {errors[0].evalue}") if errors else None,
    )


def _verdict(cell: NotebookNode) -> tuple[Verdict | None, int | None]:
    """The last verdict that a test cell showed, and the practice draw that it is of."""
    shown = [each["data"][MIME] for each in cell.outputs if MIME in each.get("data", ())]
    try:
        data = shown[-1]
        verdict = Verdict.from_json(data["verdict"])
        draw = data["draw"]
    except (LookupError, TypeError, ValueError):
        return None, None
    return verdict, draw if isinstance(draw, int) else None
