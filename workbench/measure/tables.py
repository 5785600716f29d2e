"""Results as text for a terminal and as HTML for a page, and several results beside one another."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import escape

from workbench.measure.estimators import three_digits
from workbench.measure.results import Results, Variant
from workbench.show.grid import Grid, grid

UNITS = ((1.0, "s"), (1e-3, "ms"), (0.0, "µs"))


def text(results: Results) -> str:
    return "\n".join([_grid(results).text, "", *_caption(results)])


def html(results: Results) -> str:
    caption = "<br>".join(map(escape, _caption(results)))
    return f'{_scrolling(_grid(results)).html}\n<p style="font-size:0.85em">{caption}</p>'


def beside(results: Mapping[str, Results]) -> Grid:
    """Ratios of several runs side by side, `results` as {heading: results}: one row for each variant, and what is missing says so."""
    names = dict.fromkeys(name for each in results.values() for name in (*each.names, *each.missing))
    return _scrolling(grid(["variant", *results], [[name, *(_cell(each, name) for each in results.values())] for name in names]))


def cards(results: Results) -> str:
    """The machine, the versions, the date and the command, in lines."""
    threads = "" if results.threads is None else f"; threads {results.threads}"
    busy = " and ".join(f"{each:.2g}" for each in results.load_average if each is not None)
    lines = [f"{results.card}{threads}", f"{results.card.hardware}; load average {busy or 'not known'}", results.date]
    return "\n".join([*lines[:2], f"{lines[2]}{f': {results.command}' if results.command else ''}"])


def _cell(results: Results, name: str) -> str:
    """The reason for what is missing up to its first colon: the rest is for a caption."""
    if name in results.names:
        return "1" if name == results.names[0] else str(results.ratio(name))
    return results.missing.get(name, "not measured").partition(":")[0]


def _scrolling(table: Grid) -> Grid:
    """The table scrolls on its own where the page is narrow."""
    return Grid(f'<div style="overflow-x:auto">{table.html}</div>', table.text)


def _grid(results: Results) -> Grid:
    size, unit = _unit(min(variant.median for variant in results.variants))
    first = results.names[0]
    several = any(variant.items > 1 for variant in results.variants)
    notes = list(dict.fromkeys(key for variant in results.variants for key in variant.notes))
    headings = ["variant", f"÷ {first}", f"median {unit}", f"p10 to p90 {unit}", "items/s" if several else "calls/s", *notes]
    rows = [_row(results, variant, size, notes) for variant in results.variants]
    if control := results.control:
        ratio = results.control_ratio
        rows.append([f"{first}, again (A/A)", str(ratio), *_times(control, size), *("" for _ in notes)])
    rows += [[name, "-", *("" for _ in headings[2:])] for name in results.missing]
    return grid(headings, rows)


def _by_reason(missing: Mapping[str, str]) -> dict[str, list[str]]:
    reasons = dict.fromkeys(missing.values())
    return {reason: [name for name, each in missing.items() if each == reason] for reason in reasons}


def _row(results: Results, variant: Variant, size: float, notes: list[str]) -> list[str]:
    ratio = "1" if variant is results.variants[0] else str(results.ratio(variant.name))
    return [variant.name, ratio, *_times(variant, size), *(variant.notes.get(key, "") for key in notes)]


def _times(variant: Variant, size: float) -> list[str]:
    return [
        three_digits(variant.median / size),
        f"{three_digits(variant.quantile(0.1) / size)} to {three_digits(variant.quantile(0.9) / size)}",
        three_digits(variant.throughput),
    ]


def _unit(seconds: float) -> tuple[float, str]:
    size, unit = next((size, unit) for size, unit in UNITS if seconds >= size)
    return size or 1e-6, unit


def _caption(results: Results) -> list[str]:
    level = results.ratio(results.names[-1]).interval.level
    lines = [
        f"{results.rounds} rounds, after {results.warm_up} of warm-up. A ratio is the median over the rounds, "
        f"with its {100 * level:.3g} % interval; below 1 is faster.",
        *([] if results.sound else [f"Do not trust this run: {results.verdict.split('. ')[0]}."]),
        *cards(results).split("\n"),
        *(f"{reason}: {', '.join(names)}." for reason, names in _by_reason(results.missing).items()),
    ]
    if results.control:
        lines[0] += f" A/A is the first variant a second time, at {100 * results.control_ratio.interval.level:.4g} %."
    return lines
