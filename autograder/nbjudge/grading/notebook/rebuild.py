"""Rebuild: the published notebook, with what the student wrote. `course check` and `course grade`
run what this makes.

Published cells are given cells (texts, code and tests of the course's) and answer cells, which the
student fills.

Given cells:

1. The published cells, their order, metadata, types and given sources are kept as published. Which
   submitted cell is which, `matching` says.
   Layout is none of the source: what formatters change in given code, and the lines by which editors
   part cells.
2. What was added to the lines of a given cell, as when two cells are merged, is a cell of the
   student's own. So is a changed text, shown behind the given one, and changed code that was not
   locked or that stands where an answer cell is missing: it runs behind the given code. A changed
   test does not run.
3. A given cell that was deleted is put back in front of the student's cells that stand where it
   stood, a test behind them: what is put back overrides nothing. So is one that was moved, but a
   test that the student has behind its answer runs no later than there.

Answers:

4. An answer cell takes the student's source. Of several copies, those that were left as given do
   not run; the last that was changed counts, and the others run where they stand. A copy that holds
   the whole stub counts only if all do.
5. The stub of an answer cell that was deleted does not run: the student did not have it either, and
   what it defines could only replace what the student wrote. A note takes its place, because marks
   and comments hang on the cell. If a cell of the student's own at its place defines what the stub
   defines, that cell is the answer.
6. A stub that was left as given does not run either, if a cell of the student's own in front of it
   or behind its test defines the same, and none between the two.
7. An answer that stands elsewhere runs in its place, in front of its test, and so does the
   student's own cell that takes the place of a missing one. From further down it takes the
   student's cells along that define what it uses, where nothing before its place does. So does a
   test that stands further down than it was given. Where other code stands between, it also runs where
   the student has it, so that nothing is missing there.
8. A stub that was left as given earns nothing without a person only where it was handed in once, in
   its place, with no cell of the student's own beside it: up to the next given cell but one on each
   side, and no further than the next graded or answer cell. Elsewhere a note behind it makes it
   another text, which a person reads.

The student's own cells:

9. A cell that is no published one follows the published cell that it followed, without metadata,
   and all of them keep their order. Published cells that were moved are no such neighbours: those
   that kept their order are.
"""

from __future__ import annotations

import copy
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property

from nbjudge.grading.document import cell_names
from nbjudge.grading.document.cells import (
    OWN_CELL,
    Notebook,
    is_answer,
    is_code,
    is_grade,
    is_in_gradebook,
    is_read_only,
    is_task,
    is_test,
    known_metadata,
    nbgrader_metadata,
)
from nbjudge.grading.notebook import matching
from nbjudge.grading.notebook.matching import normal

MAX_CELLS = 2000
PUT_BACK = "the cell was missing and was put back"
# The id of the cell that tells people how a notebook was read.
NOTE = f"{OWN_CELL}-note"
MISSING = (
    "[grader] This answer cell is missing from the notebook that was handed in. "
    "What stands in the student's own cells counts."
)
REPLACED = (
    "[grader] This answer cell was left as it was given. "
    "A cell of the student's own that defines the same counts."
)
NOT_ALONE = "[grader] This cell was left as it was given, and {}."
READ = "A person looks at it."

_DEFINED = re.compile(
    r"^(?:(?:async[ \t]+)?def|class)[ \t]+([^\W\d]\w*)"
    r"|^([^\W\d]\w*(?:[ \t]*,[ \t]*[^\W\d]\w*)*)[ \t]*(?::[^=\n]*)?=(?!=)",
    re.MULTILINE,
)
_IMPORTED = re.compile(r"^(?:from[ \t]+\S+[ \t]+)?import[ \t]+(.+)$", re.MULTILINE)
_CALLED = re.compile(r"\bcheck\(([^()\n]*)\)|([^\W\d]\w*)[ \t]*\(")
_WORD = re.compile(r"[^\W\d]\w*")


class NotRebuildable(ValueError):
    """The submitted notebook holds nothing that belongs to this assignment. The text is for the
    student.
    """


@dataclass(frozen=True)
class Rebuilt:
    """The notebook that is run and recorded; what was done to given cells (`tampered`), and what is
    no fault (`remarks`). `answers` are the remarks on answer cells, which may explain a mark.
    """

    notebook: Notebook
    tampered: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


