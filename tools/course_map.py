"""The map of the course: evenings to follow, and under them reference pages, each below the page
that it needs and with the labs that need it.

`draw` makes one picture for each part of the course, narrow enough for a phone and, beside the other
one, for a screen. `in_words` is what stands below the pictures in README.md and on the first page,
and `you_are_here` the line at the head of each page and lab.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape

# The parts of the course by the folders of their pages, whose names are those of the source's lessons.
PARTS = {
    "day-50": ("Formats and runtimes", "Day 50"),
    "lab-7-01": ("Measure and shrink", "Lab 7-01"),
}
# How the words of the map begin.
OPENING = "The course grew from two lessons"
FRONT = "notebooks/00-start-here"
HEADING = "the-map-of-the-course"
HERE = "**You are here:**"
NUMBERS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A page or a lab of course.yml: `path` without its suffix, `needs` the stems of others. `way`
    is what the source's own order of subjects calls it.
    """

    path: str
    title: str
    minutes: int
    points: float = 0
    about: str = ""
    question: str = ""
    core: bool = False
    way: str = ""
    needs: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        folder = self.path.split("/")[1]
        return folder if folder in PARTS else next(iter(PARTS))

    @property
    def is_lab(self) -> bool:
        return self.path.startswith("labs/")

    @property
    def is_line(self) -> bool:
        return self.stem.startswith("line-")

    @property
    def number(self) -> str:
        """The number of a page in its folder, for example `04a`."""
        return self.stem.partition("-")[0]

    @property
    def step(self) -> str:
        """How an evening calls it: the title of a part without the evening's, or the lab."""
        return f"lab {self.stem}" if self.is_lab else self.title.partition(", ")[2]


@dataclass(frozen=True, kw_only=True)
class Row:
    """A reference page on the map: `under` is the page above it, `labs` are those that need it, and
    `also` are needs that do not stand above it. `depth` grows below a page with several under it.
    """

    page: Entry
    under: Entry | None
    depth: int
    labs: tuple[Entry, ...]
    also: tuple[Entry, ...]


class Map:
    """What the map shows of the entries of course.yml."""

    def __init__(self, entries: list[Entry]):
        self.entries = entries
        self.known = {each.stem: each for each in entries}
        self.core = [each for each in entries if each.core]

    def evening(self, folder: str) -> list[Entry]:
        """Return the parts of a folder's evening, each followed by the labs that need it first."""
        return [
            each
            for part in self.entries
            if part.is_line and part.folder == folder
            for each in (part, *self._labs_of(part))
        ]

    def _labs_of(self, page: Entry) -> tuple[Entry, ...]:
        return tuple(each for each in self.entries if each.is_lab and self._home(each) == page)

    def _home(self, lab: Entry) -> Entry:
        """Return the page below which a lab stands: the last that it needs in its own folder."""
        pages = [self.known[name] for name in lab.needs if not self.known[name].is_lab]
        own = [each for each in pages if each.folder == lab.folder]
        return (own or pages)[-1]

    def rows(self, folder: str) -> list[Row]:
        """Return the folder's reference pages, each after the one above it."""
        pages = [
            each
            for each in self.entries
            if not each.is_lab and not each.is_line and each.folder == folder
        ]
        above = {each.stem: self._above(each, folder) for each in pages}

        def walk(parent: Entry | None, depth: int) -> Iterator[Row]:
            children = [each for each in pages if above[each.stem] == parent]
            depth += parent is not None and len(children) > 1
            for page in children:
                over = {each.stem for each in self._ancestors(page, above)}
                also = tuple(self.known[name] for name in page.needs if name not in over)
                labs = self._labs_of(page)
                yield Row(page=page, under=parent, depth=depth, labs=labs, also=also)
                yield from walk(page, depth)

        return list(walk(None, 0))

    def _above(self, page: Entry, folder: str) -> Entry | None:
        """Return the last page of the folder that it needs: the others stand above that, or are said."""
        own = [self.known[name] for name in page.needs if self.known[name].folder == folder]
        own = [each for each in own if not each.is_lab and not each.is_line]
        return max(own, key=self.entries.index, default=None)

    @staticmethod
    def _ancestors(page: Entry, above: dict[str, Entry | None]) -> Iterator[Entry]:
        while parent := above[page.stem]:
            yield parent
            page = parent

    def of_evening(self, entry: Entry) -> list[Entry]:
        """Return the evening that the entry is a step of; empty for what is reference."""
        return next(
            (steps for folder in PARTS if entry in (steps := self.evening(folder))),
            [],
        )


