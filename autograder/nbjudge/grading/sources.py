"""What a file of Python imports, and what it does: found once for the bytes that it holds, and kept
in the cache of the person who grades.

A syntax tree takes longer to make than most of what a run with nothing new does beside.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from nbjudge.contract.authored import ExerciseBroken
from nbjudge.grading import shelves, syntax
from nbjudge.grading.hashes import digest

# Of more files nothing is kept: those that were found first are forgotten.
MOST = 2000
_FILES = "files"


@dataclass(frozen=True)
class Source:
    """`does` is a hash of the syntax tree without docstrings and comments. `imports` are the
    statements: level, module, names.
    """

    does: str
    imports: tuple[tuple[int, str | None, tuple[str, ...]], ...]


class Kept:
    """Sources by the hash of a file's bytes. The shelf is named by what says how a source is found,
    so that another rule, or another Python, finds nothing.
    """

    def __init__(self):
        self._shelf = _shelf()
        self._found = _read(self._shelf) if self._shelf else {}
        self._is_new = False

    def of(self, data: bytes) -> Source:
        """Raises SyntaxError."""
        key = hashlib.sha256(data).hexdigest()
        if key not in self._found:
            self._found[key] = _parsed(data)
            self._is_new = True
        return self._found[key]

    def keep(self) -> None:
        """Leave what was found to the next run; it does without where the disk is full."""
        if not self._is_new or self._shelf is None:
            return
        newest = list(self._found.items())[-MOST:]
        files = {key: [source.does, source.imports] for key, source in newest}
        with contextlib.suppress(OSError):
            self._shelf.write({_FILES: json.dumps(files).encode()})
        self._is_new = False


def of(path: Path) -> Source:
    """Raises ExerciseBroken for what is no Python: the modules of this package are."""
    return _of(path, stamp(path))


def keep() -> None:
    _kept().keep()


def stamp(path: Path) -> tuple[int, int, int]:
    """Another one where a file was changed."""
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


@cache
def _of(path: Path, _stamp: tuple[int, int, int]) -> Source:
    try:
        return _kept().of(path.read_bytes())
    except SyntaxError as error:
        where = f"{path}, line {error.lineno}"
        raise ExerciseBroken(f"{where}: SyntaxError: {error.msg}") from None


@cache
def _kept() -> Kept:
    return Kept()


def _shelf() -> shelves.Shelf | None:
    """None where there can be no cache."""
    rule = [Path(each).read_text("utf-8") for each in (__file__, syntax.__file__)]
    try:
        return shelves.Shelf(digest(["sources", platform.python_version(), *rule]))
    except OSError:
        return None


def _read(shelf: shelves.Shelf) -> dict[str, Source]:
    try:
        files = json.loads((shelf.read() or {})[_FILES])
        return {
            key: Source(does, tuple((level, module, tuple(names)) for level, module, names in told))
            for key, (does, told) in files.items()
        }
    except (KeyError, TypeError, ValueError, AttributeError):
        return {}


def _parsed(data: bytes) -> Source:
    tree = syntax.parse(data)
    imports = tuple(_imports(tree))
    said = ast.dump(syntax.without_docstrings(tree))
    return Source(digest([said]), imports)


def _imports(tree: ast.Module) -> Iterator[tuple[int, str | None, tuple[str, ...]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.level, node.module, tuple(alias.name for alias in node.names)
