"""Run reading notebooks the same way everywhere: `make notebooks` runs those whose code, or whose
libraries', has changed since they ran, and writes their outputs and models, and the table that one
of them records for another. `python -m tests.notebook_tools NOTEBOOK…` does so for the named ones.

A page that only its libraries made stale, and whose run gives again what it holds, keeps its outputs:
what depends on the machine stays what was measured when the page was last written, on a machine that
did nothing else. A page that is named is written in any case.

A fresh kernel, an empty working directory, one thread, and outputs without what differs between
runs. A cell whose output has to differ between machines (ratios of times, devices, what is
installed) carries the tag `machine-dependent`: its outputs are those of the run that wrote the
page, and tests compare their kinds only.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from importlib import metadata
from pathlib import Path
from unittest.mock import patch

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tools" / "site"))

import folding  # noqa: E402

NOTEBOOKS = ROOT / "notebooks"
# Runs whole in an environment of its own: `make zoo`.
ZOO = NOTEBOOKS / "day-50" / "08-the-zoo.ipynb"
CELL_SECONDS = 1200  # a bound for a loaded machine; nothing waits for it to pass
MACHINE_DEPENDENT = "machine-dependent"
_PICTURE = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")
_PLACES = re.compile(r'\b(d|x|y|x1|x2|y1|y2|cx|cy|r|width|height|points|transform)="([^"]*)"')
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
WRITTEN_TABLE = "minilm-table.json"  # by part 2 of Lab 7-01's line, for part 3 to read
TABLE = ROOT / "workbench" / "formatlab" / "running_table" / "minilm.json"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# One thread, because results and times change with more; no server's name, because then Netron's
# frame replaces the drawing's note.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "HF_HUB_OFFLINE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONWARNINGS": "default",
}
ENVIRONMENT["PYTHONDONTWRITEBYTECODE"] = "1"
# What a kernel runs first, so that a page that exports counts the same bytes with every build of
# torch.
IS_CPU_BUILD = metadata.version("torch").endswith("+cpu")
EXPORTING = [] if IS_CPU_BUILD else [ROOT / "tests" / "exporting_as_cpu.py"]


def reading_notebooks() -> list[Path]:
    return sorted(
        path for path in NOTEBOOKS.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts
    )


def read(path: Path) -> NotebookNode:
    """The notebook with its outputs as they were, which its file holds folded (see folding.py)."""
    return folding.unfold(nbformat.read(path, as_version=4))


def runnable_notebooks() -> list[Path]:
    """Those that the default environment runs."""
    return [path for path in reading_notebooks() if path != ZOO]


def is_line(path: Path) -> bool:
    """Whether the page is one of a line: the short chain of pages that carries one model through a
    day in an evening. The other pages are its side roads, and have a form of their own.
    """
    return path.stem.startswith("line-")


def execute(
    notebook: NotebookNode,
    keep: Callable[[Path], object] = lambda folder: None,
    first: Iterable[Path] = (),
    settings: dict[str, str] | None = None,
) -> NotebookNode:
    """The notebook run from top to bottom in a fresh kernel, normalised: alone in an empty folder,
    with what is installed. Raises CellExecutionError where a cell fails.

    `keep` is called at the end with the working directory, before that is removed. The kernel runs
    the files `first` before the first cell, with `settings` in its environment.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(os.environ, ENVIRONMENT | (settings or {})),
    ):
        os.environ.pop("JPY_SESSION_NAME", None)
        os.environ.pop("PYTHONPATH", None)
        client = NotebookClient(
            nbformat.from_dict(notebook),
            timeout=CELL_SECONDS,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            extra_arguments=[f"--IPKernelApp.exec_files={path}" for path in first],
        )
        executed = normalise(client.execute())
        keep(Path(folder))
        return executed


def comparable(cell: NotebookNode) -> list:
    """A cell's outputs, or their kinds alone where they depend on the machine. Pictures are in them
    without their `places`.
    """
    if MACHINE_DEPENDENT in cell.metadata.get("tags", []):
        return [(output.output_type, output.get("name")) for output in cell.outputs]
    return [_PICTURE.sub(_without_places, output) for output in _outputs(cell)]


def places(cell: NotebookNode) -> list[float]:
    """The coordinates of everything in the cell's pictures, in points: of the same numbers, added in
    another order, their last digits differ between processors.
    """
    if MACHINE_DEPENDENT in cell.metadata.get("tags", []):
        return []
    return [
        float(number)
        for output in _outputs(cell)
        for picture in _PICTURE.finditer(output)
        for _, drawn in _PLACES.findall(_svg(picture))
        for number in _NUMBER.findall(drawn)
    ]


def _outputs(cell: NotebookNode) -> list[str]:
    return [json.dumps(output, sort_keys=True) for output in cell.get("outputs", [])]


def _svg(picture: re.Match) -> str:
    return base64.b64decode(picture[1]).decode()


def _without_places(picture: re.Match) -> str:
    return _PLACES.sub(lambda found: f'{found[1]}="{_NUMBER.sub("#", found[2])}"', _svg(picture))


def digest_of_outputs(notebook: NotebookNode) -> str:
    """Of everything in the outputs that each run gives again."""
    found = [comparable(cell) for cell in notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256(json.dumps(found).encode()).hexdigest()[:16]


def normalise(notebook: NotebookNode) -> NotebookNode:
    """The notebook without times and versions in its metadata, each cell's stream outputs joined.
    Changes it in place.
    """
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat_minor = 5
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = _joined(cell.outputs)
    return notebook


def _joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if (
            last is not None
            and output.output_type == last.output_type == "stream"
            and output.name == last.name
        ):
            last.text += output.text
        else:
            joined.append(output)
    return joined


def save_table(folder: Path, target: Path) -> None:
    """Copy the table that part 2 of Lab 7-01's line wrote into its working directory, which is removed
    after the run.
    """
    for table in folder.glob(WRITTEN_TABLE):
        shutil.copy(table, target)


def keep_table(folder: Path) -> None:
    """That table becomes the recorded one, from which part 3 decides: both are of one run."""
    for table in folder.glob(WRITTEN_TABLE):
        shutil.copy(table, TABLE)


def write(path: Path, notebook: NotebookNode) -> None:
    """Write the notebook, with the outcomes of its predictions folded. What is given stays as it is."""
    nbformat.validate(notebook)
    folded = folding.fold(copy.deepcopy(notebook))
    path.write_text(nbformat.writes(folded, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    import recording

    named = [Path(argument).resolve() for argument in sys.argv[1:]]
    stale = named or [path for path in runnable_notebooks() if recording.is_stale(path)]
    for page in stale:
        before = read(page)
        is_same_code = recording.recorded(page).get("code") == recording.code(before)
        with tempfile.TemporaryDirectory() as results:
            executed = recording.run(page, partial(save_table, target=Path(results)))
            is_kept = (
                not named
                and is_same_code
                and digest_of_outputs(before) == digest_of_outputs(executed)
            )
            if not is_kept:
                keep_table(Path(results))
                write(page, executed)
        said = "gives the same again, and keeps its outputs" if is_kept else "is written"
        print(f"{page.relative_to(ROOT)} {said}", flush=True)
    if not stale:
        print("The pages are those of today's code. Name one to run it all the same.")