def hours(entries: Iterable[Entry]) -> str:
    """Return how long they take together, to the half hour."""
    halves = round(sum(each.minutes for each in entries) / 30)
    if halves == 1:
        return "half an hour"
    if halves == 3:
        return "one and a half hours"
    whole = NUMBERS[halves // 2] if halves // 2 < len(NUMBERS) else str(halves // 2)
    half = " and a half" if halves % 2 else ""
    return f"{whole}{half} {'hour' if halves == 2 else 'hours'}"


def picture(folder: str) -> str:
    """Return the path of a part's picture."""
    return f"notebooks/map-{folder}.svg"


def link(entry: Entry, text: str, source: str) -> str:
    """Return a Markdown link to an entry from the file at `source`."""
    return f"[{text}]({posixpath.relpath(entry.path, posixpath.dirname(source) or '.')}.ipynb)"


def listed(texts: list[str]) -> str:
    """Join texts with commas and an "and"."""
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


# The picture -----------------------------------------------------------------------------------

WIDTH = 400
MARGIN = 14
INDENT = 16
TARGET = 30  # between links that are close, so that 24 pixels are left of it on a phone
STYLE = (
    "<style>.bg{fill:#ffffff;stroke:#d0d7de}.ink{fill:#1f2933}.soft{fill:#57606a}.mark{fill:#1f5a9e}"
    ".on{fill:#ffffff}.line{fill:none;stroke:#8c959f}.lab{fill:none;stroke:#1f5a9e}"
    "@media (prefers-color-scheme: dark){.bg{fill:#12161c;stroke:#2d3642}.ink{fill:#e2e6eb}"
    ".soft{fill:#9dabba}.mark{fill:#8bb9f2}.on{fill:#12161c}.line{stroke:#6b7785}"
    ".lab{stroke:#8bb9f2}}</style>"
)


def draw(course: Map) -> dict[str, str]:
    """Return each part's picture as SVG, all of one height, with links from the folder of the pages."""
    drawings = {folder: _drawn(course, folder) for folder in PARTS}
    height = max(each.y for each in drawings.values())
    return {
        folder: each.svg(described(course, folder), height) for folder, each in drawings.items()
    }


def _drawn(course: Map, folder: str) -> _Drawing:
    drawing = _Drawing()
    name, lesson = PARTS[folder]
    drawing.down(32)
    drawing.text(MARGIN, name, "ink", size=19, bold=True)
    drawing.text(WIDTH - MARGIN, lesson, "soft", end=True)
    evening = course.evening(folder)
    drawing.head(f"{evening[0].title.partition(',')[0]}: {hours(evening)}")
    drawing.down(16)
    drawing.text(MARGIN, f"to {evening[0].question}", "ink", size=14)
    for place, step in enumerate(evening):
        drawing.step(place, step, is_last=step is evening[-1])
    drawing.head("Reference: each page answers one question")
    for row in course.rows(folder):
        drawing.row(row, folder)
    drawing.legend()
    return drawing


def described(course: Map, folder: str) -> str:
    """Return a part's picture in words."""
    rows = course.rows(folder)
    labs = sum(len(row.labs) for row in rows)
    return (
        f"Map of the part {PARTS[folder][0]}: an evening of {len(course.evening(folder))} steps, and "
        f"below it {len(rows)} reference pages, each with its question and under the page that it "
        f"needs, and {labs} labs beside the pages that they need"
    )


class _Drawing:
    """SVG that grows downwards."""

    def __init__(self) -> None:
        self.y = 0.0
        self.shapes: list[str] = []
        self.feet: dict[str, tuple[float, float]] = {}  # where lines to the pages below begin

    def down(self, pixels: float) -> None:
        self.y += pixels

    def text(self, x, text, kind, *, size=13, bold=False, end=False) -> None:
        weight = ' font-weight="600"' if bold else ""
        anchor = ' text-anchor="end"' if end else ""
        self.shapes.append(
            f'<text x="{x:g}" y="{self.y:g}" class="{kind}" font-size="{size}"{weight}{anchor}>'
            f"{escape(text, quote=False)}</text>"
        )

    def head(self, text: str) -> None:
        self.down(34)
        self.text(MARGIN, text, "mark", size=14, bold=True)
        self.down(4)

    def linked(self, entry: Entry, *shapes: str) -> str:
        target = posixpath.relpath(entry.path, "notebooks")
        return f'<a href="{target}.ipynb">{"".join(shapes)}</a>'

    def step(self, place: int, entry: Entry, *, is_last: bool) -> None:
        self.down(TARGET)
        x = MARGIN + 10
        if not is_last:
            self.shapes.append(f'<path d="M{x} {self.y - 5:g}v{TARGET}" class="line"/>')
        start = len(self.shapes)
        self.shapes.append(f'<circle cx="{x}" cy="{self.y - 5:g}" r="10" class="mark"/>')
        self.shapes.append(
            f'<text x="{x}" y="{self.y - 0.5:g}" class="on" font-size="12" font-weight="600" '
            f'text-anchor="middle">{place + 1}</text>'
        )
        self.text(x + 18, entry.step, "ink", size=14)
        self.text(WIDTH - MARGIN, f"{entry.minutes} min", "soft", end=True)
        self.shapes[start:] = [self.linked(entry, *self.shapes[start:])]

    def row(self, row: Row, folder: str) -> None:
        page = row.page
        x = MARGIN + INDENT * row.depth
        self.down(27)
        if row.under:
            foot, top = self.feet[row.under.stem]
            end = f"{self.y - 5:g}H{x - 2:g}" if x > foot else f"{self.y - 13:g}"
            self.shapes.append(f'<path d="M{foot:g} {top:g}V{end}" class="line"/>')
        self.feet[page.stem] = (x + 8, self.y + 5)
        start = len(self.shapes)
        self.text(x, page.number, "mark", size=14, bold=True)
        left = x + 36
        lines = wrapped(page.question, WIDTH - MARGIN - left, 14)
        for place, line in enumerate(lines):
            self.down(17 if place else 0)
            self.text(left, line, "ink", size=14)
        needs = _also(row, folder)
        first = self.y
        for place, line in enumerate(
            wrapped(f"{page.title}{needs}", WIDTH - MARGIN - left - 54, 12.5)
        ):
            self.down(16)
            if not place:
                first = self.y
            self.text(left, line, "soft", size=12.5)
        last, self.y = self.y, first
        self.text(WIDTH - MARGIN, f"{page.minutes} min", "soft", size=12.5, end=True)
        self.y = last
        self.shapes[start:] = [self.linked(page, *self.shapes[start:])]
        self.labs(row.labs, left)

    def labs(self, labs: tuple[Entry, ...], left: float) -> None:
        x = left
        for place, lab in enumerate(labs):
            text = f"lab {lab.stem}" if not place else lab.stem
            wide = width(text, 12.5) + 16
            if not place or x + wide > WIDTH - MARGIN:
                x = left
                self.down(TARGET)
            start = len(self.shapes)
            self.shapes.append(
                f'<rect x="{x:g}" y="{self.y - 16:g}" width="{wide:.0f}" height="22" rx="11" '
                f'class="{"mark" if lab.core else "lab"}"/>'
            )
            self.text(x + 8, text, "on" if lab.core else "ink", size=12.5)
            self.shapes[start:] = [self.linked(lab, *self.shapes[start:])]
            x += wide + 7

    def legend(self) -> None:
        self.down(36)
        x = float(MARGIN)
        for text, kind, ink in (("core lab", "mark", "on"), ("other lab", "lab", "ink")):
            wide = width(text, 12.5) + 16
            self.shapes.append(
                f'<rect x="{x:g}" y="{self.y - 16:g}" width="{wide:.0f}" height="22" rx="11" class="{kind}"/>'
            )
            self.text(x + 8, text, ink, size=12.5)
            x += wide + 8
        self.text(x, "A page stands under what it needs.", "soft", size=12)
        self.down(20)

    def svg(self, words: str, height: float) -> str:
        high = round(height)
        shapes = "\n".join(self.shapes)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {high}" width="{WIDTH}" '
            f'height="{high}" role="group" class="map" aria-label="{escape(words)}" '
            f'font-family="system-ui,sans-serif">\n{STYLE}\n'
            f'<rect class="bg" x="0.5" y="0.5" width="{WIDTH - 1}" height="{high - 1}" rx="8"/>\n'
            f"{shapes}\n</svg>\n"
        )


