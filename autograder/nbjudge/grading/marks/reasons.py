"""Why a submission has the mark that it has, in words: for the class's table, for nbgrader's log and
for the student's page.

1. Every point that is missing has a reason: a late penalty, a notebook that was refused or is not
   there, a rung that broke, an answer that was not given, a person's mark, or one that is still
   to be given.
2. The reason that costs most comes first. Marks that are still to be given cost nothing yet, and
   follow.
3. Notebooks of which the same is to be said are named together, and so are cells of one notebook.
4. That every rung passed is said of full marks only.
5. What changed no mark comes last: times, what was done to given cells, remarks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nbjudge.grading.marks.results import (
    GRADED,
    MANUAL,
    UNGRADED,
    ByHand,
    CellResult,
    SubmissionResult,
)

ALL_POINTS = "every rung passed"
NAMED = 4  # of a list of names; --json has all
REMARKS = 3
LONGEST = 100
_NAME = "\0"  # stands for a notebook's name in what is said of several


@dataclass(frozen=True)
class Reason:
    """A text, and the `points` that what it says cost."""

    points: float
    text: str


def why(result: SubmissionResult) -> str:
    """One line on the mark: what is missing and why, the largest part first; then what else there
    is to know.
    """
    if result.fault or result.status == UNGRADED:
        return result.reason or "no reason is known"
    lost = sorted(_lost(result), key=lambda reason: -reason.points)
    said = [*(reason.text for reason in lost), *_waiting(result)] or [_full(result)]
    return "; ".join([*said, *_beside(result), *_remarks(result)])


def of_notebook(result: SubmissionResult, name: str) -> list[str]:
    """Sentences for the student on one notebook's mark: what changed it after the checks, and what
    was found about the file and its given cells.
    """
    said = list(_lateness(result, name))
    book = result.notebooks.get(name)
    if book and book.reason:
        start = "" if book.status == GRADED else "This notebook could not be graded: "
        said.append(f"{start}{book.reason}.")
    if settled := result.settled:
        for key, mark in settled.by_hand.items():
            notebook = key.partition("/")[0]
            text = _changed_by_hand(mark, result.cells.get(key)) if notebook == name else None
            said += [f"{_called(result, key)}: {text}."] if text else []
    if keys := [key for key, cell in _cells(result, name).items() if cell.status == MANUAL]:
        points = sum(result.cells[key].max_score for key in keys)
        shown = listed([_called(result, key) for key in keys])
        said.append(f"Not marked yet: {shown} ({points:g} points). A person still marks it.")
    others = [f"{other}: " for other in result.notebooks if other != name]
    for remark in (*result.tampered, *result.remarks):
        text = remark.removeprefix(f"{name}: ")
        if not remark.startswith(tuple(others)) and not (book and text in (book.reason or "")):
            said.append(f"{text}.")
    return said


def _called(result: SubmissionResult, key: str) -> str:
    """What people call a cell of a notebook."""
    cell = result.cells.get(key)
    return (cell and cell.label) or key.partition("/")[2]


def _whole(result: SubmissionResult, key: str) -> str:
    """The same, with its notebook."""
    return f"{key.partition('/')[0]}/{_called(result, key)}"


def changes(result: SubmissionResult) -> list[str]:
    """What changed the mark after the automatic grading: being late, an extension, a person."""
    said = [result.lateness] if result.lateness else list(_times(result))
    for key, mark in _by_hand(result).items():
        if mark.automatic is not None or mark.extra:
            text = _changed_by_hand(mark, result.cells.get(key))
            said += [f"{_whole(result, key)}: {text}"] if text else []
    return said


def _lateness(result: SubmissionResult, name: str) -> Iterator[str]:
    """What being late cost in this notebook, with the times that counted."""
    settled = result.settled
    if settled is None:
        return
    if penalty := settled.penalties.get(name):
        yield (
            f"Late: -{penalty:g} points, because of when it came in: {settled.times()}. "
            "If a time is wrong, tell your instructor."
        )
    elif settled.seconds_late and not result.late_penalty:
        yield f"Late, without a penalty: {settled.times()}."
    elif settled.extended_to and not settled.seconds_late:
        yield f"In time, by your extension: {settled.times()}."


def _lost(result: SubmissionResult) -> Iterator[Reason]:
    if text := result.lateness:
        yield Reason(result.late_penalty, text)
    yield from _refused(result)
    for name, book in result.notebooks.items():
        if book.status == GRADED:
            yield from _of_graded(result, name)
    yield from _not_done(result)


def _cells(result: SubmissionResult, name: str) -> dict[str, CellResult]:
    return {key: cell for key, cell in result.cells.items() if key.partition("/")[0] == name}


def _missing(cell: CellResult) -> float:
    return max(0.0, cell.max_score - (cell.score or 0.0))


def _refused(result: SubmissionResult) -> Iterator[Reason]:
    """Notebooks without a grade, those of which the same is said together."""
    together: dict[str, list[str]] = {}
    for name, book in result.notebooks.items():
        if book.status != GRADED:
            text = (book.reason or "no reason is known").replace(f"{name}.ipynb", _NAME)
            together.setdefault(text, []).append(name)
    for text, names in together.items():
        points = sum(_missing(cell) for name in names for cell in _cells(result, name).values())
        yield Reason(points, _of_all(text, names))


def _of_all(text: str, names: Sequence[str]) -> str:
    """What is said of one notebook, or of several alike, each name once."""
    if len(names) == 1:
        said = text.replace(_NAME, f"{names[0]}.ipynb")
        return said if text.startswith(_NAME) else f"{names[0]}: {said}"
    if text.startswith(f"{_NAME} is "):
        rest = text.removeprefix(f"{_NAME} is ").replace(f"the cells of {_NAME}", "their cells")
        if _NAME not in rest:
            files = listed([f"{name}.ipynb" for name in names])
            return f"{files} are {rest}"
    return f"{listed(names)}: {text.replace(_NAME, 'each')}"


def listed(names: Sequence[str], most: int = NAMED) -> str:
    """Some names, and how many more there are."""
    more = len(names) - most
    if more > 1:
        return f"{', '.join(names[:most])} and {more} more"
    return ", ".join(names)


def _of_graded(result: SubmissionResult, name: str) -> Iterator[Reason]:
    """What is said of a notebook's file or run, then of its cells; cells of which the same is said
    together.
    """
    book = result.notebooks[name]
    cells = _cells(result, name)
    lost = sum(map(_missing, cells.values()))
    together: dict[str, list[str]] = {}
    for key, cell in cells.items():
        if text := _of_cell(cell, _given(result, key), bool(book.reason)):
            together.setdefault(text, []).append(key)
    if book.reason:
        # Where its cells say what they lost, it explains, and cost nothing more.
        is_said = any(_missing(cells[key]) for keys in together.values() for key in keys)
        yield Reason(0.0 if is_said else lost, f"{name}: {short(book.reason)}")
    for text, keys in together.items():
        points = sum(_missing(cells[key]) for key in keys)
        shown = [_called(result, key) for key in keys]
        where = f"{name} ({listed(shown)})" if len(cells) > 1 else name
        # Never more than the notebook lost.
        yield Reason(min(points, lost), f"{where}: {text}")


def _given(result: SubmissionResult, key: str) -> ByHand | None:
    return result.settled.by_hand.get(key) if result.settled else None


def _of_cell(cell: CellResult, given: ByHand | None, is_explained: bool) -> str | None:
    """What is said of one cell's mark; None where there is nothing to say, or where it is said of
    all such cells together.
    """
    if given and (text := _changed_by_hand(given, cell)):
        return text
    if cell.status == MANUAL or not _missing(cell):
        return None
    if _is_untouched(cell):
        return None
    if cell.rung == "exists" and is_explained:
        return None
    if lost := _lost_items(cell):
        return lost
    if cell.rung:
        case = f" ({cell.case})" if cell.case else ""
        found = f": {short(cell.found)}" if cell.found else ""
        return f"{cell.rung}{case}{found or f': {_points(cell)}'}"
    return "not answered" if not cell.score else _points(cell)


def _lost_items(cell: CellResult) -> str:
    """The items that are not earned, the dearest first, each with what it costs and the cases that
    cost it. Where nothing is earned, what broke says more.
    """
    if not any(item.earned for item in cell.items):
        return ""
    lost = sorted((item for item in cell.items if not item.earned), key=lambda item: -item.points)
    shown = [
        f"{item.title} (-{item.points:g}: {listed(item.failed, 2)})"
        if item.failed
        else f"{item.title} (-{item.points:g})"
        for item in lost
    ]
    found = f": {short(cell.found)}" if cell.found and len(lost) == 1 else ""
    return listed(shown) + found


def _points(cell: CellResult) -> str:
    return f"{cell.score:g} of {cell.max_score:g} points"


def _changed_by_hand(given: ByHand, cell: CellResult | None) -> str | None:
    """What a person's mark changed; None where there was no other mark, and it is the full one."""
    parts = []
    if given.given is not None and given.automatic not in (None, given.given):
        parts.append(f"{given.given:g} by hand in place of {given.automatic:g}")
    elif given.given is not None and cell and given.given < cell.max_score:
        parts.append(f"{given.given:g} of {cell.max_score:g} by hand")
    if given.extra:
        parts.append(f"{given.extra:+g} extra credit")
    return ", ".join(parts) or None


