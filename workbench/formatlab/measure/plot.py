"""Results as a picture that says in words what it shows."""

from __future__ import annotations

import math

import numpy as np

from formatlab.measure.measurements import Measurements, Ratio
from formatlab.picture import Picture, drawn

DOT = "#9db4c9"
LINE = "#243b53"
ONE = "#b3402a"
# How much the axis of times spans at most, and which numbers of each power of ten are written
# there: more would touch.
TICKS = ((3, (1, 1.2, 1.5, 2, 3, 5, 7, 8, 9)), (100, (1, 2, 5)), (math.inf, (1,)))


def plot(results: Measurements, title: str = "") -> Picture:
    """One line for each variant: a dot for each round's ratio to the first variant, a bar for the
    median's interval.
    """
    first = results.names[0]
    rows = [(each.name, each, results.ratio(each.name)) for each in results.variants[1:]]
    if results.control and (ratio := results.control_ratio):
        rows.insert(0, (f"{first}, again (A/A)", results.control, ratio))
    figure, axes = _figure(len(rows), title)
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
    axes.set_xlabel(f"time ÷ {first}\nmedian and its {level} interval")
    found = "; ".join(f"{name} {ratio}" for name, _, ratio in rows)
    description = f"{title or results.name or 'Ratios of times'}. Times as multiples of {first}, median and {level} interval: {found}."
    return drawn(figure, description)


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
    """Without pyplot, which would choose a backend for the whole process. Narrow, so that its
    letters can be read on a phone. The title is drawn, because an alternative text is not seen.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2, 1.3 + 0.45 * max(rows, 1)), layout="constrained")
    if title:
        figure.suptitle(title, fontsize=10.5, x=0.01, ha="left", wrap=True)
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=11)
    return figure, axes


def _plain_ticks(axes) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(
        LogLocator(subs=next(subs for span, subs in TICKS if high / low <= span))
    )
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
