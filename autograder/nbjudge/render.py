"""A verdict as text and as HTML.

Everything in a verdict may come from a student: it is escaped, and control characters are replaced,
so that it neither runs in a browser nor drives a terminal. Colours are those of the page around it;
the state of a rung is always said in words.
"""

from __future__ import annotations

import html as _html
import re
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nbjudge import plain_text
from nbjudge.verdict import TEXT_LIMIT, Item, Rung, Verdict

if TYPE_CHECKING:
    from nbjudge.contract import Exercise

MARKS = {True: "✓", False: "✗", None: "·"}
WIDTH = 100
MOST_NAMED = 6  # of the cases that cost an item
# Above the table of an exercise's items, in its lab.
ITEMS = (
    "You earn a row if your answer is right on all hidden cases of the row, and your mark is the sum of the rows that you earn. "
    "So a case on which your function raises, or returns something wrong, costs you its own row and no other. "
    "Where a row has no public case, `check` with `practice=True` draws one of its kind."
)
SHOWN_LINES = 8  # the others wait behind a click

_CELL = "text-align:left; padding:0.1em 1.2em 0.1em 0"
_BOX = "border-left:4px solid currentColor; padding:0.3em 0 0.3em 0.9em; margin:0.6em 0; max-width:60em"


def text(verdict: Verdict, note: str = "") -> str:
    """The verdict as plain text: one line an item, or a rung where there are no items; what the
    first broken rung of the first lost item found, the other failures in a line each, then `note`.
    """
    rows = _items(verdict) if verdict.items else _rungs(verdict)
    lines = [f"{clean(verdict.exercise)}: {_headline(verdict)}", *rows]
    if verdict.broken:
        lines.append("")
        for label, words in explained(verdict):
            lines += _wrapped(f"{label}: {clean(words)}", 2, 6)
    if others := also(verdict):
        lines += ["", "  Also found:"]
        for words in others:
            lines += _wrapped(f"- {clean(words)}", 4, 6)
    if verdict.changes:
        lines += ["", *_wrapped(_of_changes(verdict), 2, 4)]
        for words in verdict.changes:
            lines += _wrapped(f"- {clean(words)}", 4, 6)
    return "\n".join(lines + (["", clean(note)] if note else []))


def _rungs(verdict: Verdict) -> list[str]:
    width = max((len(named(rung)) for rung in verdict.rungs), default=0)
    return [
        f"  {MARKS[rung.passed]} {named(rung):<{width}}  {state(rung)}" for rung in verdict.rungs
    ]


def _items(verdict: Verdict) -> list[str]:
    width = max(len(clean(item.title)) for item in verdict.items)
    worth = max(len(_worth(item)) for item in verdict.items)
    rows = []
    for item in verdict.items:
        start = f"  {MARKS[item.passed]} {clean(item.title):<{width}}  {_worth(item):<{worth}}  "
        rows += textwrap.wrap(
            item_state(item),
            max(WIDTH, len(start) + 30),
            initial_indent=start,
            subsequent_indent=" " * len(start),
        )
    return rows


def _worth(item: Item) -> str:
    return "1 point" if item.points == 1 else f"{item.points:.3g} points"


def item_state(item: Item) -> str:
    """Whether an item is earned and by how many cases, or which cases cost it."""
    if item.passed is None:
        return "no public case: practice draws one"
    if item.passed:
        number = f"{item.cases} case" if item.cases == 1 else f"{item.cases} cases"
        return f"public cases pass ({item.cases})" if item.is_local else f"earned: {number}"
    shown = [clean(name) for name in item.failed[:MOST_NAMED]]
    more = len(item.failed) - len(shown)
    names = ", ".join(shown) + (f" and {more} more" if more else "")
    at = clean(item.rung)
    return f"not reached: {names}" if at == "exists" else f"fails: {names} (at {at})"


def _wrapped(words: str, first: int, rest: int) -> list[str]:
    """Lines that are indented by so many blanks."""
    return textwrap.wrap(words, WIDTH, initial_indent=" " * first, subsequent_indent=" " * rest)


