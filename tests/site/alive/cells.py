"""What a reading notebook holds after some of its cells: the pages show the same files."""

import contextlib
import functools
import io
from pathlib import Path

import nbformat

NOTEBOOKS = Path(__file__).resolve().parents[3] / "notebooks"


@functools.cache
def namespace(name: str, last: str) -> dict:
    """The names after running a notebook's code cells up to the first one that begins a line with
    `last`; pictures are left out.
    """
    # In a kernel, `display` is there.
    found: dict = {"__name__": "__main__", "display": lambda *shown: None}
    for cell in nbformat.read(NOTEBOOKS / f"{name}.ipynb", 4).cells:
        if cell.cell_type == "code":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(cell.source, name, "exec"), found)
            if any(line.startswith(last) for line in cell.source.splitlines()):
                return found
    raise LookupError(f"no cell of {name} has a line that begins with {last!r}")
