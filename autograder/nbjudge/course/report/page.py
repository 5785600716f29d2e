"""A class's report as one HTML page: nothing is fetched for it, nothing in it runs, and all text in
it is text.
"""

from __future__ import annotations

from html import escape

from markupsafe import Markup

from nbjudge import plain_text
from nbjudge.course.filled import ENVIRONMENT
from nbjudge.course.report import wording
from nbjudge.course.report.classes import ClassReport

STEP = 30
WIDTH = 24
HEIGHT = 130
TOP = 16
BOTTOM = 18
AXIS = {0: "none", 5: "half", 10: "all"}


def page(report: ClassReport) -> str:
    """The whole page. `plain_text` cleans what came from students, the template escapes all."""
    return ENVIRONMENT.get_template("report.html.j2").render(
        report=report, words=wording, picture=picture
    )


def picture(name: str, counts: tuple[int, ...]) -> Markup:
    """The histogram as SVG, with what it shows in words."""
    most = max(*counts, 1)
    parts = [_bar(tenth, count, most, len(counts)) for tenth, count in enumerate(counts)]
    parts += [
        f'<text class="axis" x="{_middle(tenth)}" y="{HEIGHT - 4}">{label}</text>'
        for tenth, label in AXIS.items()
    ]
    ground = HEIGHT - BOTTOM
    described = escape(plain_text.line(wording.histogram(name, counts)))
    return Markup(
        f'<svg viewBox="0 0 {STEP * len(counts)} {HEIGHT}" role="img" aria-label="{described}"><title>{described}</title>'
        f'<line x1="0" x2="{STEP * len(counts)}" y1="{ground}" y2="{ground}"/>{"".join(parts)}</svg>'
    )


def _bar(tenth: int, count: int, most: int, bars: int) -> str:
    if not count:
        return ""
    height = (HEIGHT - TOP - BOTTOM) * count / most
    top = HEIGHT - BOTTOM - height
    kind = {0: ' class="first"', bars - 1: ' class="last"'}.get(tenth, "")
    bar = f'<rect{kind} x="{_middle(tenth) - WIDTH / 2:g}" y="{top:.1f}" width="{WIDTH}" height="{height:.1f}"/>'
    return f'{bar}<text x="{_middle(tenth)}" y="{top - 4:.1f}">{count}</text>'


def _middle(tenth: int) -> float:
    return tenth * STEP + STEP / 2