def _is_untouched(cell: CellResult) -> bool:
    """Whether the function is simply not there yet."""
    return cell.rung == "exists" and cell.misconception != "not-defined"


def _not_done(result: SubmissionResult) -> Iterator[Reason]:
    """Exercises that were left as they were, unless what is said of their notebooks explains it."""
    keys = [
        key
        for key, cell in result.cells.items()
        if _is_untouched(cell)
        and _missing(cell)
        and _is_plainly_graded(result, key.partition("/")[0])
        and not ((given := _given(result, key)) and _changed_by_hand(given, cell))
    ]
    if keys:
        names = list(dict.fromkeys(key.partition("/")[0] for key in keys))
        points = sum(_missing(result.cells[key]) for key in keys)
        yield Reason(points, f"not done: {listed(names)}")


def _is_plainly_graded(result: SubmissionResult, name: str) -> bool:
    book = result.notebooks[name]
    return book.status == GRADED and not book.reason


def _waiting(result: SubmissionResult) -> Iterator[str]:
    """Marks that a person has to give, or to look at again."""
    keys = [key for key, cell in result.cells.items() if cell.status == MANUAL]
    if keys:
        points = sum(result.cells[key].max_score for key in keys)
        shown = listed([_whole(result, key) for key in keys])
        yield f"to be marked by hand: {shown} ({points:g} points)"
    again = [key for key, mark in _by_hand(result).items() if mark.again]
    if again:
        shown = listed([_whole(result, key) for key in again])
        yield f"graded again since it was marked by hand, so look again: {shown}"
    if result.needs_manual and not keys and not again:
        yield "to be marked by hand"


