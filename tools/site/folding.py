"""The outcome of a prediction behind `<details>`, in the notebook's file.

Code hosts show a notebook's stored outputs whole, whatever its metadata says of folding, so an open
outcome would answer the question above it. `fold` puts each output of a cell whose guess is still
to be written behind a line that opens it, and `unfold` gives the outputs back as they were. A cell
that a reader runs shows what it gives.
"""

import re
from html import escape

from nbformat import NotebookNode
from nbformat.v4 import new_output

GUESS = re.compile(r'^my_guess = (\.\.\.|"\.\.\.")', re.MULTILINE)
BEFORE = "<details><summary>What came out</summary>"
AFTER = "</details>"


def is_prediction(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and GUESS.search(cell.source) is not None


def fold(notebook: NotebookNode) -> NotebookNode:
    """Fold the outputs of each prediction, in place, and return the notebook."""
    for cell in filter(is_prediction, notebook.cells):
        cell.outputs = [
            output if "folded" in output.get("metadata", {}) else _folded(output)
            for output in cell.outputs
        ]
    return notebook


def unfold(notebook: NotebookNode) -> NotebookNode:
    """Undo `fold`, in place, and return the notebook."""
    for cell in filter(is_prediction, notebook.cells):
        cell.outputs = [
            _unfolded(output) if "folded" in output.get("metadata", {}) else output
            for output in cell.outputs
        ]
    return notebook


def _folded(output: NotebookNode) -> NotebookNode:
    is_text = output.output_type == "stream"
    plain = output.text if is_text else output.data["text/plain"]
    html = f"<pre>{escape(plain)}</pre>" if is_text else output.data["text/html"]
    return new_output(
        "display_data",
        {"text/plain": plain, "text/html": f"{BEFORE}{html}{AFTER}"},
        metadata={"folded": output.name if is_text else output.output_type},
    )


def _unfolded(output: NotebookNode) -> NotebookNode:
    was = output.metadata["folded"]
    plain = output.data["text/plain"]
    if was in ("stdout", "stderr"):
        return new_output("stream", name=was, text=plain)
    html = output.data["text/html"].removeprefix(BEFORE).removesuffix(AFTER)
    return new_output(was, {"text/plain": plain, "text/html": html})
