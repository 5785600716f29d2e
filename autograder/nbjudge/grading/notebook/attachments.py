"""Files beside the notebooks of a plain assignment: those that were handed in, and those that its
notebooks wrote.

They are recorded in `autograded/`, as nbgrader does it, so that what a notebook wrote can be looked
at and marked by hand.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from nbjudge import wire

# What is kept of a submission: its result waits whole in the journal before it is recorded.
MAX_FILE = 1 << 20
MAX_TOTAL = 4 << 20
MAX_FILES = 200
MAX_PATH = 200
# What nbgrader reads in such a folder and would believe, and what stands beside pages of feedback
# and would run in a browser.
_NBGRADERS = frozenset({"timestamp.txt", "submission_secret.txt"})
_SUFFIXES = (".ipynb", ".html", ".htm", ".xhtml", ".xml", ".svg")
# What Python leaves behind, which nobody looks at.
_LEFTOVERS = (".pyc", ".pyo")
# By notebook and by the file's name, its bytes as text.
Kept = dict[str, dict[str, str]]


def may_lie_there(name: str) -> bool:
    """Inside the folder, and nothing that nbgrader reads or that looks like a page of feedback."""
    parts = PurePosixPath(name).parts
    is_inside = bool(parts) and parts[0] != "/" and ".." not in parts
    is_fit = (
        name.isprintable()
        and len(name) <= MAX_PATH
        and not any(part.startswith(".") for part in parts)
    )
    return (
        is_inside
        and is_fit
        and not name.lower().endswith((*_SUFFIXES, *_LEFTOVERS))
        and parts[-1] not in _NBGRADERS
    )


def keep(kept: Kept, notebook: str, files: Mapping[str, wire.Blob]) -> list[str]:
    """Keep files of a notebook, as text for the journal. Returns the names of those that are too
    large, or too many.
    """
    own = kept[notebook] = {}
    dropped = []
    for name in filter(may_lie_there, files):
        data = files[name]
        if len(data) <= MAX_FILE and _fit([*_texts(kept), ""], 4 * -(-len(data) // 3)):
            own[name] = base64.b64encode(bytes(data)).decode()
        else:
            dropped.append(name)
    return dropped


def are_kept(value: object) -> bool:
    """Whether it can be what `keep` made: by notebook, files by name, as text, within the limits."""
    if not isinstance(value, dict) or not all(isinstance(own, dict) for own in value.values()):
        return False
    names = [name for own in value.values() for name in own]
    return (
        all(map(may_lie_there, names))
        and all(map(_is_base64, _texts(value)))
        and _fit(_texts(value))
    )


def _texts(kept: Kept) -> list[str]:
    return [text for own in kept.values() for text in own.values()]


def _fit(texts: Sequence[str], more: int = 0) -> bool:
    return len(texts) <= MAX_FILES and sum(map(len, texts)) + more <= MAX_TOTAL


def _is_base64(text: object) -> bool:
    try:
        return isinstance(text, str) and base64.b64decode(text, validate=True) is not None
    except ValueError:
        return False


def write(folder: Path, published: Mapping[str, bytes], kept: Kept) -> None:
    """Put files into a folder: the assignment's, and over them those that are kept, notebook by
    notebook in the order of their names.

    A name that is a file and a folder loses the file.
    """
    texts = {name: text for notebook in sorted(kept) for name, text in kept[notebook].items()}
    whole = {**published, **{name: base64.b64decode(text) for name, text in texts.items()}}
    folders = {str(parent) for name in whole for parent in PurePosixPath(name).parents}
    for name, data in whole.items():
        if may_lie_there(name) and name not in folders:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
