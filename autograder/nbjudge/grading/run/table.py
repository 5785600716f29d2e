"""The class as people see it when it is graded: a table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from nbjudge import plain_text, typed
from nbjudge.grading.marks.reasons import listed, why
from nbjudge.grading.marks.results import SubmissionResult
from nbjudge.grading.notebook.rebuild import PUT_BACK
from nbjudge.grading.run.coordinator import Report

WIDEST = 40
HEADINGS = ("student", "score", "status", "why", "seconds")
# What stands between and beside the columns.
BETWEEN = 14
# Rows that are laid out together: Rich keeps every piece of a table in memory until it is printed.
AT_ONCE = 100
PASSED_OVER = 20  # names of those; they may be a whole folder of downloads
_OF_CELL = re.compile(r": the (?:given )?cell(?:'s)? ")  # as `rebuild` says it
UNCHANGED = "taken from the earlier run: nothing that it depends on has changed"


def show(report: Report, console: Console | None = None) -> None:
    """Print the class table: student, score, status, why, seconds; then what the instructor should
    know.
    """
    console = console or _console()
    widths = _widths(report, console.width)
    for start in range(0, len(report.submissions), AT_ONCE):
        console.print(_table(report, start, widths))
    console.print()
    for line in (*histogram(report), *_notes(report)):
        console.print(line, highlight=False)


def _notes(report: Report) -> Iterator[str | Text]:
    """What the instructor should know of the run."""
    if report.new_students:
        yield _plain(f"added to the gradebook: {', '.join(report.new_students)}")
    if report.passed_over:
        names = report.passed_over[:PASSED_OVER]
        more = len(report.passed_over) - PASSED_OVER
        told = ", ".join(plain_text.line(name) for name in names)
        yield _plain(
            f"passed over, because it is no STUDENT/{report.assignment}: {told}{f' and {more} more' if more > 0 else ''}"
        )
    if report.resumed:
        yield f"{report.resumed} taken from an earlier run that graded the same files with the same checks"
    if report.kept:
        yield _plain(_kept(report))
    yield from map(_plain, late(report))
    yield from map(_plain, flagged(report))


def _kept(report: Report) -> str:
    """Whose marks stay because they were fed back, why they would be others, and what to type."""
    names = listed(sorted(report.kept))
    why = next(iter(report.kept.values()))
    number = len(report.kept)
    whose = f"the mark of {names} was" if number == 1 else f"the marks of {number} ({names}) were"
    again = typed.command("grade", report.assignment, "--regrade")
    return (
        f"{whose} fed back, and stay as they are, although {why}: "
        f"`{again}` grades again, and prints each old mark beside the new one before it changes"
    )


def changed_mark(result: SubmissionResult) -> str:
    """One student's old mark beside the new one."""
    before = result.earlier.score if result.earlier else None
    return f"{result.student}: {before:g} becomes {score(result)}"


def _table(report: Report, start: int, widths: Sequence[int]) -> Table:
    """Some rows of the class's table, the first ones with its head."""
    title = None if start else f"{report.assignment}, seed {report.seed_id}"
    table = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        show_header=not start,
        title=title,
        title_justify="left",
    )
    for heading, width in zip(HEADINGS, widths, strict=True):
        justify: Literal["left", "right"] = "right" if heading in ("score", "seconds") else "left"
        is_short = heading in ("score", "status", "seconds")
        table.add_column(heading, width=width, justify=justify, overflow="fold", no_wrap=is_short)
    for index in range(start, min(start + AT_ONCE, len(report.submissions))):
        table.add_row(*_row(report.submissions[index]))
    return table


