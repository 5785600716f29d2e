"""The rehearsal of plain tests: before students get a notebook, its instructor's own solution and
its stub are run in boxes as theirs will be, with the hidden tests, and marked by the same rules.

Refused:
1. A test that does not give the solution all of its points: no student could earn more.
2. A test that gives the solution other points when it is run once more: chance, or the clock, would
   decide.

Said, and released all the same:
3. A test that gives points to the stub, which nobody has touched.
4. A cell of the solution that does not run through, although every point is earned; one that is
   tagged `raises-exception` is meant to.
5. Outputs of an answer that a person marks which are kept in part, or which are neither text nor a
   PNG: whoever marks it does not see them.
6. A solution that takes a good part of the time that a notebook has.

What passed is kept on a shelf by all that it depends on, so that publishing does not run it again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from nbjudge import boxes, exercises, plain_text
from nbjudge.course.fitness import cell_at
from nbjudge.course.generating import ReleaseError, read_notebooks, with_autotests
from nbjudge.course.release_settings import regions
from nbjudge.grading.config.budget import Budget
from nbjudge.grading.document.cells import (
    Notebook,
    grade_id,
    is_code,
    is_marked_by_hand,
    is_solution,
    is_test,
    known_metadata,
)
from nbjudge.grading.execution.progress import CellRun, NotebookRun
from nbjudge.grading.execution.runner import TooLong, run_notebook
from nbjudge.grading.execution.sandboxes import Sandboxes, imports
from nbjudge.grading.faults.faults import Fault
from nbjudge.grading.marks import plain_tests
from nbjudge.grading.marks.error_lines import failing_line
from nbjudge.grading.published.asked_exercises import behind, in_notebook
from nbjudge.grading.store import cache, fingerprints
from nbjudge.grading.store.hashes import digest

# So much of a notebook's time may the solution take before a line is said about it.
LARGE_SHARE = 0.25
_SHOWN = 3
_RAISES = "raises-exception"
# How IPython shows in words what it would draw, or let a browser draw.
_NO_TEXT = re.compile(r"<[\w.]+( object| size|:).*>|Figure\(\{.*", re.DOTALL)
_NO_NETWORK = re.compile(
    "urlopen error|Name or service not known|Temporary failure in name resolution|Network is unreachable|"
    "Max retries exceeded|Connection refused|Failed to resolve"
)


class NotRehearsed(RuntimeError):
    """A solution could not be run on this machine, through no fault of its own. The text says why."""


@dataclass(frozen=True, kw_only=True)
class Lab:
    """A notebook that is rehearsed: where its author wrote it, what runs of the solution and of the
    stub, with all their tests, and the files that lie beside it.
    """

    where: str
    solution: Notebook
    stub: Notebook
    files: Mapping[str, bytes]

    @property
    def exercises(self) -> list[str]:
        return in_notebook(self.stub)

    @property
    def tests(self) -> list[tuple[int, Mapping, float]]:
        """The plain tests: their places, their cells, and their points."""
        own = {exercises.get(each).grade_id for each in self.exercises}
        return [
            (place, cell, float(known_metadata(cell)["points"]))
            for place, cell in enumerate(self.solution["cells"])
            if is_code(cell) and is_test(cell) and grade_id(cell) not in own
        ]

    @property
    def by_hand(self) -> list[tuple[int, Mapping]]:
        """The code cells that a person marks, with their places; none behind the test of an
        exercise, because nothing is kept of these.
        """
        return [
            (place, cell)
            for place, cell in enumerate(self.solution["cells"])
            if is_code(cell) and is_marked_by_hand(cell) and place not in behind(self.solution)
        ]


def rehearse(
    solutions: Path, assignment: str, released: Path, budget: Budget | None = None
) -> Iterator[tuple[Lab, list[str]]]:
    """The notebooks of an assignment that have plain tests, or code that a person marks, each with
    the remarks on it, when it is done. `released` is the folder that students get.

    Raises ReleaseError for a notebook that is not fit, and NotRehearsed where there are no boxes.
    """
    budget = budget or Budget()
    with Sandboxes() as sandboxes:
        for lab in _labs(solutions, assignment, released):
            make = partial(_remarks_as_entry, lab, budget, sandboxes)
            made = cache.memo("rehearsal", _depends_on(lab, budget), make)
            yield lab, json.loads(made["remarks"])


def _labs(solutions: Path, assignment: str, released: Path) -> list[Lab]:
    authored = with_autotests(solutions, assignment)
    hidden = _hidden_tests(solutions)
    files = files_in(released)
    labs = []
    for name, notebook in read_notebooks(released).items():
        own = _sources(authored[name], hidden)
        tests = plain_tests.sources(authored[name], own.keys())
        lab = Lab(
            where=f"{solutions.name}/{assignment}/{name}.ipynb",
            solution=plain_tests.with_tests(notebook, own),
            stub=plain_tests.with_tests(notebook, tests),
            files=files,
        )
        if lab.tests or lab.by_hand:
            labs.append(lab)
    return labs


def files_in(folder: Path) -> dict[str, bytes]:
    """What is handed out beside the notebooks, by its path in their folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".ipynb"
    }


