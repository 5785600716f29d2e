"""Which answers are the same, and which submissions are alike beyond what the skeleton and the task
explain.

1. Looked at is what a student wrote: the answers, and cells of the student's own. A cell that holds
   what the skeleton holds, a stub or a copy of a given cell, is nobody's work.
2. Code becomes words, one a token. Comments, docstrings, layout and the quotes of a text fall away,
   and every name that the student chose is replaced by one word, so that renaming and reformatting
   change nothing. Of Markdown the words are left, in small letters.
3. A cell with fewer than `SHORT` words that the stub does not hold is too short to say anything:
   many people write it alike. Such answers are counted, and make no group.
4. Every `LENGTH` words in a row are hashed, and of each `WINDOW` hashes in a row the smallest is
   kept (Schleimer, Wilkerson and Aiken, "Winnowing", 2003). A copied run of LENGTH + WINDOW - 1
   words always leaves a common fingerprint, wherever it stands. Fingerprints of the skeleton are
   dropped.
5. Cells with the same words are *the same*; those that share `NEARLY` all fingerprints of the larger
   one are *nearly the same*. All who have such cells are one group, however many they are: that
   most of a class hands in the same is no reason to be silent.
6. Two students whom no group holds together are *alike* in a notebook by what they share, as a part
   of what the one has who has less. A fingerprint that many have is what the task asks for, and
   weighs little: the weight is log((notebooks + 1) / notebooks that have it), where those that are
   the same count once. Enough of what two share must be rare.
7. The instructor's solution, and submissions of earlier terms, are compared with everybody's, and
   not with one another. They are in no count of students.

What it does not see: a copy that was rewritten line by line. What it cannot tell: who copied, or
whether both took the same published answer.
"""

from __future__ import annotations

import builtins
import io
import keyword
import math
import re
import tokenize
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from nbjudge.grading.document.cells import Notebook, is_own, is_solution, known_metadata

LENGTH = 12
WINDOW = 6
# What is looked at of a cell: more than anybody writes, and less than fills the memory.
MOST_WORDS = 500_000
SHORT = 30
# A pair is listed from this similarity on, and from so many common fingerprints that are rarer than
# in half of the class.
LISTED = 0.6
FEWEST = 6
NEARLY = 0.9
SOLUTION = "the instructor's solution"
_LAYOUT = frozenset({tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})
_SKIPPED = frozenset({tokenize.COMMENT, tokenize.NL})
# The quotes of an f-string, which are tokens from Python 3.12 on; before, it is a token as a whole.
_QUOTES = frozenset(
    number for number, name in tokenize.tok_name.items() if name in ("FSTRING_START", "FSTRING_END")
)
_FORMATTED = re.compile(r"[bBrRuU]?[fF][rR]?[\"']")
_FIELD = re.compile(r"(\{[^{}]*\})")
# Where a text begins that never ends, a cell is no Python. Before Python 3.12 tokenize went on behind
# the quote, and looked from the next one to the end of the line again.
_UNENDED = frozenset("'\"")
_LANGUAGE = frozenset(keyword.kwlist) | frozenset(dir(builtins))


@dataclass(frozen=True, kw_only=True)
class Group:
    """Those who handed in the same in a notebook, of the `writers` who wrote something in it.

    `answers` names the cells of the skeleton in which it stands; none where all have it in cells of
    their own. `is_exact` where it is the same letter for letter, `is_nearly` where it is only
    nearly the same. `sources` names what else is so: the solution, submissions of earlier terms.
    """

    notebook: str
    answers: tuple[str, ...]
    students: tuple[str, ...]
    writers: int
    is_majority: bool
    is_exact: bool
    is_nearly: bool
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Likeness:
    """One notebook in which two submissions are alike: the similarity from 0 to 1, and how many
    fingerprints they share. `same` says how many others wrote the same as each of the two.
    """

    notebook: str
    similarity: float
    shared: int
    same: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Pair:
    """Two students, or one and a source, and the notebooks in which they are alike, the most alike
    first.
    """

    students: tuple[str, str]
    notebooks: tuple[Likeness, ...]


