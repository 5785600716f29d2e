"""Pictures with one message each: the title says it as a sentence, labels stand beside what they
name, and a text says what is seen.

Each function returns a `Picture`; `seen` is its text alternative, written by who knows what is to
be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from formatlab.picture import Picture, drawn, titled

if TYPE_CHECKING:  # matplotlib is much to import before a picture is asked for
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox

# The same things have the same colours in the whole course: what stays float, what is quantized,
# what goes wrong.
FLOAT = "#2b5d8c"
CODES = "#256b3a"
WRONG = "#b3402a"
QUIET = "#6f7a86"  # to be seen on white and, turned over by the site, on a dark page
COLOURS = (FLOAT, WRONG, CODES, "#8a5a00", "#6b3fa0", QUIET)
LINED = 10  # a name that is farther above or below its point has a line to it, in points
# Where the name of a point is tried: to its right or left, and how far above it, in points.
PLACES = [
    (side, up)
    for up in (0, 5, -5, 10, -10, 16, -16, 22, -22, 30, -30, 40, -40, 52, -52, 64, -64)
    for side in (1, -1)
]


def picture(title: str, seen: str, paint: Callable[[Axes], None], height: float = 2.8) -> Picture:
    """What `paint(axes)` draws under `title`; `height` is in inches."""
    figure, axes = titled(title, height)
    paint(axes)
    description = f"{title}. {seen}"
    return drawn(figure, description)


def number_line(
    x: Sequence[float], back: Sequence[float], step: float, title: str, seen: str
) -> Picture:
    """Numbers above, the places that codes can stand for as ticks, and where each number goes."""

    def paint(axes: Axes) -> None:
        low = min(*x, *back)
        high = max(*x, *back)
        places = np.arange(np.floor(low / step), np.ceil(high / step) + 1) * step
        axes.vlines(places, -0.12, 0.12, color=QUIET, linewidth=0.8)
        for value, place in zip(x, back, strict=True):
            axes.annotate(
                "", (place, 0.12), (value, 0.75), arrowprops={"arrowstyle": "->", "color": CODES}
            )
        axes.plot(x, [0.8] * len(x), "o", color=FLOAT, markersize=6)
        axes.text(high, 0.95, "float32", color=FLOAT, ha="right")
        axes.text(high, -0.45, "what a code can stand for", color="#5b6570", ha="right")
        axes.set(ylim=(-0.6, 1.2), yticks=[])
        axes.spines["left"].set_visible(False)

    return picture(title, seen, paint, 1.9)


def histogram(
    values: np.ndarray, cuts: Mapping[str, float], across: str, title: str, seen: str
) -> Picture:
    """How often each size occurs, on a logarithmic scale, and where ranges are cut.

    Each cut ends at its own name, above the bars. The first cut has the lowest place, and names
    stand to the left, so that no line goes through a name.
    """

    def paint(axes: Axes) -> None:
        axes.hist(np.ravel(values), bins=80, color=FLOAT, alpha=0.55, log=True)
        bottom, top = axes.get_ylim()
        row = (top / bottom) ** 0.11
        for number, (name, cut) in enumerate(sorted(cuts.items(), key=lambda each: each[1]), 1):
            axes.vlines(cut, bottom, top * row**number, color=WRONG, linestyle="--", linewidth=1.2)
            aside: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "va": "top"}
            at = (cut, top * row**number)
            axes.annotate(f"{name} {cut:.3g}", at, (-4, 0), color=WRONG, fontsize=9, **aside)
        axes.set(xlabel=across, ylabel="how many", ylim=(bottom, top * row ** (len(cuts) + 0.3)))

    return picture(title, seen, paint)


def curves(
    across: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    names: tuple[str, str],
    title: str,
    seen: str,
    **axis: Any,
) -> Picture:
    """One line for each entry, named at its right end. `names` are those of the axes; `axis` goes
    to matplotlib's `Axes.set`.
    """
    order = np.argsort(across, kind="stable")
    ordered = np.asarray(across)[order]
    drawn = {name: np.asarray(values, float)[order] for name, values in lines.items()}

    def paint(axes: Axes) -> None:
        places = _apart(drawn, axis.get("yscale"))
        beside: dict[str, Any] = {
            "xycoords": ("axes fraction", "data"),
            "fontsize": 9,
            "va": "center",
        }
        for (name, values), colour, place in zip(drawn.items(), COLOURS, places, strict=False):
            axes.plot(ordered, values, marker="o", markersize=3.5, color=colour)
            axes.annotate(name, (1.02, place), color=colour, **beside)
        axes.set(xlabel=names[0], ylabel=names[1], **axis)

    return picture(title, seen, paint)


def _apart(lines: Mapping[str, np.ndarray], scale: str | None) -> list[float]:
    """Where the names stand: at the last number of each line, moved up where two would cover each
    other.
    """
    is_log = scale == "log"
    finite = [np.asarray(values, float)[np.isfinite(values)] for values in lines.values()]
    drawn = [np.log10(values) if is_log else values for values in finite]
    ends = [float(values[-1]) for values in drawn]
    every = np.concatenate(drawn)
    least = 0.075 * (np.ptp(every) or 1)
    places: dict[int, float] = {}
    for number in np.argsort(ends, kind="stable"):
        places[int(number)] = max(ends[number], max(places.values(), default=-np.inf) + least)
    heights = [places[number] for number in range(len(ends))]
    return [float(10**height) if is_log else float(height) for height in heights]


def channels(
    groups: Mapping[str, Sequence[float]], names: tuple[str, str], title: str, seen: str
) -> Picture:
    """A bar for each channel, on a logarithmic scale; one panel's worth of bars for each group,
    side by side.
    """

    def paint(axes: Axes) -> None:
        width = 0.85 / len(groups)
        above: dict[str, Any] = {"transform": axes.transAxes, "va": "top", "fontsize": 9}
        for number, (name, colour) in enumerate(zip(groups, COLOURS, strict=False)):
            values = groups[name]
            axes.bar(np.arange(len(values)) + number * width, values, width, color=colour)
            axes.text(0.01 + 0.5 * number, 0.98, f"■ {name}", color=colour, **above)
        axes.set(xlabel=names[0], ylabel=names[1], yscale="log", xticks=[])
        axes.set_ylim(top=axes.get_ylim()[1] * 5)

    return picture(title, seen, paint)


def shares(
    rows: Mapping[str, Mapping[str, float]],
    title: str,
    seen: str,
    across: str = "share of the time in operators",
    whole: float = 1,
) -> Picture:
    """Of each row, the share of every part, as one bar in parts that are named inside. `whole` is
    the length of the axis, in the unit of the parts.

    A part whose name fits into none of its bars is named above them.
    """
    colours = _colours(rows)

    def paint(axes: Axes) -> None:
        axes.set_yticks(range(len(rows)), list(rows))
        axes.set(xlim=(0, whole), ylim=(len(rows) - 0.5, -0.5), xlabel=across)
        named = [
            name
            for place, parts in enumerate(rows.values())
            for name in _stack(axes, place, parts, colours)
        ]
        least = whole / 50
        others = {
            name: colours[name]
            for parts in rows.values()
            for name, share in parts.items()
            if share >= least and name not in named and colours[name] != QUIET
        }
        above: dict[str, Any] = {"transform": axes.transAxes, "va": "bottom", "fontsize": 9}
        for number, (name, colour) in enumerate(others.items()):
            axes.text(number / len(others), 1.02, f"■ {name}", color=colour, **above)

    return picture(title, seen, paint, 1.2 + 0.4 * len(rows))


def _colours(rows: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
    """No two parts have one colour; only if there are too many, the smallest are all quiet."""
    largest: dict[str, float] = {}
    for row in rows.values():
        for part, share in row.items():
            largest[part] = max(share, largest.get(part, 0))
    names = list(largest)
    if len(names) > len(COLOURS):
        names.sort(key=largest.__getitem__, reverse=True)
    return {name: COLOURS[min(i, len(COLOURS) - 1)] for i, name in enumerate(names)}


def _stack(
    axes: Axes, place: int, parts: Mapping[str, float], colours: Mapping[str, str]
) -> list[str]:
    """One bar in parts, each with its name inside where that fits; returns the names that do."""
    figure = cast("Figure", axes.figure)
    figure.draw_without_rendering()  # until then the axes have no size
    pixels = axes.bbox.width / axes.get_xlim()[1]
    left = 0.0
    inside: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8}
    named = []
    for name, share in parts.items():
        axes.barh(place, share, left=left, color=colours[name], edgecolor="white")
        label = axes.text(left + share / 2, place, name, color="white", **inside)
        if label.get_window_extent().width + 2 < share * pixels:
            named.append(name)
        else:
            label.remove()
        left += share
    return named


def intervals(
    rows: Mapping[str, tuple[float, float, float]],
    across: str,
    title: str,
    seen: str,
    at: float | None = None,
) -> Picture:
    """A value with its interval for each row, and a line at `at`, what nothing gained and nothing
    lost would be.
    """

    def paint(axes: Axes) -> None:
        bar: dict[str, Any] = {
            "color": FLOAT,
            "linewidth": 5,
            "solid_capstyle": "butt",
            "alpha": 0.55,
        }
        for place, (value, low, high) in enumerate(rows.values()):
            axes.plot([low, high], [place, place], **bar)
            axes.plot(value, place, "|", color=FLOAT, markersize=16, markeredgewidth=2.5)
        if at is not None:
            axes.axvline(at, color=WRONG, linestyle="--", linewidth=1)
        axes.set_yticks(range(len(rows)), list(rows))
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlabel(across, loc="right")  # it may be wider than the axes, and grows to the left

    return picture(title, seen, paint, 1.2 + 0.34 * len(rows))


def beyond_noise(units: Mapping[str, float], limit: float, title: str, seen: str) -> Picture:
    """Errors as multiples of what float32 itself makes, on a logarithmic scale. What lies in the
    noise, and what is allowed beyond it, is shaded; a point past the limit has the colour of what
    goes wrong.
    """
    from matplotlib.ticker import StrMethodFormatter

    def paint(axes: Axes) -> None:
        low = min(0.5, *units.values()) / 2
        axes.axvspan(low, 1, color=QUIET, alpha=0.32, linewidth=0)
        axes.axvspan(1, limit, color=QUIET, alpha=0.14, linewidth=0)
        axes.axvline(limit, color=WRONG, linestyle="--", linewidth=1)
        above: dict[str, Any] = {"fontsize": 8.5, "va": "center"}
        axes.text(limit * 1.15, -0.6, f"{limit:g}: the limit", color=WRONG, **above)
        axes.text(low * 1.1, -0.6, "noise", color="#5b6570", **above)
        for place, unit in enumerate(units.values()):
            axes.plot(unit, place, "o", color=WRONG if unit > limit else FLOAT, markersize=8)
        axes.set_yticks(range(len(units)), list(units))
        axes.set(
            xscale="log",
            ylim=(len(units) - 0.5, -1),
        )
        axes.set_xlabel("error against float64, in float32's own errors", loc="right")
        axes.set_xlim(left=low)
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))

    return picture(title, seen, paint, 1.4 + 0.34 * len(units))


def frontier(
    points: Mapping[str, tuple[float, float]],
    names: tuple[str, str],
    title: str,
    seen: str,
    *,
    spans: Mapping[str, tuple[float, float]] | None = None,
    chosen: Collection[str] | None = None,
    costs: Mapping[str, float] | None = None,
    qualities: Mapping[str, float] | None = None,
    lowest: float | None = None,
) -> Picture:
    """Cost to the right, quality upwards. A filled point has no other that is as good and cheaper;
    if some are `chosen`, those are filled, and words say so.

    `spans` are the intervals of the qualities, drawn upright. `costs` and `qualities` are limits by
    the words that stand at them: dashed lines. A quality below `lowest` would press all others
    together, so that point is an arrow at the lower edge, with its quality beside its name.
    """
    intervals_of = spans or {}
    out = {name for name, at in points.items() if lowest is not None and at[1] < lowest}
    filled = (
        {name for name, at in points.items() if _is_best(at, points.values())}
        if chosen is None
        else set(chosen)
    )

    def paint(axes: Axes) -> None:
        shown = {}
        for name, at in points.items():
            colour, fill = (CODES, "full") if name in filled else (QUIET, "none")
            if name in out:
                at, colour = (at[0], cast("float", lowest)), WRONG
            elif name in intervals_of:
                axes.plot([at[0], at[0]], intervals_of[name], color=colour, linewidth=2)
            axes.plot(*at, "v" if name in out else "o", color=colour, markersize=8, fillstyle=fill)
            shown[f"{name}: {points[name][1]:+.3g}" if name in out else name] = at
        axes.margins(0.2, 0.25)
        axes.set(xlabel=names[0], ylabel=names[1])
        _draw_limits(axes, costs or {}, qualities or {})
        if chosen is not None:
            below: dict[str, Any] = {"transform": axes.transAxes, "ha": "right", "fontsize": 9}
            axes.text(1, 0.03, "● chosen", color=CODES, **below)
        _name_points(axes, shown)

    return picture(title, seen, paint, 3.4)


def _draw_limits(axes: Axes, costs: Mapping[str, float], qualities: Mapping[str, float]) -> None:
    """Dashed lines through the whole picture: upright ones named at their top, level ones at their left."""
    line: dict[str, Any] = {"color": WRONG, "linewidth": 1, "linestyle": (0, (4, 3)), "zorder": 0}
    aside: dict[str, Any] = {"textcoords": "offset points", "color": WRONG, "fontsize": 8.5}
    for words, cost in costs.items():
        axes.axvline(cost, **line)
        top = ("data", "axes fraction")
        axes.annotate(words, (cost, 1), (3, -2), xycoords=top, va="top", **aside)
    for words, quality in qualities.items():
        axes.axhline(quality, **line)
        left = ("axes fraction", "data")
        axes.annotate(words, (0, quality), (3, 3), xycoords=left, va="bottom", **aside)


def _name_points(axes: Axes, points: Mapping[str, tuple[float, float]]) -> None:
    """Each name beside its point, where it covers no other name and no point; the points that none
    beats come first. A name that finds no room close by, or none where its own point is the nearest,
    stands further away, at the end of a line.
    """
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

    figure = cast("Figure", axes.figure)
    figure.draw_without_rendering()  # until then the axes have no size
    room = Bbox.from_extents(*axes.bbox.min, figure.bbox.x1, axes.bbox.y1)
    pixels = {name: axes.transData.transform(at) for name, at in points.items()}
    taken = [Bbox.from_extents(x - 5, y - 5, x + 5, y + 5) for x, y in pixels.values()]
    is_beaten = {name: not _is_best(at, points.values()) for name, at in points.items()}
    for name in sorted(points, key=lambda each: (is_beaten[each], -pixels[each][1])):
        for place in PLACES:
            label = _name_at(axes, name, points[name], *place)
            label.get_window_extent()  # finds its place; what it returns holds the line, too
            box = Text.get_window_extent(label)
            fits = room.x0 < box.x0 and box.x1 < room.x1 and room.y0 < box.y0 and box.y1 < room.y1
            is_clear = abs(place[1]) > LINED or all(
                _apart_from(box, at) >= _apart_from(box, pixels[name]) for at in pixels.values()
            )
            if place == PLACES[-1] or (fits and is_clear and not box.count_overlaps(taken)):
                break
            label.remove()
        taken.append(box)


def _name_at(axes: Axes, name: str, at: tuple[float, float], side: int, up: float) -> Annotation:
    line = {"arrowstyle": "-", "color": QUIET, "linewidth": 0.7} if abs(up) > LINED else None
    aside: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8.5, "va": "center"}
    return axes.annotate(
        name, at, (9 * side, up), ha="left" if side > 0 else "right", arrowprops=line, **aside
    )


def _apart_from(box: Bbox, at: np.ndarray) -> float:
    """How far a point is from a box, in pixels."""
    x, y = at
    return float(np.hypot(max(box.x0 - x, 0, x - box.x1), max(box.y0 - y, 0, y - box.y1)))


def _is_best(at: tuple[float, float], points: Iterable[tuple[float, float]]) -> bool:
    """Whether no other point is as good and as cheap."""
    return not any(cost <= at[0] and good >= at[1] and (cost, good) != at for cost, good in points)