def _hidden_tests(solutions: Path) -> re.Pattern[str]:
    """A region of hidden tests, as the settings of the release have it."""
    region = next(one for one in regions(solutions) if one.kind == "HIDDEN TESTS")
    begin, end = map(re.escape, (region.begin, region.end))
    return re.compile(rf"^.*{begin}.*\n(?:.*\n)*?.*{end}.*$\n?", re.MULTILINE)


def _sources(authored: Notebook, hidden: re.Pattern[str]) -> dict[str, str]:
    """By grade_id, what the author wrote into each of nbgrader's code cells; without the `hidden`
    tests in an answer, which students have not.
    """
    return {
        name: hidden.sub("", cell["source"]) if is_solution(cell) else cell["source"]
        for cell in authored["cells"]
        if is_code(cell) and (name := grade_id(cell))
    }


def _depends_on(lab: Lab, budget: Budget) -> dict[str, str]:
    files = {name: hashlib.sha256(data).hexdigest() for name, data in lab.files.items()}
    return {
        "where": lab.where,
        "notebooks": json.dumps([lab.solution, lab.stub], sort_keys=True),
        "files": json.dumps(files, sort_keys=True),
        "asking": digest([fingerprints.of_asking(each) for each in lab.exercises]),
        "budget": repr(budget),
        "harness": fingerprints.of_harness(),
        "environment": fingerprints.of_environment(),
    }


def _remarks_as_entry(lab: Lab, budget: Budget, sandboxes: Sandboxes) -> dict[str, bytes]:
    return {"remarks": json.dumps(_rehearsed(lab, budget, sandboxes)).encode()}


def _rehearsed(lab: Lab, budget: Budget, sandboxes: Sandboxes) -> list[str]:
    """The remarks on a lab that is fit. Raises ReleaseError, NotRehearsed."""

    def run(notebook: Notebook) -> NotebookRun:
        cases = {each: exercises.get(each).public_cases() for each in lab.exercises}
        files = {} if cases else lab.files
        return run_notebook(
            notebook,
            cases,
            budget=budget,
            files=files,
            start=sandboxes.run,
            imports=imports(notebook),
        )

    try:
        solution = run(lab.solution)
        is_stopped = any(cell.status == "timeout" for cell in solution.cells.values())
        again = solution if is_stopped else run(lab.solution)
        if lost := list(_lost(lab, solution, again, budget)):
            more = f"; and {len(lost) - _SHOWN} more tests of this notebook"
            raise ReleaseError("; ".join(lost[:_SHOWN]) + more * (len(lost) > _SHOWN))
        return list(_remarks(lab, solution, run(lab.stub), budget))
    except (Fault, boxes.SandboxUnavailable) as error:
        raise NotRehearsed(str(error)) from None
    except TooLong as error:
        raise ReleaseError(f"{lab.where}: {error}") from None


# Rules 1 and 2


def _lost(lab: Lab, solution: NotebookRun, again: NotebookRun, budget: Budget) -> Iterator[str]:
    """A sentence for each test that does not give the solution all of its points, in both runs."""
    for place, cell, points in lab.tests:
        first, second = (
            plain_tests.grade_cell(_at(run, place), points) for run in (solution, again)
        )
        at = cell_at(lab.where, place, cell)
        if first.score == second.score == points:
            continue
        if first.score != second.score:
            yield (
                f"{at} gives your own solution {first.score:g} of {points:g} points, and {second.score:g} when it is run once more: "
                "chance, the clock or an order that is not fixed decides, so set a seed, or compare what does not depend on it"
            )
            continue
        yield (
            f"{at} gives your own solution {first.score:g} of {points:g} points, so no student can earn more: "
            f"{_why(lab, solution, place, points, budget)}"
        )


def _at(run: NotebookRun, place: int) -> CellRun:
    return run.cells.get(place, CellRun("not_run"))


def _why(lab: Lab, run: NotebookRun, place: int, points: float, budget: Budget) -> str:
    """Why a test gives the solution less than its points, and what to do about it."""
    ran = _at(run, place)
    if ran.status == "ok" and not _error(ran):
        return _why_result(ran, points)
    broken = next((other for other in sorted(run.cells) if _is_broken(run.cells[other])), place)
    first = run.cells.get(broken, ran)
    if broken >= place:
        return f"the test {_ended(ran, budget)}; {_remedy(lab, ran)}"
    earlier = cell_at("", broken, lab.solution["cells"][broken]).removeprefix(", ")
    return f"the test {_ended(ran, budget)}; before it, {earlier} {_ended(first, budget)}; {_remedy(lab, first)}"