@dataclass(frozen=True, kw_only=True)
class TooShort:
    """An answer of which `students` of `writers` wrote too little to say anything about.
    `is_short_itself` where the solution is, so that the task leaves hardly any freedom.
    """

    notebook: str
    answer: str
    students: int
    writers: int
    is_short_itself: bool


@dataclass(frozen=True)
class Found:
    """Groups, then pairs, then what is too short."""

    groups: tuple[Group, ...] = ()
    pairs: tuple[Pair, ...] = ()
    too_short: tuple[TooShort, ...] = ()


@dataclass(frozen=True)
class Author:
    """A student, or with `is_source` what everybody is compared with: a name to call it by, and its
    notebooks as they were recorded or authored. `given` is what was published for it, if that was
    something else than for the class.
    """

    name: str
    notebooks: Mapping[str, Notebook]
    is_source: bool = False
    given: Mapping[str, Notebook] | None = None


@dataclass(frozen=True, kw_only=True)
class _Piece:
    """One cell that somebody wrote. Two with the same `words` are the same; `own` is how many of
    them the stub does not hold, and `answer` the skeleton's cell, if it is one.
    """

    author: Author
    answer: str
    source: str
    words: tuple[str, ...]
    own: int
    marks: frozenset[int]

    @property
    def who(self) -> tuple[bool, str]:
        """A student may be called as a source is."""
        return self.author.is_source, self.author.name


def compare(authors: Sequence[Author], skeletons: Mapping[str, Notebook]) -> Found:
    """Compare the notebooks of all authors with one another."""
    groups: list[Group] = []
    too_short: list[TooShort] = []
    pairs: dict[tuple[str, str], list[Likeness]] = {}
    ordered = sorted(authors, key=lambda author: (author.is_source, author.name))
    for notebook, skeleton in skeletons.items():
        given: dict[int, _Given] = {}
        pieces: list[_Piece] = []
        for author in ordered:
            own = (author.given or {}).get(notebook)
            if id(own) not in given:
                given[id(own)] = _Given.of([*skeleton["cells"], *(own["cells"] if own else ())])
            cells = author.notebooks.get(notebook, {}).get("cells", ())
            pieces += given[id(own)].written(author, cells)
        together = _groups(notebook, pieces)
        groups += together
        too_short += _too_short(notebook, pieces)
        for students, likeness in _pairs(notebook, pieces, together):
            pairs.setdefault(students, []).append(likeness)
    listed = [
        Pair(students, tuple(sorted(each, key=lambda one: -one.similarity)))
        for students, each in pairs.items()
    ]
    return Found(
        tuple(sorted(groups, key=lambda group: (group.is_nearly, -len(group.students)))),
        tuple(
            sorted(
                listed,
                key=lambda pair: (
                    -len(pair.notebooks),
                    -pair.notebooks[0].similarity,
                    pair.students,
                ),
            )
        ),
        tuple(too_short),
    )


@dataclass(frozen=True)
class _Given:
    """What the skeleton holds: the words of its cells, those of each stub, and fingerprints."""

    words: frozenset[tuple[str, ...]]
    stubs: Mapping[str, Counter[str]]
    marks: frozenset[int]

    @classmethod
    def of(cls, cells: Sequence[Mapping]) -> _Given:
        words = [(cell, _words_of(cell)) for cell in cells]
        return cls(
            frozenset(each for _, each in words),
            {_answer(cell): Counter(each) for cell, each in words if _answer(cell)},
            frozenset(mark for _, each in words for mark in fingerprints(each)),
        )

    def written(self, author: Author, cells: Sequence[Mapping]) -> Iterator[_Piece]:
        """The cells that are the author's own."""
        for cell in cells:
            answer = _answer(cell)
            if not answer and not is_own(cell):
                continue
            if (words := _words_of(cell)) and words not in self.words:
                own = (Counter(words) - self.stubs.get(answer, Counter())).total()
                marks = frozenset(fingerprints(words) - self.marks)
                yield _Piece(
                    author=author,
                    answer=answer,
                    source=cell["source"].strip(),
                    words=words,
                    own=own,
                    marks=marks,
                )


def _answer(cell: Mapping) -> str:
    """The name of an answer's cell; empty for every other cell."""
    return known_metadata(cell)["grade_id"] if is_solution(cell) else ""


