"""Answers whose marks are declared, and grading them in this process; docs/write-an-exercise.md
has their format.
"""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import re
import sys
import tempfile
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType, SimpleNamespace

from nbjudge.asking import ask, observed
from nbjudge.contract import Answer, Case, Exercise, Finding, Inspect, View
from nbjudge.course import answers as stored_answers
from nbjudge.course.stored import one as stored_answer
from nbjudge.exercises import get, ids
from nbjudge.findings import Misconception
from nbjudge.grading.published.asked_exercises import in_folder
from nbjudge.grading.store.hashes import of_case
from nbjudge.rungs.ladder import climb
from nbjudge.verdict import Verdict

ROOT = Path(__file__).resolve().parents[1]
EXERCISES, SOLUTIONS = ROOT / "exercises", ROOT / "solutions"
SEED = 20261
# Layers of a pretrained model, on which an answer takes as long as on all other cases together. The
# small cases beside them give every answer the same mark for the same reason, but for those whose
# mistake shows on nothing else.
LARGE = {"int8_dynamic": frozenset({"minilm", "minilm-new-weights"})}
SEEN_ON_LARGE_ALONE = {"int8_dynamic": frozenset({"preprocess_gives_up"})}
_digests: dict[tuple[str, int | None, str], Mapping] = {}
_few: dict[tuple[str, str], Mapping] = {}
_answers: dict[tuple, Answer] = {}
_right: dict[tuple[str, str], Answer] = {}
# What a rung found in an answer that is kept, by the rung's place and the answer's address. Beside
# it the answer, so that no other one gets that address.
_findings: dict[tuple[tuple[str, int], int], tuple[Answer, Finding | None]] = {}


@dataclass(frozen=True)
class Mutant:
    """One stored answer: its functions, the mark that it declares (`rung` is None for a valid
    answer) as a share and by the items that it `loses`, the misconception that it shows.

    `lazy` says in which way it does not do the work at all: `argument`, `constant`, `library`,
    `stub`.
    """

    name: str
    summary: str
    functions: Mapping[str, Callable]
    score: float
    rung: str | None
    message: str
    shows: str = ""
    lazy: str = ""
    loses: frozenset[str] = frozenset()
    problem: str = ""


def exercises_with_mutants() -> list[str]:
    return [name for name in ids() if (EXERCISES / name / "answers").is_dir()]


@cache
def solutions() -> Mapping[str, Path]:
    """The solution notebook of each exercise."""
    found = {folder: in_folder(folder) for folder in sorted(SOLUTIONS.iterdir()) if folder.is_dir()}
    return {
        exercise: folder / f"{name}.ipynb"
        for folder, asked in found.items()
        for exercise, name in asked.items()
    }


def group_of(exercise_id: str) -> str:
    """The group of tests that grade its stored answers, so that one worker grades them once. What
    students see of an answer belongs to a lab, so exercises that share a notebook share the group.
    """
    return f"mutants-{solutions()[exercise_id].stem}"


@cache
def mutants(exercise_id: str) -> list[Mutant]:
    """Every stored answer of an exercise, by name."""
    return [
        _load(path, get(exercise_id))
        for path in sorted((EXERCISES / exercise_id / "answers").glob("*.py"))
    ]


@cache
def reference_functions(exercise_id: str) -> Mapping[str, Callable]:
    """The functions that the solution notebook's cells define; its test cells are not run."""
    exercise = get(exercise_id)
    notebook = json.loads(solutions()[exercise_id].read_text())
    # torch looks globals up in their module.
    module = sys.modules[f"solution_{exercise_id}"] = ModuleType(f"solution_{exercise_id}")
    namespace = vars(module)
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in notebook["cells"]:
            role = cell["metadata"].get("nbgrader", {})
            if cell["cell_type"] == "code" and not (role.get("grade") and not role.get("solution")):
                source, name = "".join(cell["source"]), f"<{exercise_id}/{cell['id']}>"
                # torch.jit.script reads it, as in a kernel.
                linecache.cache[name] = (len(source), None, source.splitlines(True), name)
                exec(compile(source, name, "exec"), namespace)
            if exercise.functions.keys() <= namespace.keys():
                break
    return {name: namespace[name] for name in exercise.functions}


@cache
def hinted_functions(exercise_id: str) -> Mapping[str, Callable]:
    """What a student has who pastes the code of the lab's hints into each function, as it stands,
    among the lab's own cells.
    """
    exercise = get(exercise_id)
    cells = json.loads(solutions()[exercise_id].read_text())["cells"]
    text = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    code = "\n".join(re.findall(r"<details><summary>Hint .*?</details>", text, re.DOTALL))
    body = textwrap.indent("\n".join(re.findall(r"```python\n(.*?)```", code, re.DOTALL)), "    ")
    reference_functions(exercise_id)
    namespace = {
        name: value
        for name, value in vars(sys.modules[f"solution_{exercise_id}"]).items()
        if name not in exercise.functions
    }
    for signature in exercise.functions.values():
        with contextlib.suppress(SyntaxError):  # a hint is nearly code
            exec(f"def {signature.partition(' ->')[0]}:\n{body or '    pass'}", namespace)
    return {name: namespace[name] for name in exercise.functions if name in namespace}


