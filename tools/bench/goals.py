"""What grading is to reach, beside what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import median

STOCK = "nbgrader"
IDLE = "this engine, nothing to grade"
Row = tuple[str, str, str]


def table(found: dict) -> str:
    lines = ["## Goals, and what was reached\n", "| | goal | measured |", "|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in _rows(found)]
    return "\n".join([*lines, ""])


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
        if one := workloads.get(name):
            most = list(_ours(one))[-1]
            yield (
                f"throughput of {words}, {most}, divided by nbgrader's",
                goal,
                ratio(one, "seconds", most, inverse=True),
            )
    if one := stages.get("day-50"):
        yield (
            "harness, checks and reading, divided by the student's own work, `day-50`",
            "0.3",
            f"{overhead(one):.2f}",
        )
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


def _simulated(rows: list[dict]) -> Iterator[Row]:
    for row in rows:
        if row["submissions"] == max(each["submissions"] for each in rows):
            what = f"coordinator, {row['submissions']} submissions, {row['database']}"
            yield (
                what,
                "50 a second, under 300 MB",
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
    own = sum(each["cells"] + each["cases"] for each in spent)
    return (sum(sum(each.values()) for each in spent) - own + one["coordinator"]) / max(own, 0.01)


def _ours(one: dict) -> dict[str, list[dict]]:
    """Our variants, fewest workers first."""
    return {name: several for name, several in one["runs"].items() if name not in (STOCK, IDLE)}


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