def _groups(notebook: str, pieces: Sequence[_Piece]) -> list[Group]:
    """Those that are the same, then those that are nearly so; people who have several cells in
    common are one group.
    """
    same: dict[tuple[str, ...], list[_Piece]] = {}
    for piece in pieces:
        if piece.own >= SHORT:
            same.setdefault(piece.words, []).append(piece)
    joined = _joined(list(same.values()))
    found = [(False, each) for each in same.values()]
    found += [(True, [piece for each in several for piece in each]) for several in joined]
    merged: dict[tuple, list[list[_Piece]]] = {}
    for is_nearly, each in found:
        if len(people := frozenset(piece.who for piece in each)) > 1:
            merged.setdefault((is_nearly, people), []).append(each)
    writers = len({piece.author.name for piece in pieces if not piece.author.is_source})
    groups = [
        _group(notebook, cells, writers, is_nearly) for (is_nearly, _), cells in merged.items()
    ]
    return [group for group in groups if group.students]


def _joined(same: Sequence[Sequence[_Piece]]) -> list[list[Sequence[_Piece]]]:
    """Of cells that differ, those that are nearly the same as another one, together with it."""
    cluster = list(range(len(same)))
    for one, other in combinations(range(len(same)), 2):
        a = same[one][0]
        b = same[other][0]
        if cluster[one] != cluster[other] and _is_nearly(a, b) and _may_be_compared(a, b):
            old = cluster[other]
            new = cluster[one]
            cluster = [new if each == old else each for each in cluster]
    together: dict[int, list[Sequence[_Piece]]] = {}
    for number, each in zip(cluster, same, strict=True):
        together.setdefault(number, []).append(each)
    return [each for each in together.values() if len(each) > 1]


def _is_nearly(a: _Piece, b: _Piece) -> bool:
    least, most = sorted((len(a.marks), len(b.marks)))
    enough = NEARLY * most
    return most >= FEWEST and least >= enough and len(a.marks & b.marks) >= enough


def _may_be_compared(a: _Piece, b: _Piece) -> bool:
    return not (a.author.is_source and b.author.is_source)


def _group(
    notebook: str, cells: Sequence[Sequence[_Piece]], writers: int, is_nearly: bool
) -> Group:
    """One group of several cells, each with the pieces of all who have it."""
    pieces = [piece for each in cells for piece in each]
    students = {piece.author.name: None for piece in pieces if not piece.author.is_source}
    return Group(
        notebook=notebook,
        answers=tuple(sorted({piece.answer for piece in pieces if piece.answer})),
        students=tuple(sorted(students)),
        writers=writers,
        is_majority=2 * len(students) > writers,
        is_exact=not is_nearly
        and all(
            len({piece.source for piece in each if not piece.author.is_source}) == 1
            for each in cells
        ),
        is_nearly=is_nearly,
        sources=tuple(sorted({piece.author.name for piece in pieces if piece.author.is_source})),
    )


def _too_short(notebook: str, pieces: Sequence[_Piece]) -> Iterator[TooShort]:
    for answer in dict.fromkeys(piece.answer for piece in pieces if piece.answer):
        mine = [piece for piece in pieces if piece.answer == answer]
        students = [piece for piece in mine if not piece.author.is_source]
        if short := sum(piece.own < SHORT for piece in students):
            solutions = [piece for piece in mine if piece.author.name == SOLUTION]
            is_short_itself = any(piece.own < SHORT for piece in solutions)
            yield TooShort(
                notebook=notebook,
                answer=answer,
                students=short,
                writers=len(students),
                is_short_itself=is_short_itself,
            )


