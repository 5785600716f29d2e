"""A notebook's cells as nbgrader marks them. A notebook is the dictionary that its JSON is, in
nbformat 4's terms.
"""

from __future__ import annotations

from collections.abc import Mapping

Notebook = dict


def nbgrader_metadata(cell: Mapping) -> dict | None:
    """nbgrader's metadata of a cell, None for a cell that nbgrader does not know."""
    return cell["metadata"].get("nbgrader")


def known_metadata(cell: Mapping) -> dict:
    """nbgrader's metadata of a cell that has them. Raises KeyError."""
    return cell["metadata"]["nbgrader"]