def _widths(report: Report, screen: int) -> list[int]:
    """Of the columns, which are the same in all parts of the table. Long names and reasons share
    what the others leave of the screen.
    """
    widest = [len(heading) for heading in HEADINGS]
    for result in report.submissions:
        widest = [
            max(width, text.cell_len) for width, text in zip(widest, _row(result), strict=True)
        ]
    student, score, status, why, seconds = widest
    left = max(20, screen - score - status - seconds - BETWEEN)
    student = min(student, max(left // 2, left - why))
    return [student, score, status, min(why, left - student), seconds]


def _row(result: SubmissionResult) -> list[Text]:
    said = (result.student, score(result), _status(result), why(result), f"{result.seconds:.1f}")
    return [_plain(text) for text in said]


def flagged(report: Report) -> list[str]:
    """Whose given cells were changed, whose were only missing, and of whom something else is odd
    that was handed in: a line for each.
    """
    missing: list[str] = []
    changed: list[str] = []
    odd: list[str] = []
    for result in report.submissions:
        cells = [text for text in result.tampered if _OF_CELL.search(text)]
        if cells:
            is_missing = all(text.endswith(PUT_BACK) for text in cells)
            (missing if is_missing else changed).append(result.student)
        if len(cells) < len(result.tampered):
            odd.append(result.student)
    told = {
        "given cells were changed, and reset": changed,
        "given cells were missing, and put back": missing,
        "files or times of what was handed in are odd": odd,
    }
    return [
        f"{what}, for: {', '.join(students)} (details with --json)"
        for what, students in told.items()
        if students
    ]


def late(report: Report) -> list[str]:
    """What late penalties took from the class, and which of them are other ones than before."""
    took = []
    lost = 0.0
    for result in report.submissions:
        if result.late_penalty and result.score is not None:
            took.append(f"{-result.late_penalty:g} {result.student}")
            lost += result.late_penalty
    said = []
    if took:
        of = "1 submission" if len(took) == 1 else f"{len(took)} submissions"
        said.append(
            f"late: {listed(took, PASSED_OVER)} ({lost:g} points of {of}, by the late-penalty plugin in nbgrader_config.py; "
            "times are in the table and in UTC)"
        )
    if report.penalties:
        said.append(
            "late penalties that changed since the last run, because marks, the due date, times or extensions did: "
            f"{listed(report.penalties, PASSED_OVER)}"
        )
    return said


def histogram(report: Report) -> list[str]:
    """How many submissions got which tenth of the points that are marked, a line a tenth; nothing for
    a single one.
    """
    shares = [
        each.score / each.marked_score
        for each in report.submissions
        if each.score is not None and each.marked_score
    ]
    if len(shares) < 2:
        return []
    tenths = Counter(min(int(10 * share), 9) for share in shares)
    widest = max(WIDEST, *tenths.values())
    rows = []
    for tenth in range(10):
        bar = "#" * -(-tenths[tenth] * WIDEST // widest)
        span = f"{10 * tenth:>3} to {10 * tenth + 10:>3} %"
        rows.append(f"{span}  {bar:<{WIDEST}} {tenths[tenth] or ''}".rstrip())
    waiting = sum(each.marked_score < each.max_score for each in report.submissions)
    without = f", without the points that {waiting} of them wait for" if waiting else ""
    return [f"points of {len(shares)} submissions{without}", *rows]


def explain(report: Report, console: Console | None = None) -> None:
    """Print of each student's notebooks why they were graded, or checked, in this run."""
    console = console or _console()
    for result in report.submissions:
        reasons = report.why.get(result.student, {})
        told = (
            [f"  {name}: {reasons.get(name, UNCHANGED)}" for name in result.notebooks]
            if reasons
            else [f"  {UNCHANGED}"]
        )
        console.print(_plain("\n".join([result.student, *told])), highlight=False)


def _plain(text: str) -> Text:
    """Text that holds what students chose: no markup of Rich's is read in it, and nothing drives
    the terminal.
    """
    return Text(plain_text.line(text, 100_000))


def _console() -> Console:
    """The terminal as it is; a file or pipe gets lines of 160 characters, not a narrow guess."""
    console = Console()
    return console if console.is_terminal else Console(width=160)


def score(result: SubmissionResult) -> str:
    """Points of points; a dash where nothing was graded."""
    return "-" if result.score is None else f"{result.score:g} / {result.max_score:g}"


def so_far(result: SubmissionResult) -> str:
    """The score while a class is graded, with what the last table may change about it."""
    if result.score is None:
        return score(result)
    if result.settled is None:
        return f"{score(result)}, before late penalties and marks by hand"
    late = f", late: {-result.late_penalty:g}" if result.late_penalty else ""
    waiting = ", and marks by hand to come" if result.needs_manual else ""
    return f"{score(result)}{late}{waiting}"


def _status(result: SubmissionResult) -> str:
    return f"{result.status}{', flagged' if result.tampered else ''}{', by hand' if result.needs_manual else ''}"
