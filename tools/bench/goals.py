"""What grading is to reach, beside what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import median

STOCK = "nbgrader"
IDLE = "this engine, nothing to grade"
MOST = 4  # seconds that an exercise may take
EXPORTING = frozenset({"control_flow", "export", "mend_export"})  # whose functions run an exporter
Row = tuple[str, str, str]


def table(found: dict) -> str:
    lines = ["## Goals, and what was reached\n", "| | goal | measured |", "|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in _rows(found)]
    return "\n".join([*lines, "", *_where(found)])


def _where(found: dict) -> Iterator[str]:
    """Where the time goes that the goals leave no room for."""
    one, stages = found["workloads"].get("day-50"), found.get("stages", {}).get("day-50")
    if not one or not stages or STOCK not in one["runs"]:
        return
    spent = list(stages["notebooks"].values())
    total = {kind: sum(each[kind] for each in spent) for kind in spent[0]}
    own = total["cells"] + total["cases"]
    stock = median(run["cpu_seconds"] for run in one["runs"][STOCK]) / one["submissions"]
    yield (
        f"For one `day-50` submission nbgrader takes {stock:.1f} processor seconds. Here the student's own work takes {own:.1f}: with nothing "
        f"beside it, the quotient would be {own / stock:.2f}. The harness, {len(spent)} kernels and their box, takes {total['harness']:.1f}, "
        f"the checks of all hidden cases take {total['checks']:.1f}, and the coordinator {stages['coordinator']:.1f}. The rest of a command is "
        "its start, the self-test and the canary. The tables below show it by notebook.\n"
    )


def _rows(found: dict) -> Iterator[Row]:
    workloads, stages = found["workloads"], found.get("stages", {})
    if one := workloads.get("day-50"):
        yield (
            "processor time of a `day-50` submission, divided by nbgrader's",
            "0.35",
            ratio(one, "cpu_seconds", fewest(one)),
        )
    for name, words, goal in (
        ("day-50", "`day-50`", "3.5"),
        ("trivial", "trivial notebooks", "8 on four cores"),
    ):
        if name in workloads:
            *_, most = _ours(workloads[name])
            yield (
                f"throughput of {words}, {most.rpartition(', ')[2]}, divided by nbgrader's",
                goal,
                ratio(workloads[name], "seconds", most, inverse=True),
            )
    if one := stages.get("day-50"):
        yield (
            "harness, checks and reading, divided by the student's own work, `day-50`",
            "0.1",
            f"{overhead(one):.2f}",
        )
    for name, one in stages.items():
        above = {each: spent for each in one["notebooks"] if (spent := _own(one, each)) > MOST}
        most = sorted(above, key=above.get, reverse=True)
        yield (
            f"cells and cases of an exercise, processor time, `{name}`",
            f"at most {MOST} s",
            ", ".join(f"{each} {above[each]:.1f} s" for each in most) or f"all below {MOST} s",
        )
    yield from _checked(found.get("checks", {}))
    for name, one in workloads.items():
        if len(_ours(one)) > 1:
            yield f"efficiency from one worker to all cores, `{name}`", "0.9", _efficiency(one)
    yield from _simulated(found.get("simulation", []))
    same = [name for name, one in workloads.items() if not one["same_marks"]]
    yield (
        "marks of all variants",
        "the same",
        f"not the same: {', '.join(same)}" if same else "the same",
    )


def _checked(found: dict[str, dict]) -> Iterator[Row]:
    """What a student waits for, in the first call of `check` in a fresh kernel."""
    beyond = {exercise: one["first"] for exercise, one in found.items()}
    whole = {name: one["own"] + one["first"] for name, one in found.items() if name in EXPORTING}
    told = "a first `check` in JupyterLab"
    for what, seconds, goal in (
        (f"{told}, beyond the student's own functions", beyond, 1),
        (f"{told}, whole, of the two that export", whole, 3),
    ):
        if seconds:
            most = max(seconds, key=seconds.get)
            yield what, f"at most {goal} s", f"at most {seconds[most]:.2f} s ({most})"


def _simulated(rows: list[dict]) -> Iterator[Row]:
    for row in rows:
        if row["submissions"] == max(each["submissions"] for each in rows):
            what = f"coordinator, {row['submissions']} submissions, {row['database']}"
            yield (
                what,
                "2 a second, under 500 MB",
                f"{row['first']['per_second']:.0f} a second, {row['first']['peak_mb']:.0f} MB",
            )
        if row["submissions"] == 300:
            yield (
                f"300 submissions again with nothing changed, {row['database']}",
                "3 s",
                f"{row['again']['seconds']:.1f} s",
            )


def overhead(one: dict) -> float:
    """All that is not the student's own work, divided by that work."""
    spent = one["notebooks"].values()
    own = sum(_own(one, each) for each in one["notebooks"])
    return (sum(sum(each.values()) for each in spent) - own + one["coordinator"]) / max(own, 0.01)


def _own(one: dict, notebook: str) -> float:
    """The student's own work in a notebook."""
    spent = one["notebooks"][notebook]
    return spent["cells"] + spent["cases"]


def _ours(one: dict) -> dict[str, list[dict]]:
    """Our variants, fewest workers first."""
    return {name: runs for name, runs in one["runs"].items() if name not in (STOCK, IDLE)}


def fewest(one: dict) -> str:
    return next(iter(_ours(one)))


def ratio(one: dict, key: str, variant: str, inverse: bool = False) -> str:
    pairs = zip(one["runs"][variant], one["runs"][STOCK], strict=True)
    return _spread((b[key] / a[key] if inverse else a[key] / b[key]) for a, b in pairs)


def _efficiency(one: dict) -> str:
    """The speed of the most workers divided by that of one, for each of them."""
    first, *_, last = _ours(one).items()
    cores = int(last[0].split(", ")[1].split()[0])
    return _spread(
        a["seconds"] / b["seconds"] / cores for a, b in zip(first[1], last[1], strict=True)
    )


def _spread(values: Iterable[float]) -> str:
    values = list(values)
    return f"{median(values):.2f} [{min(values):.2f}, {max(values):.2f}]"
