"""`make bench`: nbgrader as it comes beside this engine, in turn, on the same submissions; and
classes of any size without boxes.

    python -m bench [WORKLOAD…] [--rounds N] [--simulate NUMBER…] [--out FOLDER]

Every figure is that of a whole command: its start, the self-test of the sandbox and the canary
count. References are computed before. Processor seconds are those of the command and all its
children. Each round runs every variant once, in turn.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from dataclasses import asdict, replace
from pathlib import Path

from bench import checks, goals, report, simulate, stages
from bench.timed import Spent, timed
from bench.workloads import ROOT, WORKLOADS, Workload, as_stock, course
from formatlab.measure import device_card

PACKAGES = ("torch", "onnx", "onnxruntime", "nbgrader", "ipykernel")
OUT = ROOT / "docs" / "benchmarks"
SIMULATION = "simulation"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = [*WORKLOADS, SIMULATION]
    parser.add_argument(
        "workloads",
        nargs="*",
        metavar="WORKLOAD",
        help=f"{', '.join(parts)}; all of them by default",
        default=parts,
    )
    parser.add_argument(
        "--rounds",
        type=int,
        help="with 0, only where the time of each notebook goes, and of each check",
    )
    parser.add_argument("--submissions", type=int, help="instead of each workload's own number")
    parser.add_argument(
        "--workers",
        type=int,
        nargs="*",
        default=_workers(),
        help="submissions at once: one, two and all cores by default",
    )
    parser.add_argument(
        "--simulate",
        type=int,
        nargs="+",
        default=[100, 300, 1000, 10_000],
        help="sizes of simulated classes",
    )
    parser.add_argument(
        "--databases",
        nargs="+",
        choices=simulate.DATABASES,
        default=simulate.DATABASES,
        help="of the simulated classes",
    )
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "results.json"
    found = json.loads(path.read_text()) if path.is_file() else {}
    for name in [each for each in options.workloads if each != SIMULATION]:
        found["device"] = device_card(PACKAGES)
        if WORKLOADS[name].has_exercises:
            found.setdefault("stages", {})[name] = spent = stages.of_workload(WORKLOADS[name])
            print(report.stages(name, spent), flush=True)
            print(f"{name}: check in a kernel of its own for each notebook", flush=True)
            found.setdefault("checks", {}).update(checks.of_assignment(WORKLOADS[name].assignment))
        if options.rounds != 0:
            found.setdefault("workloads", {})[name] = measured(WORKLOADS[name], options)
        path.write_text(json.dumps(found, indent=1) + "\n")
    if SIMULATION in options.workloads:
        device = device_card(PACKAGES)
        if found.get("simulated_on") != device:  # rows of another machine are no comparison
            found |= {"simulated_on": device, "simulation": []}
        found.pop("simulation_note", None)  # it was about the last run
        for row in simulate.rows(options.simulate, options.databases):
            found["simulation"] = simulate.together(found["simulation"], row)
            path.write_text(json.dumps(found, indent=1) + "\n")
    report.write(found, options.out)


def measured(workload: Workload, options: argparse.Namespace) -> dict:
    """Rounds of every variant; the marks that each gave."""
    workload, rounds = (
        replace(workload, submissions=options.submissions or workload.submissions),
        options.rounds or workload.rounds,
    )
    with tempfile.TemporaryDirectory() as folder:
        made = course(workload, Path(folder) / "ours")
        stock = as_stock(made, Path(folder) / "stock") if workload.both else None
        workers = [jobs for jobs in options.workers if jobs <= workload.submissions]
        variants = {f"this engine, {jobs} at once": _ours(workload, made, jobs) for jobs in workers}
        words, where = next(iter(variants.values()))
        variants[goals.IDLE] = ([word for word in words if word != "--force"], where)
        if stock is not None:
            variants["nbgrader"] = (
                [sys.executable, "-m", "nbgrader", "autograde", workload.assignment, "--force"],
                stock,
            )
        # This run leaves the references in the cache.
        timed(
            [*words, "--student", "student-001" if workload.submissions > 1 else "student-000"],
            where,
        )
        load = os.getloadavg()[0]
        runs: dict[str, list[Spent]] = {name: [] for name in variants}
        for number in range(rounds):
            for name, variant in variants.items():
                print(f"{workload.name}, round {number + 1} of {rounds}: {name}", flush=True)
                runs[name].append(timed(*variant))
        marks = {name: _marks(where) for name, (_, where) in variants.items()}
    return {
        "assignment": workload.assignment,
        "submissions": workload.submissions,
        "load_before": round(load, 1),
        "runs": {name: [asdict(spent) for spent in several] for name, several in runs.items()},
        "same_marks": len({json.dumps(each, sort_keys=True) for each in marks.values()}) == 1,
        "marks": next(iter(marks.values())),
    }


def _ours(workload: Workload, made, jobs: int) -> tuple[list[str], Path]:
    budget = (
        "cell=5,case=5,notebook=60,submission=600" if workload.name == "hostile" else "cell=120"
    )
    words = [
        "grade",
        workload.assignment,
        "--course",
        str(made.root),
        "--force",
        "--seed",
        "50",
        "--jobs",
        str(jobs),
        "--budget",
        budget,
    ]
    return [sys.executable, "-c", "from nbjudge.cli import main; main()", *words], made.root


def _workers() -> list[int]:
    most = len(os.sched_getaffinity(0))
    return sorted({1, 2, most} if most > 1 else {1})


def _marks(folder: Path) -> dict[str, float]:
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        return {
            each.student.id: each.score
            for name in book.assignments
            for each in book.assignment_submissions(name.name)
        }


if __name__ == "__main__":
    main()
