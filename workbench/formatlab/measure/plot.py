"""Results as a picture that says in words what it shows."""

from __future__ import annotations

import math

import numpy as np

from formatlab.measure.measurements import Measurements, Ratio
from formatlab.picture import Picture, drawn, titled

DOT = "#9db4c9"
LINE = "#243b53"
ONE = "#b3402a"
NAMED = 3  # so many variants beside the first have their names in the title
# How much the axis of times spans at most, and which numbers of each power of ten are written
# there: more would touch.
TICKS = ((3, (1, 1.2, 1.5, 2, 3, 5, 7, 8, 9)), (100, (1, 2, 5)), (math.inf, (1,)))


def plot(results: Measurements, title: str = "") -> Picture:
    """One line for each variant: a dot for each round's ratio to the first variant, a bar for the
    median's interval.

    The picture says above what was found; `title` says before it of what.
    """
    first = results.names[0]
    heading = ": ".join(filter(None, (title, found_in(results))))
    rows = [(each.name, each, results.ratio(each.name)) for each in results.variants[1:]]
    if results.control and (ratio := results.control_ratio):
        rows.insert(0, (f"{first}, again (A/A)", results.control, ratio))
    figure, axes = _figure(len(rows), heading)
    jitter = np.random.default_rng(0)
    for place, (_, variant, ratio) in enumerate(rows):
        dots = np.divide(variant.seconds, results.variants[0].seconds)
        _ratios(axes, dots, place + jitter.uniform(-0.22, 0.22, len(dots)), ratio, place)
    axes.axvline(1, color=ONE, linestyle="--")
    axes.set_yticks(range(len(rows)), [name for name, *_ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xscale("log")
    _plain_ticks(axes)
    level = f"{100 * min(ratio.interval.level for *_, ratio in rows):.3g} %" if rows else ""
    axes.set_xlabel(f"time ÷ {first}\nmedian and its {level} interval", loc="right")
    found = "; ".join(f"{name} {ratio}" for name, _, ratio in rows)
    description = f"{heading or results.name or 'Ratios of times'}. Times as multiples of {first}, median and {level} interval: {found}."
    return drawn(figure, description)


def found_in(results: Measurements) -> str:
    """Which variants take less time than the first one and which take more, by name or, of many, by
    their number.
    """
    first, *others = results.names
    found: dict[str, list[str]] = {"faster": [], "slower": [], "not told apart": []}
    for name in others:
        kind = "faster" if results.ratio(name).value < 1 else "slower"
        found[kind if results.told_apart(name) else "not told apart"].append(name)
    alike = {kind: names for kind, names in found.items() if names}
    said = []
    for kind, names in alike.items():
        who = " and ".join(names) if len(others) <= NAMED else str(len(names))
        said.append(f"{who} {'is' if len(names) == 1 else 'are'} {kind}")
    if not said:
        return ""
    said[0] += f" {'from' if said[0].endswith('apart') else 'than'} {first}"
    all_of = {1: "all "}.get(len(alike), f"of {len(others)}, ")
    return (all_of if len(others) > NAMED else "") + ", ".join(said)


def _ratios(axes, dots: np.ndarray, heights: np.ndarray, ratio: Ratio, place: int) -> None:
    """A row: a dot for each round, the interval and the median over them."""
    axes.plot(dots, heights, "o", color=DOT, markersize=4, alpha=0.8)
    axes.plot(ratio.interval[:2], [place, place], color=LINE, linewidth=5, solid_capstyle="butt")
    axes.plot(ratio.value, place, "|", color=LINE, markersize=18, markeredgewidth=2.5)


def lines(series: dict[str, list[float]], title: str, across: str, up: str) -> Picture:
    """Values as they were measured, a line for each of `series`; `across` and `up` name axes."""
    figure, axes = _figure(5, title)
    for (name, values), style in zip(series.items(), ("-", "--", ":", "-."), strict=False):
        axes.plot(range(len(values)), values, style, marker="o", markersize=3, label=name)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    found = "; ".join(
        f"{name} from {min(values):.3g} to {max(values):.3g}, median {np.median(values):.3g}"
        for name, values in series.items()
    )
    description = f"{title}. {up} by {across}: {found}."
    return drawn(figure, description)


def _figure(rows: int, title: str):
    figure, axes = titled(title, 1.5 + 0.4 * max(rows, 1))
    axes.tick_params(labelsize=10)
    return figure, axes


def _plain_ticks(axes) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(
        LogLocator(subs=next(subs for span, subs in TICKS if high / low <= span))
    )
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