def _pairs(
    notebook: str, pieces: Sequence[_Piece], groups: Sequence[Group]
) -> Iterator[tuple[tuple[str, str], Likeness]]:
    """Those that are alike and in no group together. Of those who wrote the same one is taken."""
    by_author: dict[tuple[bool, str], list[_Piece]] = {}
    for piece in pieces:
        by_author.setdefault(piece.who, []).append(piece)
    same: dict[tuple, list[tuple[bool, str]]] = {}
    for who, own in by_author.items():
        same.setdefault((who[0], frozenset(piece.words for piece in own)), []).append(who)
    marks = {
        people[0]: frozenset(mark for piece in by_author[people[0]] for mark in piece.marks)
        for people in same.values()
    }
    others = {people[0]: len(people) - 1 for people in same.values()}
    students = [who for who in marks if not who[0]]
    holders = Counter(mark for who in students for mark in marks[who])
    everywhere = len(students) + 1
    weight = {mark: math.log(everywhere / held) for mark, held in holders.items()}
    unknown = math.log(everywhere)  # of what only sources have
    total = {who: sum(weight.get(mark, unknown) for mark in own) for who, own in marks.items()}
    together = _together(groups)
    for one, other in combinations(marks, 2):
        if (one[0] and other[0]) or together.get(one, set()) & together.get(other, set()):
            continue
        shared = marks[one] & marks[other]
        rare = sum(2 * holders[mark] <= max(len(students), 4) for mark in shared)
        lighter = min(total[one], total[other])
        if rare < FEWEST or not lighter:
            continue
        similarity = sum(weight[mark] for mark in shared) / lighter
        if similarity >= LISTED:
            numbers = (others[one], others[other])
            likeness = Likeness(notebook, round(min(similarity, 1.0), 3), len(shared), numbers)
            yield (one[1], other[1]), likeness


def _together(groups: Sequence[Group]) -> dict[tuple[bool, str], set[int]]:
    """The groups that each author is in, by their numbers."""
    found: dict[tuple[bool, str], set[int]] = {}
    for number, group in enumerate(groups):
        for is_source, names in ((False, group.students), (True, group.sources)):
            for name in names:
                found.setdefault((is_source, name), set()).add(number)
    return found


def fingerprints(words: Sequence[str]) -> set[int]:
    """The fingerprints of a cell's words."""
    hashes = [
        zlib.crc32("\0".join(words[at : at + LENGTH]).encode(errors="surrogatepass"))
        for at in range(len(words) - LENGTH + 1)
    ]
    return {
        min(hashes[at : at + WINDOW])
        for at in range(max(len(hashes) - WINDOW + 1, min(len(hashes), 1)))
    }


def _words_of(cell: Mapping) -> tuple[str, ...]:
    """What a copy of the cell keeps. Of code that is no Python, it is what stands between blanks."""
    source = cell["source"]
    if cell["cell_type"] != "code":
        return tuple(islice(re.findall(r"\w+", source.casefold()), MOST_WORDS))
    try:
        return tuple(islice(_words(source), MOST_WORDS))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return tuple(source.split(maxsplit=MOST_WORDS)[:MOST_WORDS])


def _words(source: str) -> Iterator[str]:
    """The tokens that a copy keeps when it is renamed and reformatted. Raises what tokenize does
    where it is no Python.
    """
    before = ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.ERRORTOKEN and token.string in _UNENDED:
            raise SyntaxError("a text that never ends")
        if token.type in _LAYOUT:
            before = ""
        elif token.type not in _SKIPPED:
            if token.type == tokenize.STRING and _FORMATTED.match(token.string):
                yield from _formatted(token.string)
            elif word := _word(token, before):
                yield word
            before = token.string


def _formatted(text: str) -> Iterator[str]:
    """The words of an f-string, which is one token before Python 3.12: its fields are code."""
    for piece in _FIELD.split(_unquoted(text)):
        if not piece.startswith("{"):
            yield from filter(None, [piece])
            continue
        try:
            yield from ["{", *_words(piece[1:-1]), "}"]
        except (tokenize.TokenError, SyntaxError, ValueError):
            yield piece


def _unquoted(text: str) -> str:
    return text.strip("\"'bBfFrRuU")


def _word(token: tokenize.TokenInfo, before: str) -> str:
    if token.type == tokenize.NAME:
        # What follows a dot belongs to a library, and is no student's choice.
        return token.string if token.string in _LANGUAGE or before == "." else "name"
    if token.type == tokenize.STRING:
        # A text that is a statement of its own is a docstring.
        return _unquoted(token.string) if before else ""
    if token.type in _QUOTES:
        return ""
    return token.string