def rebuild(skeleton: Notebook, submitted: Sequence[Mapping]) -> Rebuilt:
    """Join a skeleton and the cells of a submission (`cell_type`, `id`, `source`, `nbgrader`).
    Raises NotRebuildable.
    """
    if len(submitted) > MAX_CELLS:
        raise NotRebuildable(f"the notebook has {len(submitted)} cells; the limit is {MAX_CELLS}")
    joining = _Joining(skeleton["cells"], submitted, matching.matched(skeleton, submitted))
    if any(map(is_in_gradebook, skeleton["cells"])) and not joining.copies:
        raise NotRebuildable(
            "none of the assignment's cells are in this notebook, neither by name nor by text. "
            "Open a fresh copy of the lab, paste your answers into it, and hand that in"
        )
    rest = {key: value for key, value in skeleton.items() if key != "cells"}
    notebook = {**copy.deepcopy(rest), "cells": joining.cells()}
    if len(notebook["cells"]) > 2 * MAX_CELLS:
        raise NotRebuildable(
            f"the notebook makes {len(notebook['cells'])} cells, with copies; the limit is {2 * MAX_CELLS}"
        )
    called = cell_names.names(skeleton["cells"])
    tampered, given, answers = (
        tuple(cell_names.with_names(line, called) for line in lines)
        for lines in (joining.tampered, joining.on_given, joining.on_answers)
    )
    return Rebuilt(notebook, tampered, (*given, *answers), answers)


def with_note(rebuilt: Rebuilt) -> Notebook:
    """The notebook with a first cell that says to student and marker how it was read, where there
    is anything to say.
    """
    lines = [*rebuilt.tampered, *rebuilt.remarks]
    if not lines:
        return rebuilt.notebook
    text = "\n".join(
        ["**How the grader read this notebook**", "", *(f"- {line}" for line in lines)]
    )
    note = {"cell_type": "markdown", "id": NOTE, "metadata": {}, "source": text}
    return {**rebuilt.notebook, "cells": [note, *rebuilt.notebook["cells"]]}


@dataclass(eq=False)
class _Own:
    """What a student wrote: a cell of their own, or an answer (`position` is its cell's). `order`
    is where it stands among the submitted cells.
    """

    order: float
    cell_type: str
    source: str
    _: KW_ONLY
    position: int | None = None
    is_taken: bool = False

    @property
    def is_code(self) -> bool:
        return self.cell_type == "code"

    @cached_property
    def defines(self) -> set[str]:
        return _defined(self.source)

    @cached_property
    def provides(self) -> set[str]:
        return _provided(self.source)

    @cached_property
    def mentions(self) -> set[str]:
        return _words([self.source])


