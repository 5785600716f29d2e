"""The pictures of the page."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot

from bench.goals import IDLE

# Names inside the picture follow from what it shows: the same figures are the same file.
matplotlib.rcParams["svg.hashsalt"] = "benchmarks"
OURS, OTHER = "#00598c", "#b35900"
SIMULATED = (
    ("submissions a second", lambda row: row["first"]["per_second"]),
    ("memory at its peak, MB", lambda row: row["first"]["peak_mb"]),
    (
        "in the database, ms a submission",
        lambda row: 1000 * row["first"]["database_seconds"] / row["submissions"],
    ),
)


def cpu_rows(workloads: dict) -> list[tuple[str, float]]:
    """Processor seconds of a submission, by workload and engine."""
    return [
        (f"{name}: {variant}", median(run["cpu_seconds"] for run in several) / one["submissions"])
        for name, one in workloads.items()
        for variant, several in one["runs"].items()
        if variant != IDLE
    ]


def cpu_in_words(workloads: dict) -> str:
    rows = "; ".join(f"{name} {seconds:.1f}" for name, seconds in cpu_rows(workloads))
    return f"Bars of processor seconds a submission. {rows}."


def cpu(workloads: dict, path: Path) -> None:
    rows = cpu_rows(workloads)
    figure, axes = pyplot.subplots(
        figsize=(5, 0.4 * len(rows) + 1)
    )  # its words can be read on a phone
    names, values = zip(*reversed(rows), strict=True)
    bars = axes.barh(names, values, color=[OTHER if "nbgrader" in name else OURS for name in names])
    axes.bar_label(bars, fmt="%.1f", padding=3)
    axes.set_xlabel("processor seconds a submission")
    axes.set_title("What a submission costs", loc="left")
    _write(figure, [axes], path)


def simulation(rows: list[dict], path: Path) -> None:
    """One panel for each quantity, from zero; one line for each database."""
    figure, panels = pyplot.subplots(1, len(SIMULATED), figsize=(10, 3))
    for axes, (title, value) in zip(panels, SIMULATED, strict=True):
        for database, colour in (("sqlite", OURS), ("postgresql", OTHER)):
            own = sorted(
                (row["submissions"], value(row)) for row in rows if row["database"] == database
            )
            if own:
                axes.plot(
                    *zip(*own, strict=True), "o-", color=colour, label=database, clip_on=False
                )
        axes.set_xscale("log")
        axes.set_ylim(0)
        axes.set_xlabel("submissions")
        axes.set_title(title, loc="left", fontsize=10)
    panels[0].legend(frameon=False, loc="lower left")
    _write(figure, panels, path)


def _write(figure, panels, path: Path) -> None:
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