def _also(row: Row, folder: str) -> str:
    """Return what a page needs besides the pages above it: numbers, of another part with its name."""
    said = []
    for part, (_, lesson) in PARTS.items():
        numbers = [each.number for each in row.also if each.folder == part]
        if numbers:
            said.append(f"{listed(numbers)}{'' if part == folder else f' of {lesson}'}")
    return f", needs {'also ' if row.under else ''}{listed(said)}" if said else ""


def width(text: str, size: float) -> float:
    """Return about how many pixels a text takes, rather too many than too few."""
    narrow, broad = "fijlrtI.,:;'()- ", "mwMW"
    ems = (0.37 if each in narrow else 0.94 if each in broad else 0.62 for each in text)
    return sum(ems) * size


def wrapped(text: str, most: float, size: float) -> list[str]:
    lines: list[str] = []
    for word in text.split():
        if lines and width(f"{lines[-1]} {word}", size) <= most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


# In words --------------------------------------------------------------------------------------


def in_words(course: Map, source: str) -> str:
    """Return the map for the file at `source`: names, pictures, and folded the same as a list."""
    folder = posixpath.dirname(source) or "."
    pictures = " ".join(
        f"![{described(course, each)}]({posixpath.relpath(picture(each), folder)})"
        for each in PARTS
    )
    evenings = [
        f"{link(steps[0], _evening(steps), source)} ({hours(steps)})"
        for steps in map(course.evening, PARTS)
    ]
    core = [each for each in course.core if not course.of_evening(each)]
    way = " → ".join(link(each, each.way, source) for each in course.entries if each.way)
    return "\n".join(
        (
            f"{OPENING} and three more texts about ONNX. Folders and assignments keep the names of the "
            "lessons: *Day 50* is the one on formats and runtimes, and *Lab 7-01* the one on measuring and "
            "shrinking a model. Where a page says *the lesson text*, it means the text from which it grew.",
            "",
            pictures,
            "",
            f"Begin with {listed(evenings)}. If you want to do such work by yourself afterwards, the "
            f"{NUMBERS[len(course.core)]} filled labs are the *core*. Those outside the evenings take "
            f"{hours(core)}, and each stands below the page to read first. Everything else is *reference*: "
            "come back when its question is yours.",
            "",
            f"The lessons went this way: {way}.",
            "",
            "<details><summary>The map as a list, with links</summary>",
            "",
            *_list(course, source),
            "</details>",
        )
    )


