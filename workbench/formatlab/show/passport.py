"""A model's passport as a table, and its files as a picture: size against SQNR, with the budget as
a box.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from formatlab import loading
from formatlab.measure.card import device_card
from formatlab.measure.saturation import saturates
from formatlab.picture import Picture, drawn
from formatlab.show.grid import Grid, grid
from formatlab.sqnr import sqnr

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOTHING = "There is no passport yet."
COLORS = {"fits": "#256b3a", "misses": "#b3402a", "box": "#e6f4ea"}
HIGHEST = 105
# Above it, a passport says 100: the number depends on the order in which a sum was taken.
HIGHEST_DB = 100.0


def with_native(
    passport: Mapping[str, Any], directory: str | Path, x: np.ndarray, expected: np.ndarray
) -> dict[str, Any]:
    """The passport, and in each ONNX file's entry `native_sqnr_db`: the SQNR of its one output in a
    session on this processor. `native_on` says which machine that is, and whether products of
    8 bits saturate there: the number is true of no other.
    """
    entries = [
        {**entry, "native_sqnr_db": min(HIGHEST_DB, _native(entry, directory, x, expected))}
        if "sqnr_db" in entry
        else entry
        for entry in passport["artefacts"]
    ]
    machine = {"machine": device_card(["onnxruntime"]), "products_saturate": saturates()}
    return {**passport, "artefacts": entries, "native_on": machine}


def _native(
    entry: Mapping[str, Any], directory: str | Path, x: np.ndarray, expected: np.ndarray
) -> float:
    data = (Path(directory) / entry["file"]).read_bytes()
    session = loading.session(data, "ORT_ENABLE_ALL")
    [output] = session.run(None, {session.get_inputs()[0].name: x})
    return sqnr(expected, output)


def table(passport: Mapping[str, Any] | None) -> Grid:
    """One row for each file; without a passport, a line that says so. A passport `with_native`
    has a column more.
    """
    if passport is None:
        return grid(["file"], [[NOTHING]])
    beside = ["SQNR on this processor"] if "native_on" in passport else []
    columns = ["meets the budget", "opsets", "elements", "sha256"]
    return grid(
        ["file", "bytes", "SQNR in dB", *beside, *columns],
        [_row(entry, passport["budget"], bool(beside)) for entry in passport["artefacts"]],
    )


def _row(entry: Mapping[str, Any], budget: Mapping[str, Any], has_native: bool) -> list[Any]:
    is_measured = "sqnr_db" in entry
    elements = ", ".join(f"{dtype} {count}" for dtype, count in entry["elements"].items())
    opsets = ", ".join(
        f"{domain or 'ai.onnx'} {version}"
        for domain, version in entry.get("opset_imports", {}).items()
    )
    keys = ("sqnr_db", "native_sqnr_db") if has_native else ("sqnr_db",)
    decibels = [f"{entry[key]:.1f}" if is_measured else "" for key in keys]
    meets = "" if not is_measured else "yes" if _fits(entry, budget) else "no"
    digest = entry["sha256"][:8] + "…"
    return [entry["file"], entry["bytes"], *decibels, meets, opsets, elements, digest]


def picture(passport: Mapping[str, Any] | None) -> Picture:
    """The ONNX files as points. Those inside the box meet the budget; the chosen one is ringed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2, 3.6), layout="constrained")
    axes = figure.add_subplot()
    if passport is None:
        axes.set_axis_off()
        axes.text(0.5, 0.5, NOTHING, ha="center")
        return drawn(figure, NOTHING)
    budget = passport["budget"]
    entries = [entry for entry in passport["artefacts"] if "sqnr_db" in entry]
    size = budget["bytes"] / 1000
    least = budget["sqnr_db"]
    axes.fill_between([0, size], least, HIGHEST, color=COLORS["box"], label="the budget")
    for entry in entries:
        _point(axes, entry, _fits(entry, budget), entry["file"] == passport["chosen"])
    widest = 1.15 * max(budget["bytes"], *(entry["bytes"] for entry in entries)) / 1000
    axes.set(xlim=(0, widest), ylim=(0, HIGHEST), xlabel="size in kB", ylabel="SQNR in dB")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower right")
    return drawn(figure, _description(passport, entries))


def _point(axes: Axes, entry: Mapping[str, Any], fits: bool, is_chosen: bool) -> None:
    x = entry["bytes"] / 1000
    y = entry["sqnr_db"]
    marker, color = ("o", COLORS["fits"]) if fits else ("x", COLORS["misses"])
    axes.plot(x, y, marker, color=color, markersize=9, markeredgewidth=2.5)
    if is_chosen:
        axes.plot(x, y, "o", color=COLORS["fits"], markersize=17, fillstyle="none")
    axes.annotate(entry["file"], (x, y), (0, -20), textcoords="offset points", ha="center")


def _description(passport: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> str:
    budget = passport["budget"]
    found = "; ".join(
        f"{entry['file']} {entry['bytes'] / 1000:.0f} kB, {entry['sqnr_db']:.0f} dB, {'inside' if _fits(entry, budget) else 'outside'}"
        for entry in entries
    )
    allowed = f"{budget['bytes'] / 1000:.0f} kB and {budget['sqnr_db']:g} dB"
    return f"Size against SQNR, with the budget of {allowed} as a box: {found}. Chosen: {passport['chosen']}."


def _fits(entry: Mapping[str, Any], budget: Mapping[str, Any]) -> bool:
    return entry["bytes"] <= budget["bytes"] and entry["sqnr_db"] >= budget["sqnr_db"]