def _by_hand(result: SubmissionResult) -> dict[str, ByHand]:
    return result.settled.by_hand if result.settled else {}


def _full(result: SubmissionResult) -> str:
    """What is said where no point is missing."""
    if result.max_score <= 0:
        return "nothing in it gives points"
    if result.score is None or result.score < result.max_score:
        return "points are missing, and no reason is known: see --json"
    by_hand = _by_hand(result)
    return "all points, given by hand" if result.cells.keys() <= by_hand.keys() else ALL_POINTS


def _times(result: SubmissionResult) -> Iterator[str]:
    """Times that cost nothing, and might have."""
    if (settled := result.settled) and not result.late_penalty and settled.handed_in:
        if settled.seconds_late:
            yield f"late without a penalty ({settled.times()})"
        elif settled.extended_to and settled.due and settled.handed_in > settled.due:
            yield f"in time by an extension ({settled.times()})"


def _beside(result: SubmissionResult) -> Iterator[str]:
    """Times that cost nothing, and the mark of an earlier run."""
    yield from _times(result)
    if earlier := result.earlier:
        yield f"automatic points before: {earlier.score:g} ({short(earlier.why)})"


def _remarks(result: SubmissionResult) -> list[str]:
    """What was done to given cells, and what is no fault."""
    texts = [
        short(text, 2 * LONGEST)
        for text in (*result.tampered, *result.remarks)
        if not _is_in_a_reason(result, text)
    ]
    more = len(texts) - REMARKS
    return [*texts[:REMARKS], f"and {more} remarks more in --json"] if more > 1 else texts


def _is_in_a_reason(result: SubmissionResult, remark: str) -> bool:
    """Whether a notebook's reason says it already, in what the table shows of that."""
    name, _, text = remark.partition(": ")
    book = result.notebooks.get(name)
    return bool(text) and book is not None and text in short(book.reason or "")


def short(text: str, most: int = LONGEST) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