def html(verdict: Verdict, note: str = "", link: str = "") -> str:
    """The verdict as a piece of HTML without scripts or colours of its own. `link`, a relative
    address, opens the section to read again.
    """
    rows = "".join(map(_item_row, verdict.items) if verdict.items else map(_row, verdict.rungs))
    called = "what gives points" if verdict.items else "rungs of the ladder"
    parts = [
        f"<p><strong>{_safe(verdict.exercise)}</strong>: {_safe(_headline(verdict))}</p>",
        f'<table aria-label="{called}" style="margin:0"><tbody>{rows}</tbody></table>',
    ]
    if verdict.broken:
        terms = (_term(label, words, link) for label, words in explained(verdict))
        parts.append(f'<dl style="margin:0.6em 0">{"".join(terms)}</dl>')
    parts += [*_others(verdict), *_changes(verdict), *([_paragraph(note)] if note else [])]
    return f'<div class="ladder" style="{_BOX}">{"".join(parts)}</div>'


def _others(verdict: Verdict) -> list[str]:
    lines = also(verdict)
    parts = [f"<p>Also found:</p>{_list(lines[:SHOWN_LINES])}"] if lines else []
    if more := lines[SHOWN_LINES:]:
        parts.append(f"<details><summary>{len(more)} more</summary>{_list(more)}</details>")
    return parts


def _changes(verdict: Verdict) -> list[str]:
    if not verdict.changes:
        return []
    summary = _safe(_of_changes(verdict))
    return [f"<details><summary>{summary}</summary>{_list(verdict.changes)}</details>"]


def _of_changes(verdict: Verdict) -> str:
    case = verdict.broken.case if verdict.broken else ""
    return f"What you returned, against what you were given in case {clean(case or '')}:"


def _list(lines: Sequence[str]) -> str:
    items = "".join(f"<li>{_safe(words)}</li>" for words in lines)
    return f'<ul style="margin:0 0 0.6em 0">{items}</ul>'


def _item_row(item: Item) -> str:
    cells = (MARKS[item.passed], clean(item.title), _worth(item), item_state(item))
    return "<tr>" + "".join(f'<td style="{_CELL}">{_safe(each)}</td>' for each in cells) + "</tr>"


def _row(rung: Rung) -> str:
    return (
        f'<tr><td style="{_CELL}">{MARKS[rung.passed]}</td><td style="{_CELL}">{_safe(named(rung))}</td>'
        f'<td style="{_CELL}">{_safe(state(rung))}</td></tr>'
    )


def _term(label: str, words: str, link: str) -> str:
    text = _linked(label, words, link)
    return f'<dt><strong>{label}</strong></dt><dd style="margin:0 0 0.4em 1em">{text}</dd>'


def _paragraph(words: str) -> str:
    return f'<p style="margin:0.6em 0">{_safe(words)}</p>'


def explained(verdict: Verdict) -> list[tuple[str, str]]:
    """What is said of the broken rung. Where items give the points, its name stands in no row above,
    so it comes first.
    """
    rung = verdict.broken
    if rung is None:
        return []
    return [*([("Rung", named(rung))] if verdict.items else []), *explanation(rung)]


def explanation(rung: Rung) -> list[tuple[str, str]]:
    """A broken rung's labelled texts, in reading order, without those that are empty."""
    labelled = [
        ("Case", rung.case or ""),
        ("Expected", rung.expected),
        ("Found", rung.found),
        ("Likely cause", rung.cause),
        ("Read again", where(rung.read)),
    ]
    return [(label, words) for label, words in labelled if words]


def also(verdict: Verdict) -> list[str]:
    """One line for each other way in which cases failed: the rung, what was found, and the cases.

    Numbers follow from a structure, so where that failed they are not reported. A rung whose first
    case broke no rung before it has a cause of its own, which its line tells.
    """
    lines: list[str] = []
    before: set[str | None] = set()
    unbuilt: set[str] = set()
    shown = verdict.broken
    for rung in (rung for rung in verdict.rungs if rung.passed is False):
        follows = unbuilt if _stem(rung) == "numerics" else set()
        is_shown = shown is not None and rung.name == shown.name
        for words, cases in _by_words(rung).items():
            names = [
                case
                for case in cases
                if case not in follows and not (is_shown and shown and case == shown.case)
            ]
            if not names:
                continue
            if is_shown and shown and words == _in_words(shown.found, shown.expected):
                words = "the same"
            elif not is_shown and rung.case in names and rung.case not in before:
                words = _then(words, rung.cause)
            lines.append(f"{rung.name}, {_listed(names)}: {words}")
        if rung.wrong > len(rung.failed) > 0:
            lines.append(f"{rung.name}: {rung.wrong - len(rung.failed)} more cases, not listed")
        before |= {failure.case for failure in rung.failed}
        if _stem(rung) == "structure":
            unbuilt |= {failure.case for failure in rung.failed}
    return lines


