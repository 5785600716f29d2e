"""What systems and editors leave in folders and archives: it is nobody's work, so every way in
passes over it without a word.

1. Folders: `__MACOSX` (macOS, in archives), `.ipynb_checkpoints` (Jupyter), `__pycache__` (Python),
   `.git`, `.venv`, and what else is known below.
2. Files: `.DS_Store` and `._NAME` (macOS), `Thumbs.db` and `desktop.ini` (Windows), `*.pyc`.
Every other name is taken or said, hidden ones too: a notebook may read `.data/points.csv`.
"""

from __future__ import annotations

from pathlib import PurePosixPath

FOLDERS = frozenset(
    {
        "__MACOSX",
        "__pycache__",
        ".ipynb_checkpoints",
        ".git",
        ".venv",
        "node_modules",
        ".vscode",
        ".idea",
        ".virtual_documents",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".fseventsd",
        ".Spotlight-V100",
        ".Trashes",
    }
)
FILES = frozenset({".DS_Store", "Thumbs.db", "desktop.ini", ".Rhistory"})


def is_leftover(path: str) -> bool:
    """Whether a path (with `/`) is of one of these, or lies in one."""
    parts = PurePosixPath(path).parts
    if not parts:
        return False
    name = parts[-1]
    return (
        not FOLDERS.isdisjoint(parts)
        or name in FILES
        or name.startswith("._")
        or name.endswith((".pyc", ".pyo"))
    )
