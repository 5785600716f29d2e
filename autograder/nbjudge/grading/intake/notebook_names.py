"""Which file of a submission is which notebook: one rule for every door, told from names, and from
contents only whether a file begins as notebooks do.

1. The lab's folder is the one nearest to the top that holds a notebook which was published, or any
   notebook where none is; of several, the one that holds most of them, and of several of these the
   folder in which they lie. A path counts from there on. What lies elsewhere keeps its path.
2. `NAME.ipynb` is the notebook NAME. So is what people, browsers and platforms make of that name,
   nearest first: letters of another case or Unicode form (`P1.IPYNB`); something behind it
   (`p1.ipynb.txt`, `p1.ipynb.json`); a number as well (`p1.ipynb (1).txt`); another ending
   (`p1.json`). From the second on, only what begins as a notebook does. A file called by dots alone
   (`...ipynb`) is a file like any other.
3. Of several for one notebook, those in the lab's folder go before those elsewhere, and of these
   the nearest counts; the others are named. Of two that are equally near and not the same bytes,
   none counts, and both are named.
4. A notebook whose name says nothing (`p1-1.ipynb`, `Lab of Ada.ipynb`) is told by its cells: see
   `renamed`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePosixPath

from nbjudge import wire
from nbjudge.grading.intake.untrusted import shown
from nbjudge.leftovers import is_leftover

ENDING = ".ipynb"
# How far a name is from `NAME.ipynb`; content decides from BEHIND on.
EXACT, SPELLING, BEHIND, NUMBERED, OTHER_ENDING = range(5)
_BEHIND = re.compile(r"(?P<stem>.+?)\.ipynb(?P<rest>.{0,40})", re.IGNORECASE | re.DOTALL)
# What browsers and platforms add to a name that they have seen before.
_NUMBER = re.compile(r"(?: ?\(\d+\)|-\d+|-Copy\d*)$")
_OTHER_ENDING = re.compile(r"(?P<stem>.+)\.(?:json|txt)", re.IGNORECASE | re.DOTALL)
_BEGINS = re.compile(rb"\A(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*\{")
_CELLS = (b'"cells"', b'"worksheets"')


@dataclass(frozen=True)
class Named:
    """The notebook that a file's name says, and how far it is from saying just that."""

    notebook: str
    distance: int


@dataclass(frozen=True)
class Choice:
    """What becomes of a submission's files. `notebooks` has the path of each one by its name,
    `doubled` the paths of those of which none counts; `remarks` is a line for each thing to know.
    """

    folder: str
    notebooks: Mapping[str, str] = field(default_factory=dict)
    doubled: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


def folded(name: str) -> str:
    """Equal for names that look the same to people or to some file systems."""
    once = unicodedata.normalize("NFKC", name).casefold()
    return unicodedata.normalize("NFKC", once).casefold()


def named(path: str, expected: Collection[str]) -> Named | None:
    """Which notebook a file is by its name, None for a file that is none. `expected` are those that
    were published, as far as they are known.
    """
    file = PurePosixPath(path).name
    known = _by_folded(frozenset(expected))
    if (found := _BEHIND.fullmatch(file)) and found["stem"].strip("."):
        stem = found["stem"]
        rest = found["rest"]
        if not rest:
            own = known.get(folded(stem), unicodedata.normalize("NFC", stem))
            return Named(own, EXACT if _is_usual(file, own) else SPELLING)
        numbered = bool(re.search(r"\(\d+\)|-\d+", rest))
        if folded(stem) not in known and folded(_NUMBER.sub("", stem)) in known:
            stem = _NUMBER.sub("", stem)
            numbered = True
        own = known.get(folded(stem), unicodedata.normalize("NFC", stem))
        return Named(own, NUMBERED if numbered else BEHIND)
    if (found := _OTHER_ENDING.fullmatch(file)) and (notebook := known.get(folded(found["stem"]))):
        return Named(notebook, OTHER_ENDING)
    return None