class _Joining:
    """One notebook's cells on their way. Positions are those of published cells, orders those of
    submitted ones.
    """

    def __init__(
        self,
        published: Sequence[Mapping],
        submitted: Sequence[Mapping],
        found: Sequence[int | None],
    ):
        self.published = published
        self.submitted = submitted
        self.tampered: list[str] = []
        self.on_given: list[str] = []
        self.on_answers: list[str] = []
        self.copies: dict[int, list[int]] = {}
        for index, position in enumerate(found):
            if position is not None:
                self.copies.setdefault(position, []).append(index)
        # Of each published cell the submitted one that counts, and those in published order.
        self._counts = {position: self._chosen(position) for position in self.copies}
        self._standing = _standing(self._counts, published)
        self._orders = [self._counts[position] for position in self._standing]
        self._own = [
            _Own(index, cell["cell_type"], cell["source"])
            for index, (cell, position) in enumerate(zip(submitted, found, strict=True))
            if position is None
        ]
        # What is put in front of a published cell, what a cell's source becomes, the order of one
        # that the student has in another place, and of what was found as an answer.
        self._helpers: dict[int, list[_Own]] = {}
        self._sources: dict[int, str] = {}
        self._moved: dict[int, float] = {}
        self._in_use: set[_Own] = set()
        self._own += [piece for position in self.copies for piece in self._left_over(position)]
        self._own.sort(key=lambda own: own.order)
        self._answers = [
            _Own(
                self._counts[position],
                published[position]["cell_type"],
                self._handed_in(position),
                position=position,
            )
            for position in self._counts
            if is_answer(published[position]) and not self._is_as_given(position)
        ]
        self._found_at = {answer.position: answer.order for answer in self._answers}
        self._written = sorted([*self._own, *self._answers], key=lambda own: own.order)

    # Which copy counts, and what else of the copies is the student's own.

    def _handed_in(self, position: int) -> str:
        return self.submitted[self._counts[position]]["source"]

    def _is_changed(self, index: int, position: int) -> bool:
        return _is_other(self.submitted[index], self.published[position])

    def _is_as_given(self, position: int) -> bool:
        return not self._is_changed(self._counts[position], position)

    def _chosen(self, position: int) -> int:
        """The index of the copy that counts."""
        published = self.published[position]
        copies = self.copies[position]
        changed = [index for index in copies if self._is_changed(index, position)]
        if is_answer(published) and changed:
            if (
                published["cell_type"] == "code"
            ):  # a stub that was merged with another cell is a stub
                changed = [
                    index
                    for index in changed
                    if not _around(self.submitted[index]["source"], published["source"])
                ] or changed
            last = normal(self.submitted[changed[-1]]["source"])
            return next(each for each in changed if normal(self.submitted[each]["source"]) == last)
        return next((index for index in copies if index not in changed), copies[0])

    def _left_over(self, position: int) -> Iterator[_Own]:
        """What a given cell's copies hold beside it."""
        published = self.published[position]
        counts = self._counts[position]
        for index in self.copies[position]:
            cell = self.submitted[index]
            is_changed = self._is_changed(index, position)
            own: float | None = None
            if is_answer(published):
                own = index if is_changed and index != counts else None
            elif is_changed and (parts := _around(cell["source"], published["source"])):
                for order, text in zip((index - 0.25, index + 0.25), parts, strict=True):
                    if text.strip():
                        yield _Own(order, cell["cell_type"], text)
            elif is_changed and (self._lacks_answers or self._may_run(position, cell)):
                own = index + 0.25
            elif not is_changed and index != counts and not is_test(published):
                own = index if cell["cell_type"] == "code" else None
            if own is not None and cell["source"].strip():
                yield _Own(own, cell["cell_type"], cell["source"])

    def _may_run(self, position: int, cell: Mapping) -> bool:
        """Whether a given cell that was changed is shown, or run, behind the published one."""
        published = self.published[position]
        if not is_code(cell):
            return not is_code(published)
        return not is_read_only(published)

    @cached_property
    def _lacks_answers(self) -> bool:
        return any(
            is_answer(cell) and position not in self.copies
            for position, cell in enumerate(self.published)
        )

    # Where things stand.

    def _behind(self, order: float) -> int:
        """The position of the standing cell that something of that order follows, or -1."""
        before = bisect_left(self._orders, order)
        return self._standing[before - 1] if before else -1

    def _place(self, position: int) -> tuple[int, float, float]:
        """Of a published cell that does not stand in its place: the position of the standing cell
        before it, and the orders of that one and of the next.
        """
        index = bisect_left(self._standing, position)
        return (
            self._standing[index - 1] if index else -1,
            self._orders[index - 1] if index else -1,
            self._orders[index] if index < len(self._orders) else len(self.submitted),
        )

    def _test_of(self, position: int) -> int:
        """The position of the first test behind an answer, or that of the notebook's end."""
        behind = range(position + 1, len(self.published))
        return next((each for each in behind if is_test(self.published[each])), len(self.published))

    def _has_code(self, after: int, before: int) -> bool:
        """Whether given code stands between two positions."""
        return any(_is_given_code(cell) for cell in self.published[after + 1 : before])

    # Answers that are not where they were given.

    def _settle(self) -> None:
        for position, published in enumerate(self.published):
            if not is_answer(published):
                if (
                    is_test(published)
                    and position in self.copies
                    and position not in self._standing
                ):
                    test = _Own(self._counts[position], "code", published["source"])
                    self._helpers[position] = self._needed(test, position)
                continue
            self._say_of_copies(position)
            is_there = position in self.copies
            if is_there and not self._is_as_given(position):
                if position not in self._standing:
                    self._move(position)
            elif published["cell_type"] == "code":
                self._replace(position)
            if is_there and position not in self._standing:
                self.on_answers.append(
                    f"{_name(published)}: the answer cell stood elsewhere and was put in its place"
                )
            if not is_there and position not in self._sources and not is_task(published):
                self._note(position, MISSING)

    def _note(self, position: int, text: str) -> None:
        self._sources[position] = _as_comment(self.published[position], text)
        if text is MISSING:
            self.on_answers.append(
                f"{_name(self.published[position])}: the answer cell is missing; what stands in the student's own cells counts"
            )

    def _say_of_copies(self, position: int) -> None:
        if len(self.copies.get(position, ())) > 1:
            self.on_answers.append(
                f"{_name(self.published[position])}: the answer cell was there more than once; the last one that was changed counts"
            )

    def _move(self, position: int) -> None:
        """Rule 7, for an answer that stands elsewhere."""
        order = self._counts[position]
        _, start, end = self._place(position)
        self._moved[position] = order
        if self.published[position]["cell_type"] != "code":
            return
        answer = next(each for each in self._answers if each.position == position)
        behind = self._behind(order)
        if behind < position:
            stays = self._has_own_code(order, end)
        else:
            self._helpers[position] = self._needed(answer, position)
            stays = behind < self._test_of(position) and (
                self._has_code(position, behind + 1) or self._has_own_code(start, order)
            )
        if stays:
            self._own.append(_Own(order, "code", answer.source))

    def _has_own_code(self, after: float, before: float) -> bool:
        """Whether the student's code stands between two orders."""
        return any(own.is_code for own in self._written if after < own.order < before)

    def _needed(self, what: _Own, position: int) -> list[_Own]:
        """The student's code between the place of a cell and where it stands, further down, that
        the cell needs and nothing before its place defines, in order; none of it twice in the whole
        notebook, and nothing that would define anew what is defined before.
        """
        start = self._place(position)[2]
        before = [
            own
            for own in self._written
            if own.is_code
            and (own.order < start or (own.position is not None and own.position < position))
        ]
        known = {name: own for own in before for name in own.provides}
        published = (
            _provided(cell["source"]) for cell in self.published[:position] if _is_given_code(cell)
        )
        looked_up = set().union(*published)
        waiting = [what]
        needed: list[_Own] = []
        while waiting:
            fresh = waiting.pop().mentions - looked_up
            looked_up |= fresh
            waiting += [known[name] for name in fresh & known.keys()]
            for own in (own for name in fresh for own in self._providers.get(name, ())):
                is_between = start < own.order < what.order and own not in self._in_use
                if is_between and known.keys().isdisjoint(own.defines):
                    self._in_use.add(own)
                    needed.append(own)
                    waiting.append(own)
        return sorted(needed, key=lambda own: own.order)

    @cached_property
    def _providers(self) -> dict[str, list[_Own]]:
        """The student's code by the names that it defines or imports."""
        providers: dict[str, list[_Own]] = {}
        for own in filter(lambda own: own.is_code, self._written):
            for name in own.provides:
                providers.setdefault(name, []).append(own)
        return providers

    def _replace(self, position: int) -> None:
        """Rules 5 and 6: the student's own cell for a code answer that is missing, or that was left
        as given.
        """
        published = self.published[position]
        is_there = position in self.copies
        candidates = self._candidates(position)
        if not candidates:
            return
        test = self._test_of(position)
        before = self._place(position)[0]
        in_front = [own for own in candidates if self._is_in_front(own, test)]
        chosen = (in_front or candidates)[-1]
        if is_there and in_front and chosen.order > self._counts[position]:
            return  # it runs behind the stub, as the student has it
        self._found_at[position] = chosen.order
        name = f"{_name(published)}: the answer cell {'was left as given' if is_there else 'is missing'}"
        if not in_front:
            self._helpers[position] = self._needed(chosen, position)
            self._sources[position] = chosen.source
            self.on_answers.append(
                f"{name}; the student's own cell behind the test, which defines the same, runs in its place"
            )
            return
        behind = self._behind(chosen.order)
        is_own = chosen.position is None
        if not is_there and is_own and not chosen.is_taken and behind == before:
            chosen.is_taken = True
            self._sources[position] = chosen.source
            self._moved[position] = chosen.order
            self.on_answers.append(f"{name}; the student's own cell at its place counts")
        elif self._has_code(behind, position):
            self._sources[position] = chosen.source
            self.on_answers.append(
                f"{name}; the student's own cell further up, which defines the same, runs in its place, too"
            )
        else:
            self._note(position, REPLACED if is_there else MISSING)
            if is_there:
                self.on_answers.append(
                    f"{name}; the student's own cell, which defines the same, counts"
                )

    def _is_in_front(self, own: _Own, test: int) -> bool:
        """Whether the student has a cell in front of a test, or of where it stood."""
        if test in self._counts:
            return own.order < self._counts[test]
        return self._behind(own.order) < test

    def _candidates(self, position: int) -> list[_Own]:
        """The student's code that defines what an answer cell is to define, in order."""
        code = [own for own in self._written if own.is_code and own.position != position]
        for wanted in self._wanted(position):
            if found := [
                own for own in code if wanted & own.defines - self._stub_defines(own.position)
            ]:
                return found
        return []

    def _stub_defines(self, position: int | None) -> set[str]:
        """What an answer cell is to define anyway, so that it says nothing of another one."""
        return set() if position is None else _defined(self.published[position]["source"])

    def _wanted(self, position: int) -> Iterator[set[str]]:
        """What an answer cell is to define: what its stub does, else what its tests call, else what
        they mention and no given cell defines.
        """
        stub = self.published[position]["source"]
        if names := _defined(stub):
            yield names
            return
        tests = "\n".join(self._tests_of(position))
        known = set().union(*(_defined(cell["source"]) for cell in self.published if is_code(cell)))
        called = (name for pair in _CALLED.findall(tests) for name in pair)
        yield _words(called) - known
        yield _words([tests]) - known

    def _tests_of(self, position: int) -> list[str]:
        tests: list[str] = []
        for cell in self.published[position + 1 :]:
            if is_answer(cell) and tests:
                break
            if is_test(cell) and is_code(cell):
                tests.append(cell["source"])
        return tests

    # The cells, in their order.

    def cells(self) -> list[dict]:
        """The rebuilt notebook's cells."""
        self._settle()
        own = sorted((one for one in self._own if not one.is_taken), key=lambda one: one.order)
        gaps: dict[int, list[_Own]] = {}
        for one in own:
            gaps.setdefault(self._behind(one.order), []).append(one)
        cells: list[dict] = []
        bounds = [-1, *self._standing]
        for before, after in zip(bounds, [*self._standing, len(self.published)], strict=True):
            if before >= 0:
                cells += self._published_cell(before)
            cells += self._gap(before, after, gaps.get(before, []))
        self._say_of_given()
        self._leave_to_people(cells)
        for number, cell in enumerate(cell for cell in cells if not cell["id"]):
            cell["id"] = f"{OWN_CELL}-{number}"
        return cells

    def _gap(self, before: int, after: int, own: list[_Own]) -> Iterator[dict]:
        """What stands between two standing cells: published cells that are missing there, and the
        student's own.
        """
        waiting = list(own)
        for position in range(before + 1, after):
            published = self.published[position]
            order = self._moved.get(position)
            if is_test(published):
                order = self._behind_its_answer(position)
            while waiting and order is not None and waiting[0].order < order:
                yield _extra(waiting.pop(0))
            yield from self._published_cell(position)
            if (
                is_answer(published)
                and position not in self.copies
                and position not in self._found_at
            ):
                yield from map(_extra, waiting)
                waiting = []
        yield from map(_extra, waiting)

    def _behind_its_answer(self, position: int) -> float:
        """The order that a test runs at among the student's cells where it is put back: its own, if
        the student has it behind its answer, or else the last.
        """
        tested = [each for each in range(position) if is_answer(self.published[each])]
        answer = self._found_at.get(tested[-1] if tested else -1)
        own = self._counts.get(position)
        if answer is None or own is None or answer > own:
            return len(self.submitted)
        return own

    def _published_cell(self, position: int) -> Iterator[dict]:
        """A published cell, with the student's source if it is an answer."""
        yield from map(_extra, self._helpers.get(position, ()))
        cell = copy.deepcopy(dict(self.published[position]))
        if position in self._sources:
            cell["source"] = self._sources[position]
        elif position in self.copies and is_answer(cell) and not self._is_as_given(position):
            cell["source"] = self._handed_in(position)
        if cell["cell_type"] == "code":
            cell["outputs"] = []
            cell["execution_count"] = None
        yield cell

    def _leave_to_people(self, cells: list[dict]) -> None:
        """Rule 8."""
        stubs = {
            known_metadata(cell)["grade_id"]: n
            for n, cell in enumerate(self.published)
            if is_answer(cell)
        }
        for index, cell in enumerate(cells):
            meta = nbgrader_metadata(cell)
            position = stubs.get(meta["grade_id"]) if meta else None
            if meta is None or position is None or is_task(cell) or position not in self.copies:
                continue
            if normal(cell["source"]) != normal(self.published[position]["source"]):
                continue
            if len(self.copies[position]) > 1:
                why = "it was handed in more than once"
            elif position not in self._standing:
                why = "it was handed in at another place"
            elif any(_is_written(each) for each in _neighbours(cells, index)):
                why = "cells of the student's own stand beside it"
            else:
                continue
            if is_grade(cell):
                self.on_answers.append(
                    f"{_name(cell)}: left as given, but {why}: a person looks at it"
                )
            words = f"{NOT_ALONE.format(why)} {READ}" if is_grade(cell) else NOT_ALONE.format(why)
            note = _as_comment(cell, words)
            cell["source"] = f"{cell['source']}\n\n{note}"

    # What was done to given cells.

    def _say_of_given(self) -> None:
        unnamed = moved = laid_out = 0
        for position, published in enumerate(self.published):
            theirs = [self.submitted[index] for index in self.copies.get(position, ())]
            own = (
                theirs
                if is_in_gradebook(published) or not theirs
                else [self.submitted[self._counts[position]]]
            )
            self.tampered += _tampered(published, own)
            if is_answer(published) or not theirs:
                continue
            if len(theirs) > 1:
                self.on_given.append(
                    f"{_name(published)}: the cell was there more than once; it counts as it was given"
                )
            moved += position not in self._standing
            laid_out += any(
                cell["source"].strip() != published["source"].strip()
                and not _is_other(cell, published)
                for cell in theirs
            )
        for position in self.copies:
            meta = nbgrader_metadata(self.published[position])
            named = self.submitted[self._counts[position]].get("nbgrader") or {}
            unnamed += bool(meta and named.get("grade_id") != meta["grade_id"])
        if moved:
            self.on_given.append(
                f"given cells that stood elsewhere are in their place again: {moved}"
            )
        if laid_out:
            self.on_given.append(
                f"given cells that an editor laid out in another way, which changes nothing: {laid_out}"
            )
        if unnamed:
            self.on_given.append(
                f"cells without the names that mark them, known by their ids or their text: {unnamed}"
            )