def _stem(rung: Rung) -> str:
    """`structure` of `structure: fused`."""
    return rung.name.partition(":")[0]


def _in_words(found: str, expected: str) -> str:
    """What was found; a number or two words say nothing without what was expected."""
    says_enough = len(found.split()) > 2 and re.search(r"[a-z]{3}", found)
    return found if says_enough or not expected else f"{found}, where {expected} is expected"


def _by_words(rung: Rung) -> dict[str, list[str]]:
    """The names of the cases that broke a rung, by what is said of them."""
    cases: dict[str, list[str]] = {}
    for failure in rung.failed:
        words = _in_words(failure.found, failure.expected or rung.expected)
        cases.setdefault(words, []).append(failure.case)
    return cases


def _then(words: str, cause: str) -> str:
    """Two sentences."""
    return f"{words}{'' if words.endswith(('.', '!', '?')) else '.'} {cause}" if cause else words


def _listed(names: list[str]) -> str:
    return f"{'case' if len(names) == 1 else 'cases'} {', '.join(names)}"


def named(rung: Rung) -> str:
    """A rung's name, and in words what it looks at: `structure: removes only dropout`."""
    name = clean(rung.name)
    title = clean(rung.title)
    return f"{name}: {title}" if title and title != name else name


def state(rung: Rung) -> str:
    """Passed, broken or not reached, and in how many cases."""
    if rung.passed is None:
        return "not reached"
    if rung.passed:
        return f"passed: {rung.cases} of {rung.cases} cases" if rung.cases else "passed"
    return (
        f"broken: {rung.cases - rung.wrong} of {rung.cases} cases are right"
        if rung.cases
        else "broken"
    )


def split(exercise: Exercise, cell_points: float | None = None) -> str:
    """How an exercise's points are split over its items, in Markdown, as a lab says it; `cell_points`
    are what the gradebook gives for all of them.
    """
    scale = 1.0 if cell_points is None else cell_points / exercise.points
    public = [case.name for case in exercise.public_cases()]
    hidden = [case.name for case in exercise.cases(0)]
    rows = []
    for item in exercise.items:
        seen = ", ".join(f"`{name}`" for name in public if item.gives_for(name))
        unseen = sum(map(item.gives_for, hidden))
        rows.append(f"| {item.title} | {item.points * scale:.3g} | {seen} | {unseen} |")
    head = "| what you earn points for | points | public cases | hidden cases |\n|---|---|---|---|"
    return "\n".join([f"**How the points are given.** {ITEMS}", "", head, *rows])


def where(read: str) -> str:
    """`day-50/02-inside#external-data` in words: the notebook, and its section."""
    page, _, section = read.partition("#")
    return (
        f"notebooks/{page}.ipynb" + (f", section “{section.replace('-', ' ')}”" if section else "")
        if page
        else ""
    )


def clean(words: str) -> str:
    """The text on one line, without anything that hides or drives a terminal, cut at the limit of a
    verdict's texts.
    """
    return plain_text.line(words, TEXT_LIMIT)


def _headline(verdict: Verdict) -> str:
    if verdict.items:
        worth = f"{verdict.score:.3g} of {verdict.max_score:.3g} points"
        is_local = all(item.is_local for item in verdict.items)
        start = f"rows that pass here are worth {worth}; hidden cases decide the mark"
        return start if is_local else worth
    if verdict.broken is None:
        return "every rung passed"
    return f"the rung “{clean(verdict.broken.name)}” is broken"


def _linked(label: str, words: str, link: str) -> str:
    return (
        f'<a href="{_html.escape(link, quote=True)}">{_safe(words)}</a>'
        if link and label == "Read again"
        else _safe(words)
    )


def _safe(words: str) -> str:
    return _html.escape(clean(words))
