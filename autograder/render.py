"""A verdict as text and as HTML.

Everything in a verdict may come from a student: it is escaped, and control characters are replaced, so that it neither runs in a
browser nor drives a terminal. Colours are those of the page around it; the state of a rung is always said in words.
"""

from __future__ import annotations

import html as _html
import textwrap

from autograder.verdict import TEXT_LIMIT, Rung, Verdict

STATES = {True: "passed", False: "broken", None: "not reached"}
MARKS = {True: "✓", False: "✗", None: "·"}
WIDTH = 100

_CELL = "text-align:left; padding:0.1em 1.2em 0.1em 0"
_BOX = "border-left:4px solid currentColor; padding:0.3em 0 0.3em 0.9em; margin:0.6em 0; max-width:60em"


def text(verdict: Verdict, note: str = "") -> str:
    """The ladder as plain text: one line a rung, then the first broken rung's explanation, then `note`."""
    width = max((len(clean(rung.name)) for rung in verdict.rungs), default=0)
    lines = [f"{clean(verdict.exercise)}: {_headline(verdict)}"]
    lines += [f"  {MARKS[rung.passed]} {clean(rung.name):<{width}}  {STATES[rung.passed]}" for rung in verdict.rungs]
    if verdict.broken:
        lines.append("")
        for label, words in explanation(verdict.broken):
            lines += textwrap.wrap(f"{label}: {clean(words)}", WIDTH, initial_indent="  ", subsequent_indent="      ")
    return "\n".join(lines + (["", clean(note)] if note else []))


def html(verdict: Verdict, note: str = "") -> str:
    """The ladder as a piece of HTML without scripts, links or colours of its own."""
    rows = "".join(
        f'<tr><td style="{_CELL}">{MARKS[rung.passed]}</td><td style="{_CELL}">{_safe(rung.name)}</td>'
        f'<td style="{_CELL}">{STATES[rung.passed]}</td></tr>'
        for rung in verdict.rungs
    )
    parts = [
        f"<p><strong>{_safe(verdict.exercise)}</strong>: {_safe(_headline(verdict))}</p>",
        f'<table aria-label="rungs of the ladder" style="margin:0"><tbody>{rows}</tbody></table>',
    ]
    if verdict.broken:
        terms = "".join(
            f'<dt><strong>{label}</strong></dt><dd style="margin:0 0 0.4em 1em">{_safe(words)}</dd>'
            for label, words in explanation(verdict.broken)
        )
        parts.append(f'<dl style="margin:0.6em 0">{terms}</dl>')
    if note:
        parts.append(f"<p>{_safe(note)}</p>")
    return f'<div class="ladder" style="{_BOX}">{"".join(parts)}</div>'


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


def where(read: str) -> str:
    """`day-50/02-inside#external-data` in words: the notebook, and its section."""
    page, _, section = read.partition("#")
    return f"notebooks/{page}.ipynb" + (f", section “{section.replace('-', ' ')}”" if section else "") if page else ""


def clean(words: str) -> str:
    """The text on one line, without control or bidirectional characters, cut at the limit of a verdict's texts."""
    line = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in " ".join(words.split()))
    return line if len(line) <= TEXT_LIMIT else line[: TEXT_LIMIT - 1] + "…"


def _headline(verdict: Verdict) -> str:
    if verdict.broken is None:
        return "every rung passed"
    return f"the rung “{clean(verdict.broken.name)}” is broken"


def _safe(words: str) -> str:
    return _html.escape(clean(words))