def _standing(counts: Mapping[int, int], published: Sequence[Mapping]) -> list[int]:
    """The positions of the published cells that kept their order: as many as can be, and of as many
    those with more given cells.
    """
    in_order = sorted(counts, key=counts.__getitem__)
    best: list[
        tuple[int, int | None]
    ] = []  # weight of the chain that ends there, and its last but one
    for here, position in enumerate(in_order):
        weight, link = max(
            ((best[there][0], there) for there in range(here) if in_order[there] < position),
            default=(0, None),
        )
        best.append((weight + (2 * len(published) - is_answer(published[position])), link))
    chain = []
    link = max(range(len(best)), key=lambda here: best[here][0], default=None)
    while link is not None:
        chain.append(in_order[link])
        link = best[link][1]
    return chain[::-1]


def _around(source: str, published: str) -> tuple[str, str] | None:
    """What stands before and behind a given source in one that holds it, line for line."""
    source = f"\n{normal(source)}\n"
    published = f"\n{normal(published)}\n"
    start = source.find(published) if published.strip() else -1
    return (
        None
        if start < 0
        else (source[:start].strip("\n"), source[start + len(published) :].strip("\n"))
    )


def _neighbours(cells: Sequence[Mapping], index: int) -> Iterator[Mapping]:
    """The cells around one, up to the next given cell but one on each side, or to the next graded or
    answer cell.
    """
    for direction in (cells[:index][::-1], cells[index + 1 :]):
        passed = 0
        for cell in direction:
            passed += bool(cell["id"])
            if is_in_gradebook(cell) or passed > 1:
                break
            yield cell