def answers(
    exercise: Exercise, functions: Mapping[str, Callable], cases: list[Case]
) -> dict[str, Answer]:
    found = {}
    for case in cases:
        with tempfile.TemporaryDirectory() as scratch:
            found[case.name] = observed(exercise, functions, case, Path(scratch))
    return found


def right(exercise: Exercise, case: Case) -> Answer:
    """The instructor's answer to a public case as it crosses the wall, asked once in a process."""
    key = exercise.id, of_case(case)
    if key not in _right:
        with tempfile.TemporaryDirectory() as scratch:
            _right[key] = ask(exercise, reference_functions(exercise.id), case, Path(scratch))
    return _right[key]


def cases_of(exercise_id: str, seed: int = SEED, large: bool = True) -> list[Case]:
    """The public cases and the hidden cases of a seed, without the large ones unless `large`."""
    left_out = frozenset() if large else LARGE.get(exercise_id, frozenset())
    return [case for case in _graded_cases(exercise_id, seed) if case.name not in left_out]


@lru_cache(maxsize=4)
def _graded_cases(exercise_id: str, seed: int) -> list[Case]:
    """Made once for all answers of an exercise: to make them can take longer than to grade one
    answer.
    """
    return get(exercise_id).graded_cases(seed)


def references(
    exercise_id: str, seed: int, cases: list[Case] | None = None
) -> Mapping[str, Mapping]:
    """The digests of the reference solution's answers to these cases of a seed, or to all: each is
    computed once in a process.
    """
    exercise = get(exercise_id)
    # A test may have left some out: what is kept is kept case by case.
    cases = _graded_cases(exercise_id, seed) if cases is None else cases
    keys = {case.name: (exercise_id, _seed(case, seed), case.name) for case in cases}
    new = [case for case in cases if keys[case.name] not in _digests]
    given = asked_once(exercise, reference_functions(exercise_id), new, seed)
    for case in new:
        answer = given[case.name]
        assert answer.outcome == "returned", (
            f"the solution of {exercise_id} on case {case.name}: {answer.outcome} {answer.error}"
        )
        _digests[keys[case.name]] = exercise.digest(case, answer)
    return {name: _digests[key] for name, key in keys.items()}


def _seed(case: Case, seed: int) -> int | None:
    """A public case is the same one for every seed."""
    return None if case.public else seed


def grade(
    exercise_id: str, functions: Mapping[str, Callable], seed: int = SEED, large: bool = True
) -> Verdict:
    """The verdict on the public cases and on the hidden cases of `seed`; see `cases_of`."""
    return grade_on(exercise_id, functions, seed, cases_of(exercise_id, seed, large))


def grade_hidden(exercise_id: str, functions: Mapping[str, Callable]) -> Verdict:
    """The verdict on the hidden cases alone: what a student reads of them names no other."""
    hidden = [case for case in cases_of(exercise_id) if not case.public]
    return grade_on(exercise_id, functions, SEED, hidden)


def grade_few(exercise_id: str, functions: Mapping[str, Callable], cases: list[Case]) -> Verdict:
    """The ladder on some cases, of any seed or made by a test. Nothing of the answers is kept; the
    reference is asked once in a process about a case.
    """
    exercise = get(exercise_id)
    given = {case.name: _reference(exercise_id, case) for case in cases}
    return climb(exercise, cases, answers(exercise, functions, cases), given)


def _reference(exercise_id: str, case: Case) -> Mapping:
    key = exercise_id, of_case(case)
    if key not in _few:
        [answer] = answers(get(exercise_id), reference_functions(exercise_id), [case]).values()
        _few[key] = get(exercise_id).digest(case, answer)
    return _few[key]


def grade_on(
    exercise_id: str, functions: Mapping[str, Callable], seed: int, cases: list[Case]
) -> Verdict:
    """The verdict on these cases; `seed` is that of the hidden ones among them."""
    return climb(
        _looking_once(exercise_id),
        cases,
        asked_once(get(exercise_id), functions, cases, seed),
        references(exercise_id, seed, cases),
    )


def grade_refusing(exercise_id: str, refusal: Answer, every: int) -> Verdict:
    """The verdict on the solution if it refuses one in so many cases of each function."""
    exercise, cases = get(exercise_id), cases_of(exercise_id, large=False)
    given = asked_once(exercise, reference_functions(exercise_id), cases)
    for function in {exercise.function_of(case) for case in cases}:
        its = [case.name for case in cases if exercise.function_of(case) == function]
        given |= {name: replace(refusal) for name in its[::every]}
    return climb(_looking_once(exercise_id), cases, given, references(exercise_id, SEED, cases))


