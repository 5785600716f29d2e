"""The results as a page and a picture."""

from __future__ import annotations

from pathlib import Path
from statistics import median

from bench import goals, plots

STAGES = (
    "Processor seconds of one perfect submission: the student's `cells` and the calls of its functions for the `cases`; the rest of the "
    "runner's box (`harness`), the `checks`, and the `reading` of notebooks."
)
CHECKS = """## A check in JupyterLab

Seconds of the first call of `check` in a fresh kernel, with the instructor's solution: those of its functions (`own`), and those beyond them,
in which the cases are made and the answers are judged (`first`). `again` is the median of three more calls, beyond the functions.
"""
HEAD = """# How fast grading is

`make bench` wrote this page from [results.json](results.json). Each figure is the median of whole commands that ran in turn on one machine,
with the smallest and the largest in brackets. Compare the figures with one another, not with those of another machine.

A command has a cost of its own, however small the class: its start, the self-test of the sandbox, and the canary. The canary is two
notebooks that go the whole way before a student's notebook does. The row `nothing to grade` is the same command once more, when nothing has
changed: it starts no box, so it needs neither the self-test nor the canary.

The coordinator's figures, in the table and in the section on classes of any size, are of before nbgrader's API wrote the gradebook. Today's
way has not been measured yet.
"""


def write(found: dict, folder: Path) -> None:
    (folder / "index.md").write_text(page(found))
    if found.get("workloads"):
        plots.cpu(found["workloads"], folder / "cpu.svg")
    if found.get("simulation"):
        plots.simulation(found["simulation"], folder / "simulation.svg")


def page(found: dict) -> str:
    parts = [HEAD]
    if found.get("workloads"):
        parts += [
            f"Measured on: {found['device']}\n",
            f"![{plots.cpu_in_words(found['workloads'])}](cpu.svg)\n",
            goals.table(found),
        ]
    parts += [_workload(name, one) for name, one in found.get("workloads", {}).items()]
    parts += [
        f"## Where the time of {name} goes\n\n{STAGES}\n\n{stages(name, one)}\n"
        for name, one in found.get("stages", {}).items()
    ]
    if found.get("checks"):
        parts.append(_checks(found["checks"]))
    if found.get("simulation"):
        parts.append(
            _simulation(found["simulation"], found["simulated_on"], found.get("simulation_note"))
        )
    return "\n".join(parts)


def stages(name: str, one: dict) -> str:
    """A table of processor seconds by notebook."""
    kinds = list(next(iter(one["notebooks"].values())))
    total = {kind: sum(spent[kind] for spent in one["notebooks"].values()) for kind in kinds}
    lines = [f"| {name} | {' | '.join(kinds)} |", "|---" * (len(kinds) + 1) + "|"]
    rows = {**one["notebooks"], "together": total}
    lines += [
        f"| {notebook} | {' | '.join(f'{spent[kind]:.2f}' for kind in kinds)} |"
        for notebook, spent in rows.items()
    ]
    lines += [
        "",
        f"The coordinator used {one['coordinator']:.2f} s.",
        f"Everything but the student's own work, divided by that work: {goals.overhead(one):.2f}.",
    ]
    return "\n".join(lines)


def _checks(found: dict[str, dict[str, float]]) -> str:
    lines = [CHECKS, "| exercise | own | first | again |", "|---|---|---|---|"]
    for exercise, one in found.items():
        told = " | ".join(f"{one[kind]:.2f}" for kind in ("own", "first", "again"))
        lines.append(f"| {exercise} | {told} |")
    return "\n".join([*lines, ""])


def _workload(name: str, one: dict) -> str:
    number, runs = one["submissions"], one["runs"]
    lines = [f"## {name}: {number} submission{'s' * (number != 1)} of `{one['assignment']}`\n"]
    lines += [
        "| engine | seconds | processor seconds | processor seconds a submission | memory, MB |",
        "|---|---|---|---|---|",
    ]
    for variant, several in sorted(runs.items(), key=lambda row: row[0] == goals.IDLE):
        cells = [_spread([run[key] for run in several]) for key in ("seconds", "cpu_seconds")]
        each = (
            ""
            if variant == goals.IDLE
            else f"{median(run['cpu_seconds'] for run in several) / number:.1f}"
        )
        lines.append(
            f"| {variant} | {cells[0]} | {cells[1]} | {each} | {max(run['peak_mb'] for run in several):.0f} |"
        )
    lines.append("")
    if goals.STOCK in runs:
        ratio = goals.ratio(one, "cpu_seconds", goals.fewest(one))
        same = "the same" if one["same_marks"] else "not the same"
        lines += [
            f"Processor seconds of this engine divided by nbgrader's, round by round: {ratio}.",
            f"The marks of all runs are {same}.",
        ]
    return "\n".join(
        [*lines, f"Load average of the machine before the runs: {one['load_before']}.\n"]
    )


def _spread(values: list[float]) -> str:
    return f"{median(values):.1f} [{min(values):.1f}, {max(values):.1f}]"


def _simulation(rows: list[dict], device: str, note: str | None) -> str:
    lines = ["## A class of any size, without boxes\n", f"Measured on: {device}\n"]
    lines += [
        "The real coordinator, journal and gradebook take made-up results, as fast as they can. Everybody's answers, outputs and marks are",
        "others, and one in ten is late. The time in the database and in the journal includes waiting for the disk, and for a processor that",
        "other programs use. Two tests in three fail and say why, so the table at the end is longer than that of a real class. `again` is the",
        "same command with nothing changed, without the table.\n",
    ]
    lines += [
        "![Throughput, memory and time in the database against the number of submissions](simulation.svg)\n"
    ]
    lines += [
        "| submissions | database | a second | in the second half | processor, ms each | in the database, ms each "
        "| in the journal, ms each | table and JSON, ms each | memory, MB | again: s | load before |"
    ]
    lines += ["|---|---|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        first, number = row["first"], row["submissions"]
        told = (
            number,
            row["database"],
            f"{first['per_second']:.1f}",
            f"{first['per_second_in_the_second_half']:.1f}",
        )
        rest = (
            f"{1000 * first['cpu_seconds'] / number:.1f}",
            f"{1000 * first['database_seconds'] / number:.1f}",
            f"{1000 * first['journal_seconds'] / number:.1f}",
            f"{1000 * first['report_seconds'] / number:.1f}",
            f"{first['peak_mb']:.0f}",
            f"{row['again']['seconds']:.1f}",
            f"{row['load_before']:.1f}" if "load_before" in row else "",
        )
        lines.append(f"| {' | '.join(map(str, (*told, *rest)))} |")
    return "\n".join([*lines, "", *([note, ""] if note else [])])