def _is_written(cell: Mapping) -> bool:
    """Whether it is a cell of the student's own that holds something."""
    return not cell["id"] and bool(cell["source"].strip())


def _as_comment(cell: Mapping, text: str) -> str:
    return f"# {text}" if cell["cell_type"] == "code" else f"*{text}*"


def _defined(source: str) -> set[str]:
    """The names that code defines on its outermost level, imports aside: line by line, because what
    a student wrote need not be Python.
    """
    return _words(name for pair in _DEFINED.findall(source) for name in pair)


def _provided(source: str) -> set[str]:
    """The names that code defines or imports on its outermost level."""
    return _defined(source) | _words(_IMPORTED.findall(source))


def _words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in _WORD.findall(text)}


def _tampered(published: Mapping, theirs: list[Mapping]) -> list[str]:
    """What was done to a given cell, in any of its copies, each thing once."""
    meta = nbgrader_metadata(published)
    name = _name(published)
    if not theirs:
        is_gone = is_test(published) or is_task(published)
        return [f"{name}: {PUT_BACK}"] if is_gone else []
    tampered = []
    if any(cell["cell_type"] != published["cell_type"] for cell in theirs):
        tampered.append(f"{name}: the cell's type was changed and was restored")
    # A header's cells, which ask for a name, are the student's to edit: that runs behind them.
    if not is_answer(published) and published["metadata"].get("editable") is not True:
        tampered += [f"{name}: the given cell was {what}" for what in _edited(published, theirs)]
    if meta and any(
        cell.get("nbgrader") and _flags(cell["nbgrader"]) != _flags(meta) for cell in theirs
    ):
        tampered.append(f"{name}: the cell's grading metadata was changed and was restored")
    return tampered