@cache
def _looking_once(exercise_id: str) -> SimpleNamespace:
    """The exercise, whose rungs look once in a process at each answer that is kept: all cases, the
    hidden ones and the public ones are graded apart.
    """
    exercise = get(exercise_id)
    rungs = tuple(
        replace(rung, inspect=_once((exercise_id, place), rung.inspect))
        for place, rung in enumerate(exercise.rungs)
    )
    parts = {
        name: getattr(exercise, name)
        for name in ("id", "points", "items", "view", "function_of", "changes")
    }
    return SimpleNamespace(rungs=rungs, **parts)


def _once(rung: tuple[str, int], inspect: Inspect) -> Inspect:
    large = LARGE.get(rung[0], frozenset())

    def look(view: View) -> Finding | None:
        if view.case.name in large:
            return inspect(view)
        key = rung, id(view.answer)
        if key not in _findings:
            _findings[key] = view.answer, inspect(view)
        return _findings[key][1]

    return look


def asked_once(
    exercise: Exercise, functions: Mapping[str, Callable], cases: list[Case], seed: int = SEED
) -> dict[str, Answer]:
    """As `answers`, but functions are asked once about a case of a seed in a process; answers of
    megabytes are not kept, but for the reference's.
    """
    keys = {
        case.name: (
            exercise.id,
            _seed(case, seed),
            case.name,
            hash(tuple(sorted(case.files.items()))),
            *functions.items(),
        )
        for case in cases
    }
    new = _asked(exercise, functions, [case for case in cases if keys[case.name] not in _answers])
    is_reference = functions is reference_functions(exercise.id)
    large = frozenset() if is_reference else LARGE.get(exercise.id, frozenset())
    _answers.update({keys[name]: answer for name, answer in new.items() if name not in large})
    return {case.name: new.get(case.name) or _answers[keys[case.name]] for case in cases}


def _asked(
    exercise: Exercise, functions: Mapping[str, Callable], cases: list[Case]
) -> dict[str, Answer]:
    """As `answers`; what the instructor says to a public case may be known already."""
    if functions is not reference_functions(exercise.id):
        return answers(exercise, functions, cases)
    public = [case for case in cases if case.public]
    known = {case.name: exercise.judge.observe(case, right(exercise, case)) for case in public}
    return known | answers(exercise, functions, [case for case in cases if not case.public])


def forget() -> None:
    """Let go of what is kept of answers and references, but for public cases: two hundred seeds of
    them would fill the memory.
    """
    for kept in (_digests, _answers):
        for key in [key for key in kept if key[1] is not None]:
            del kept[key]
    held = set(map(id, _answers.values()))
    for key in [key for key in _findings if key[1] not in held]:
        del _findings[key]


@cache
def verdict(exercise_id: str, name: str, large: bool = False) -> Verdict:
    """The verdict on a stored answer, graded once in a process. Large cases are left out where they
    change nothing, unless `large`.
    """
    functions = next(mutant.functions for mutant in mutants(exercise_id) if mutant.name == name)
    return grade(
        exercise_id, functions, large=large or name in SEEN_ON_LARGE_ALONE.get(exercise_id, ())
    )


def kill_matrix(exercise_id: str) -> dict[str, dict[str, bool | None]]:
    """For each stored answer, which rungs it passes (True), breaks (False) or never reaches (None)."""
    return {
        mutant.name: {rung.name: rung.passed for rung in verdict(exercise_id, mutant.name).rungs}
        for mutant in mutants(exercise_id)
    }


@cache
def misconceptions(exercise_id: str) -> dict[str, Misconception]:
    """Those that the exercise's own judge declares, by their ids."""
    return stored_answers.misconceptions(exercise_id)


def _load(path: Path, exercise: Exercise) -> Mutant:
    stored = stored_answer(path)
    module = _run(stored.name, stored.source, exercise)
    return Mutant(
        stored.name,
        stored.about,
        {name: getattr(module, name) for name in exercise.functions if hasattr(module, name)},
        stored.share(exercise),
        stored.rung,
        stored.message,
        stored.shows or "",
        stored.lazy or ("stub" if stored.name == "empty" else ""),
        frozenset(stored.lost(exercise)),
        stored.problem(exercise),
    )


def _run(name: str, source: str, exercise: Exercise) -> ModuleType:
    """The module of a stored answer's source, which tools that read sources find as they find a
    cell's.
    """
    module = ModuleType(f"mutant_{exercise.id}_{name}")
    sys.modules[module.__name__] = module
    file = f"<{exercise.id}/{name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), vars(module))
    return module
