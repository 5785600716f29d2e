"""Which submissions are alike beyond what the skeleton and the task explain: winnowed fingerprints
of what students wrote.

1. The cells that a student wrote, answers and extra cells, become tokens. Comments, docstrings,
   layout and the quotes of a text fall away, and every name that the student chose is replaced by
   one word, so that renaming and reformatting change nothing.
2. Every `LENGTH` tokens in a row are hashed, and of each `WINDOW` hashes in a row the smallest is
   kept (Schleimer, Wilkerson and Aiken, "Winnowing", 2003). A copied run of LENGTH + WINDOW - 1
   tokens always leaves a common fingerprint, wherever it stands.
3. Fingerprints of the skeleton are dropped. One that many students have is what the task asks for,
   and weighs little: the weight is log((students + 1) / students who have it).
4. Two submissions are alike by the weight that they share, as a part of the lighter one's weight.

What it does not see: a copy that was rewritten line by line. What it cannot tell: who copied, or
whether both took the same published answer. A short answer that hardly anybody writes otherwise is
not listed, because it has too few fingerprints of its own.
"""

from __future__ import annotations

import builtins
import io
import keyword
import math
import tokenize
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from autograder.grading.rebuild import EXTRA
from autograder.grading.results import SubmissionResult
from autograder.grading.skeletons import Notebook, nbgrader_metadata

LENGTH, WINDOW = 12, 6
# What is looked at of a notebook: more than anybody writes, and less than fills the memory.
MOST_WORDS = 500_000
# A pair is listed from this similarity on, and from so many common fingerprints that are rarer than
# in half of the class.
LISTED, FEWEST = 0.6, 6
_LAYOUT = frozenset({tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})
_SKIPPED = frozenset({tokenize.COMMENT, tokenize.NL})
# Where a text begins that never ends, a cell is no Python. Before Python 3.12 tokenize went on behind
# the quote, and looked from the next one to the end of the line again.
_UNENDED = frozenset("'\"")
_LANGUAGE = frozenset(keyword.kwlist) | frozenset(dir(builtins))


@dataclass(frozen=True)
class Likeness:
    """One notebook in which two submissions are alike: the similarity from 0 to 1, and how many
    fingerprints they share.
    """

    notebook: str
    similarity: float
    shared: int


@dataclass(frozen=True)
class Pair:
    """Two students, and the notebooks in which they are alike, the most alike first."""

    students: tuple[str, str]
    notebooks: tuple[Likeness, ...]


def pairs(
    results: Sequence[SubmissionResult], skeletons: Mapping[str, Notebook], shown: Mapping[str, str]
) -> list[Pair]:
    """The pairs that are alike, those in most notebooks first. `shown` says how to call a student."""
    found: dict[tuple[str, str], list[Likeness]] = {}
    for notebook, skeleton in skeletons.items():
        given = fingerprints(_sources(skeleton["cells"]))
        written = {
            shown[result.student]: fingerprints(_written(result.documents[notebook]["cells"]))
            - given
            for result in results
            if notebook in result.documents
        }
        for students, likeness in _alike(notebook, written):
            found.setdefault(students, []).append(likeness)
    listed = [
        Pair(students, tuple(sorted(each, key=lambda one: -one.similarity)))
        for students, each in found.items()
    ]
    return sorted(
        listed,
        key=lambda pair: (-len(pair.notebooks), -pair.notebooks[0].similarity, pair.students),
    )


def _alike(
    notebook: str, written: Mapping[str, set[int]]
) -> Iterator[tuple[tuple[str, str], Likeness]]:
    holders = Counter(mark for marks in written.values() for mark in marks)
    weight = {mark: math.log((len(written) + 1) / count) for mark, count in holders.items()}
    total = {student: sum(weight[mark] for mark in marks) for student, marks in written.items()}
    for one, other in combinations(sorted(written), 2):
        shared = written[one] & written[other]
        rare = sum(2 * holders[mark] <= max(len(written), 4) for mark in shared)
        lighter = min(total[one], total[other])
        if rare < FEWEST or not lighter:
            continue
        similarity = sum(weight[mark] for mark in shared) / lighter
        if similarity >= LISTED:
            yield (one, other), Likeness(notebook, round(min(similarity, 1.0), 3), len(shared))


def fingerprints(sources: Iterable[str]) -> set[int]:
    """The fingerprints of some cells together; none of a cell that is no Python."""
    marks: set[int] = set()
    left = MOST_WORDS
    for source in sources:
        words = list(islice(_words(source), left))
        left -= len(words)
        hashes = [
            zlib.crc32("\0".join(words[at : at + LENGTH]).encode())
            for at in range(len(words) - LENGTH + 1)
        ]
        marks.update(
            min(hashes[at : at + WINDOW])
            for at in range(max(len(hashes) - WINDOW + 1, min(len(hashes), 1)))
        )
    return marks


def _words(source: str) -> Iterator[str]:
    """The tokens that a copy keeps when it is renamed and reformatted."""
    before = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.ERRORTOKEN and token.string in _UNENDED:
                return
            if token.type in _LAYOUT:
                before = ""
            elif token.type not in _SKIPPED:
                if word := _word(token, before):
                    yield word
                before = token.string
    except (tokenize.TokenError, SyntaxError, ValueError):
        return


def _word(token: tokenize.TokenInfo, before: str) -> str:
    if token.type == tokenize.NAME:
        # What follows a dot belongs to a library, and is no student's choice.
        return token.string if token.string in _LANGUAGE or before == "." else "name"
    if token.type == tokenize.STRING:
        # A text that is a statement of its own is a docstring.
        return token.string.strip("\"'bBfFrRuU") if before else ""
    return token.string


def _sources(cells: Sequence[Mapping]) -> list[str]:
    return [cell["source"] for cell in cells if cell["cell_type"] == "code"]


def _written(cells: Sequence[Mapping]) -> list[str]:
    """What is the student's own in a rebuilt notebook."""
    return [
        cell["source"]
        for cell in cells
        if cell["cell_type"] == "code"
        and (
            ((meta := nbgrader_metadata(cell)) and meta["solution"]) or cell["id"].startswith(EXTRA)
        )
    ]