def _evening(steps: list[Entry]) -> str:
    name = steps[0].title.partition(",")[0]
    return name[0].lower() + name[1:]


def _list(course: Map, source: str) -> Iterator[str]:
    for folder, (name, lesson) in PARTS.items():
        steps = course.evening(folder)
        evening = steps[0].title.partition(",")[0]
        yield f"**{name}** ({lesson}). {evening}, {hours(steps)}, if you want to {steps[0].question}:"
        yield ""
        for place, each in enumerate(steps, 1):
            about = f": {each.about}" if each.about else ""
            yield f"{place}. {link(each, each.step, source)}{about} ({_costs(each)})"
        yield ""
        yield "Reference, if you want to:"
        yield ""
        for row in course.rows(folder):
            page = row.page
            after = [_named(course.known[name], source) for name in page.needs]
            needs = f", after {listed(after)}" if after else ""
            yield f"- {page.question}: {link(page, page.title, source)} ({_costs(page)}){needs}"
            for lab in row.labs:
                yield f"  - lab {link(lab, lab.stem, source)}: {lab.about} ({_costs(lab)})"
        yield ""


def _costs(entry: Entry) -> str:
    points = f", {entry.points:g} points" if entry.is_lab else ""
    return f"{entry.minutes} minutes{points}{', core' if entry.core else ''}"


def you_are_here(course: Map, entry: Entry) -> str:
    """Return the line at the head of a page or a lab."""
    source = f"{entry.path}.ipynb"
    front = posixpath.relpath(f"{FRONT}.ipynb", posixpath.dirname(source))
    said = [f"{HERE} [the map]({front}#{HEADING}) → {PARTS[_part(course, entry)][0]}, "]
    if steps := course.of_evening(entry):
        place = steps.index(entry)
        around = [
            f"{verb} {_named(each, source)}"
            for verb, each in (
                ("follows", steps[place - 1] if place else None),
                ("leads to", steps[place + 1] if place + 1 < len(steps) else None),
            )
            if each
        ]
        said[0] += (
            f"{_evening(steps)}, step {place + 1} of {len(steps)}{_core(course, entry, ', ')}."
        )
        said.append(f"It {listed(around)}.")
    elif entry.is_lab:
        said[0] += f"{_core(course, entry) or 'reference lab'}."
        needs = [_named(course.known[name], source) for name in entry.needs]
        said.append(f"It needs {listed(needs)}.")
    else:
        said[0] += f"reference page {entry.number}."
        said.append(f"Read it if you want to {entry.question}.")
        [labs] = [row.labs for row in course.rows(entry.folder) if row.page == entry]
        if labs:
            names = listed([link(each, each.stem, source) for each in labs])
            said.append(f"Then practise in the {'lab' if len(labs) == 1 else 'labs'} {names}.")
    if entry.core and entry is not course.core[-1]:
        following = course.core[course.core.index(entry) + 1]
        said.append(f"The next core lab is {link(following, following.stem, source)}.")
    return " ".join(said)


def _part(course: Map, entry: Entry) -> str:
    """Return the part on whose map an entry stands: an evening may borrow a lab of the other part."""
    steps = course.of_evening(entry)
    return steps[0].folder if steps else entry.folder


def _named(entry: Entry, source: str) -> str:
    if entry.is_lab:
        return f"the lab {link(entry, entry.stem, source)}"
    short = entry.step if entry.is_line else entry.title.partition(":")[0]
    return link(entry, short, source)


def _core(course: Map, entry: Entry, joint: str = "") -> str:
    if not entry.core:
        return ""
    return f"{joint}core lab {course.core.index(entry) + 1} of {len(course.core)}"