def _why_result(ran: CellRun, points: float) -> str:
    """Why a test that ran through earns less: the number that its last line gave."""
    if ran.incomplete:
        return "its output is so large that a part was lost; print less"
    return (
        f"its last line gives {_result(ran)}, and a number there is what a test earns, from 0 to {points:g}; "
        "let the solution reach all points, or give the number a name if it is not meant as points"
    )


def _result(ran: CellRun) -> str:
    texts = (
        output["data"].get("text/plain", "")
        for output in ran.outputs
        if output["output_type"] == "execute_result"
    )
    return plain_text.line(next(texts, "no number"), 40)


def _error(ran: CellRun) -> Mapping | None:
    return next((output for output in ran.outputs if output["output_type"] == "error"), None)


def _is_broken(ran: CellRun) -> bool:
    return ran.status != "ok" or _error(ran) is not None


def _ended(ran: CellRun, budget: Budget) -> str:
    """How a cell ended that did not run through."""
    if ran.status == "timeout":
        return f"was stopped, because its {budget.cell:g} seconds were over"
    if ran.status == "died":
        return "ended its kernel"
    if ran.status == "not_run" or not (error := _error(ran)):
        return f"did not run within the {budget.notebook:g} seconds that a notebook has"
    said = plain_text.line(": ".join(filter(None, (error["ename"], error["evalue"]))), 300)
    line = failing_line(error)
    return f"ends with {said}" + (f", in the line `{line}`" if line else "")


def _remedy(lab: Lab, ran: CellRun) -> str:
    """What an instructor can do about a cell of the solution that did not run through."""
    folder = lab.where.rpartition("/")[0]
    if ran.status == "timeout" or ran.status == "not_run":
        return "let it do less, or allow more with --budget (for grading, with `c.CourseBudget` in nbgrader_config.py)"
    error = _error(ran) or {"ename": "", "evalue": ""}
    if ran.status == "died" or error["ename"] == "MemoryError":
        return f"a box allows {boxes.limits_for_runner().memory_bytes >> 30} GiB of memory a process: let it need less, and end no process"
    if _NO_NETWORK.search(error["evalue"]) or error["ename"] in ("gaierror", "URLError"):
        return f"boxes have no network: put what it loads into {folder} and read it from there"
    if error["ename"] in ("FileNotFoundError", "NotADirectoryError"):
        return (
            f"a notebook finds the files that are released with it, below its own folder, and none that another notebook wrote: "
            f"put the file into {folder}, and name it by its path from there"
        )
    if error["ename"] in ("ModuleNotFoundError", "ImportError"):
        return (
            f"put the module into {folder}, or install the package in the environment that grades"
        )
    if error["ename"] == "StdinNotImplementedError":
        return "nobody answers input() while a notebook is graded: take the value from a variable"
    return "a notebook is run once, from top to bottom, in a fresh kernel: mend the test or the solution"


# Rules 3 to 6


def _remarks(lab: Lab, solution: NotebookRun, stub: NotebookRun, budget: Budget) -> Iterator[str]:
    for place, cell, points in lab.tests:
        earned = plain_tests.grade_cell(_at(stub, place), points).score
        if earned:
            yield (
                f"{cell_at(lab.where, place, cell)} gives {earned:g} of {points:g} points to the stub, so whoever hands in an untouched "
                "notebook earns them: let the test ask for something that the stub does not do, unless you mean it"
            )
    yield from _broken(lab, solution, budget)
    for place, cell in lab.by_hand:
        yield from _unseen(cell_at(lab.where, place, cell), _at(solution, place))
    if solution.seconds > LARGE_SHARE * budget.notebook:
        yield (
            f"{lab.where}: your own solution takes {solution.seconds:.0f} of the {budget.notebook:g} seconds that a notebook has, and "
            "students' code may be slower: let it do less, or allow more with `c.CourseBudget.notebook` in nbgrader_config.py"
        )


def _broken(lab: Lab, run: NotebookRun, budget: Budget) -> Iterator[str]:
    cells = lab.solution["cells"]
    for place in sorted(run.cells):
        is_meant = _RAISES in cells[place]["metadata"].get("tags", ())
        if _is_broken(run.cells[place]) and not is_meant:
            yield (
                f"{cell_at(lab.where, place, cells[place])} of your own solution {_ended(run.cells[place], budget)}, which costs no automatic "
                f"point; {_remedy(lab, run.cells[place])} (tag it {_RAISES} if that is meant)"
            )


def _unseen(at: str, ran: CellRun) -> Iterator[str]:
    """What whoever marks an answer would not see of it."""
    if ran.truncated:
        yield f"{at}: your own solution shows more than is kept of a cell, so whoever marks it sees only the beginning: show less"
    for each in (output["data"] for output in ran.outputs if "data" in output):
        if "image/png" not in each and _NO_TEXT.fullmatch(each.get("text/plain", "").strip()):
            yield (
                f"{at}: of what your own solution shows, {plain_text.line(each['text/plain'], 60)!r} is neither text nor a PNG, so whoever "
                "marks it sees no more than that: draw it as a still picture, as matplotlib does by default"
            )
            return