def without_number(stem: str) -> str:
    """A name without what browsers and platforms add to one that they have seen before."""
    return _NUMBER.sub("", stem)


def begins_as_notebook(data: wire.Blob) -> bool:
    """Whether it opens a JSON object and names cells somewhere; not whether it is sound."""
    last = b""
    is_first = True
    for part in wire.parts_of(data):
        if is_first and not _BEGINS.match(part[:4096]):
            return False
        is_first = False
        text = (last + bytes(part)).replace(b"\0", b"")
        if any(word in text for word in _CELLS):
            return True
        last = text[-64:]
    return False


def lab_folder(paths: Iterable[str], expected: Collection[str]) -> str:
    """The folder that rule 1 means, "" for the top."""
    held: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        if not is_leftover(path) and ENDING in path.lower() and (own := named(path, expected)):
            held[_folder(path)].add(own.notebook)
    if not held:
        return ""
    worth = {
        folder: (bool(due := books & set(expected)), -len(PurePosixPath(folder).parts), len(due))
        for folder, books in held.items()
    }
    best = [folder for folder in sorted(worth) if worth[folder] == max(worth.values())]
    return _common(best)


def seen_from(folder: str, path: str) -> str:
    """A path as it is from the lab's folder; one that lies elsewhere stays as it is."""
    return path.removeprefix(f"{folder}/") if folder else path


def choose(
    paths: Collection[str],
    expected: Collection[str],
    begins: Callable[[str], bool],
    content: Callable[[str], object],
) -> Choice:
    """Rules 1 to 3. `begins` says of a path whether its file begins as a notebook, `content` gives
    what two files of the same bytes have in common.
    """
    folder = lab_folder(paths, expected)
    claims: dict[str, list[tuple[bool, int, str]]] = defaultdict(list)
    for path in sorted(paths):
        own = None if is_leftover(path) else named(path, expected)
        if own and (own.distance < BEHIND or begins(path)):
            claims[own.notebook].append((_folder(path) != folder, own.distance, path))
    notebooks = {}
    doubled = {}
    remarks = []
    for name, claimed in sorted(claims.items()):
        nearest = min(claimed)[:2]
        first = [path for *rank, path in sorted(claimed) if tuple(rank) == nearest]
        if len(first) > 1 and len({content(path) for path in first}) > 1:
            doubled[name] = tuple(first)
            continue
        notebooks[name] = first[0]
        remarks += _remarks(name, folder, first[0], [path for *_, path in sorted(claimed)])
    return Choice(folder, notebooks, doubled, tuple(remarks))


def doubled(paths: Iterable[str], name: str) -> str:
    """What there is to say of several files that are one notebook, behind its name."""
    return f"is there more than once, as {' and as '.join(map(shown, paths))}, and none counts: hand in one, as {name}{ENDING}"


def _remarks(name: str, folder: str, path: str, claimed: list[str]) -> list[str]:
    is_usual = _folder(path) == folder and _is_usual(PurePosixPath(path).name, name)
    book = shown(f"{name}{ENDING}")
    found = [] if is_usual else [f"{shown(path)} is taken as {book}"]
    others = [other for other in claimed if other != path]
    return found + [
        f"{shown(other)} does not count as {book}: {shown(path)} does" for other in others
    ]


def _is_usual(file: str, notebook: str) -> bool:
    """Whether that is the notebook's own name; macOS takes letters with accents apart."""
    return unicodedata.normalize("NFC", file) == unicodedata.normalize("NFC", notebook) + ENDING


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _common(folders: list[str]) -> str:
    shared = list(PurePosixPath(folders[0]).parts)
    for folder in folders[1:]:
        parts = PurePosixPath(folder).parts
        while shared and tuple(shared) != parts[: len(shared)]:
            shared.pop()
    return "/".join(shared)


@cache
def _by_folded(expected: frozenset[str]) -> dict[str, str]:
    """The published names by what they look like; those that look alike are not told apart by it."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in sorted(expected):
        found[folded(name)].append(name)
    return {look: names[0] for look, names in found.items() if len(names) == 1}
