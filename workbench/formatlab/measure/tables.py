"""Results as text for a terminal and as HTML for a page, and several results beside one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from xml.sax.saxutils import escape

from formatlab.measure.estimators import three_digits
from formatlab.measure.measurements import BUSY, Measurements
from formatlab.measure.variant import Variant
from formatlab.show.grid import Grid, grid

# Quantiles, and how many values each needs to be more than one of the largest.
QUANTILES = ((0.5, 1), (0.9, 10), (0.99, 100))
UNITS = ((1.0, "s"), (1e-3, "ms"), (0.0, "µs"))


def text(results: Measurements) -> str:
    return "\n".join([_grid(results).text, "", *_caption(results)])


def html(results: Measurements) -> str:
    caption = "<br>".join(map(escape, _caption(results)))
    return f'{_scrolling(_grid(results)).html}\n<p style="font-size:0.85em">{caption}</p>'


def more(results: Measurements) -> list[str]:
    """What was measured beside the variants: several callers, profiles."""
    found = [f"Several callers at a time\n{streams(results).text}"] if results.streams else []
    return found + [
        f"Where the time of {name} goes\n{profile(rows).text}"
        for name, rows in results.profiles.items()
    ]


def streams(results: Measurements) -> Grid:
    size, unit = _unit(min(row["p50"] for row in results.streams))
    headings = ["variant", "callers", "items/s", f"p50 {unit}", "p90", "p99", "n"]
    return grid(headings, [_stream(row, size) for row in results.streams])


def _stream(row: Mapping, size: float) -> list[str]:
    rate = f"{three_digits(row['items_per_second'])} ({' to '.join(map(three_digits, row['interval']))})"
    quantiles = [three_digits(row[f"p{share}"] / size) for share in (50, 90, 99)]
    return [row["variant"], str(row["callers"]), rate, *quantiles, str(row["n"])]


def profile(rows: list[Mapping]) -> Grid:
    """As `kernels.by_operator` found it."""
    cells = [
        [
            row["operator"],
            str(row["nodes"] or ""),
            three_digits(row["us"]),
            f"{100 * row['share']:.1f}",
        ]
        for row in rows
    ]
    return grid(["operator", "nodes", "µs a call", "%"], cells)


def beside(results: Mapping[str, Measurements]) -> Grid:
    """Ratios of several runs side by side, `results` as {heading: results}: a row for each variant
    that one of them measured.
    """
    names = dict.fromkeys(name for each in results.values() for name in each.names)
    return _scrolling(
        grid(
            ["variant", *results],
            [[name, *(_cell(each, name) for each in results.values())] for name in names],
        )
    )


def cards(results: Measurements) -> str:
    """The machine, the versions, the date and the command, in lines."""
    threads = "" if results.threads is None else f"; threads {results.threads}"
    lines = [
        f"{results.card}{threads}",
        f"{results.card.hardware}; load average {results.machine_load}",
        results.date,
    ]
    return "\n".join([*lines[:2], f"{lines[2]}{f': {results.command}' if results.command else ''}"])


def _cell(results: Measurements, name: str) -> str:
    """The reason for what is missing up to its first colon: the rest is for a caption."""
    if name in results.names:
        return "1" if name == results.names[0] else str(results.ratio(name))
    return results.missing.get(name, "not measured").partition(":")[0]


def _scrolling(table: Grid) -> Grid:
    """The table scrolls on its own where the page is narrow."""
    return Grid(f'<div style="overflow-x:auto">{table.html}</div>', table.text)


def _grid(results: Measurements) -> Grid:
    size, unit = _unit(min(variant.median for variant in results.variants))
    first = results.names[0]
    fullest_first = sorted(results.variants, key=lambda variant: -len(variant.notes))
    notes = list(dict.fromkeys(key for variant in fullest_first for key in variant.notes))
    rate = "items/s" if any(variant.items > 1 for variant in results.variants) else "calls/s"
    headings = ["variant", f"÷ {first}", f"p50 {unit}", "p90", "p99", "n", rate, "cores", *notes]
    rows = [_row(results, variant, size, notes) for variant in results.variants]
    if control := results.control:
        again = [f"{first}, again (A/A)", str(results.control_ratio), *_times(control, size)]
        rows.append([*again, *("" for _ in notes)])
    rows += [[name, "-", *("" for _ in headings[2:])] for name in results.missing]
    return grid(headings, rows)


def _by_reason(missing: Mapping[str, str]) -> dict[str, list[str]]:
    reasons = dict.fromkeys(missing.values())
    return {
        reason: [name for name, each in missing.items() if each == reason] for reason in reasons
    }


def _row(results: Measurements, variant: Variant, size: float, notes: list[str]) -> list[str]:
    ratio = "1" if variant is results.variants[0] else str(results.ratio(variant.name))
    return [
        variant.name,
        ratio,
        *_times(variant, size),
        *(variant.notes.get(key, "") for key in notes),
    ]


def _times(variant: Variant, size: float) -> list[str]:
    count = len(variant.latencies)
    quantiles = [
        three_digits(variant.quantile(share) / size) if count >= least else "-"
        for share, least in QUANTILES
    ]
    cores = "" if variant.cores is None else f"{variant.cores:.2f}"
    return [*quantiles, str(count), three_digits(variant.throughput), cores]


def _unit(seconds: float) -> tuple[float, str]:
    size, unit = next((size, unit) for size, unit in UNITS if seconds >= size)
    return size or 1e-6, unit


def _caption(results: Measurements) -> list[str]:
    return [
        _method(results),
        *(f"Do not trust this run. {doubt}" for doubt in results.doubts),
        *remarks(results),
        *cards(results).split("\n"),
        *(
            f"{reason}: {', '.join(names)}."
            for reason, names in _by_reason(results.missing).items()
        ),
    ]


def _method(results: Measurements) -> str:
    level = results.ratio(results.names[-1]).interval.level
    if results.processes == 1:
        how = f"{results.rounds} rounds, after {results.warm_up} of warm-up. A ratio is the median over the rounds"
    else:
        how = f"{results.processes} processes of {results.rounds} rounds. A ratio is the mean of the processes' medians"
    told = (
        f" It can tell apart {100 * results.resolution:.2g} % (A/A)."
        if results.sound and results.resolution is not None
        else ""
    )
    return f"{how}, with its {100 * level:.3g} % interval; below 1 is faster.{told}{_together(results)}"


def _together(results: Measurements) -> str:
    """How the rows are judged when there are several, or why they are not."""
    rows = len(results.variants) - 1
    least = 1 - 2 * 0.5**results.rounds
    if results.processes == 1 and rows and least < results.level:
        return (
            f" With {results.rounds} rounds there is no {100 * results.level:.3g} % interval, so no row is called faster or slower: "
            "ask for 6 at least."
        )
    if rows < 2:
        return ""
    return (
        f" A row is called faster or slower by its {100 * results.level_of_each:.3g} % interval, "
        f"so that all {rows} of them err together in {100 * (1 - results.level):.2g} % of runs."
    )


def remarks(results: Measurements) -> list[str]:
    """What one has to know to read the numbers, and how far the rounds depend on one another."""
    variants = results.variants
    found = _means(variants)
    if any(len(variant.latencies) < dict(QUANTILES)[0.99] for variant in variants):
        found.append("p90 is shown from 10 values, p99 from 100: ask for more calls.")
    if waited := [
        f"{each.name} {each.cores:.0%}"
        for each in variants
        if each.on_the_cpu and each.cores is not None and each.cores < BUSY
    ]:
        found.append(
            f"Other programs had the processor meanwhile; the share of its time that each variant ran: {', '.join(waited)}."
        )
    found += _dependence(results) if len(variants) > 1 and results.rounds > 3 else []
    if results.processes > 1:
        found += [_scatter(results, name) for name in results.names[1:]]
    elif len(variants) > 1:
        found.append("One process: its intervals do not hold what differs between processes.")
    return found


def _means(variants: Sequence[Variant]) -> list[str]:
    means = [f"{each.name} {each.mean_of}" for each in variants if each.mean_of > 1]
    return (
        [f"Quantiles are of means of several calls, and not of calls: {', '.join(means)}."]
        if means
        else []
    )


def _dependence(results: Measurements) -> list[str]:
    """The limit is that of independent rounds, at 5 % for all variants together (normal
    approximation).
    """
    names = results.names[1:]
    count = results.rounds * results.processes
    limit = NormalDist().inv_cdf(1 - 0.025 / len(names)) / count**0.5
    found = {name: results.dependence(name) for name in names}
    values = f"{min(found.values()):.2f}"
    values += f" to {max(found.values()):.2f}" if len(found) > 1 else ""
    lines = [
        f"From round to round the ratios have an autocorrelation of {values}; chance reaches {limit:.2f}."
    ]
    above = [name for name, each in found.items() if each > limit]
    if above and results.processes == 1:
        lines.append(
            f"{', '.join(above)}: the rounds depend on one another, and the interval is too narrow."
        )
    return lines


def _scatter(results: Measurements, name: str) -> str:
    between, within = results.scatter(name)
    return f"{name}: medians of processes lie {100 * between:.2g} % apart, rounds of one process {100 * within:.2g} %."