def _is_other(cell: Mapping, published: Mapping) -> bool:
    """Whether a submitted cell says something else than the published one. In code that is given,
    layout says nothing; in an answer a comment may be the answer.
    """
    if normal(cell["source"]) == normal(published["source"]):
        return False
    is_laid_out = _is_given_code(published) and is_code(cell)
    return not (is_laid_out and matching.same_code(cell["source"], published["source"]))


def _edited(published: Mapping, theirs: list[Mapping]) -> Iterator[str]:
    """What was done to what a student is not to change of a cell: its source, its tags."""
    if any(_is_other(cell, published) for cell in theirs):
        yield "edited and was reset"
    known = set(published["metadata"].get("tags", ()))
    if tags := sorted({tag for cell in theirs for tag in cell.get("tags") or ()} - known):
        yield f"tagged {', '.join(tags)[:100]}, which was taken off"


def _name(published: Mapping) -> str:
    meta = nbgrader_metadata(published)
    return meta["grade_id"] if meta else _first_line(published["source"])


def _flags(meta: Mapping) -> tuple:
    points = meta.get("points") if meta.get("grade") else None
    points = (
        float(points)
        if isinstance(points, (int, float)) and not isinstance(points, bool)
        else points
    )
    return (
        meta.get("grade_id"),
        bool(meta.get("grade")),
        bool(meta.get("solution")),
        bool(meta.get("task")),
        points,
    )


def _extra(own: _Own) -> dict:
    """A cell of the student's own; its id comes when its place is known."""
    kind = own.cell_type if own.cell_type in ("code", "markdown", "raw") else "raw"
    extra = {"cell_type": kind, "id": "", "metadata": {}, "source": own.source}
    return {**extra, "outputs": [], "execution_count": None} if kind == "code" else extra


def _is_given_code(cell: Mapping) -> bool:
    return is_code(cell) and not is_answer(cell)


def _first_line(source: str) -> str:
    return (source.strip().splitlines() or ["an empty cell"])[0][:40]
