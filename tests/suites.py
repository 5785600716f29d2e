"""Which tests `make test` leaves to `make test-all`: whole modules here, single tests by the mark
`slow`. The choice depends on the tree alone, so a tree is always tried with the same tests.

1. `ONLY_IN_ALL` lists modules and folders, each with the reason why a change seldom breaks them
   alone. `make test` does not even import them.
2. What belongs to a single exercise runs where that exercise changed since all its tests were last
   green: its own test module, its lab (test_solutions.py), what its adapter shows a curious
   function (test_telltales.py), and the stored answers of the exercises that export with torch.
   tests/last_whole_run.json holds what each exercise was then; an exercise that is not in it runs.

`python -m tests.suites` writes that file; `make test-all` calls it after its last test.
`python -m tests.suites dropout` runs all tests of the named exercises, the slow ones too, and then
writes their lines.
"""

import hashlib
import json
import re
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "tests" / "last_whole_run.json"
# By path below tests/; a folder stands for everything in it.
ONLY_IN_ALL = {
    "site": "builds the site, and most of it needs a browser",
    "test_lab_browser.py": "needs a browser",
    "test_instructors_day.py": "needs a browser",
    "hostile/test_in_a_browser.py": "needs a browser",
    "grading/test_postgres.py": "needs PostgreSQL",
    "grading/test_cluster.py": "starts Dask clusters",
    "grading/test_machines.py": "starts Dask clusters",
    "grading/test_stages.py": "what `make bench` measures",
    "grading/test_hub.py": "starts a JupyterHub",
    "grading/test_nbgrader_conformance.py": "nbgrader's own tests",
    "grading/test_adopt.py": "nbgrader's own commands, before and after",
    "grading/test_adopted_walls.py": "nbgrader's own commands, in an adopted course",
    "grading/test_elsewhere.py": "nbgrader's own commands, in other folders than an adopted course's",
    "grading/test_defend.py": "asks about stored answers, in real boxes",
    "test_defend_alone.py": "asks about stored answers, each in processes of its own",
    "grading/test_likeness.py": "grades two classes more",
    "grading/test_served.py": "each way to cheat a case's server, in real boxes",
    "grading/test_untouched.py": "beside test_class.py with the same class",
    "grading/test_demo.py": "the demo, beside test_class.py with the same class",
    "grading/test_rehearsal.py": "runs a solution in boxes for each way to be unfit",
    "grading/test_watching.py": "grades a class again for each way to stop a watcher",
    "grading/test_returning.py": "grades classes again for each way back",
    "grading/test_settled.py": "grades classes again for each mark by hand",
    "grading/test_same_marks.py": "a class for each way in",
    "grading/test_put_back.py": "each edit in real boxes; test_rebuild.py has the rules",
    "grading/test_rubric.py": "what a marker's page looks like",
    "grading/test_drawn_pictures.py": "what a marker's page looks like",
    "grading/test_nbgrader_settings.py": "nbgrader's own settings",
    "grading/test_remedies_typed.py": "types each remedy; test_remedies.py reads them",
    "course/test_new_exercise.py": "an exercise from nothing",
    "course/test_one_exchange.py": "nbgrader's own commands, in each kind of terminal",
    "test_check_json.py": "starts a check for each form of its answer",
    "test_other_systems.py": "the workflow runs it on those systems",
    "test_quick_start.py": "what we replace in other packages, which the lock holds",
    "test_doctor.py": "looks at this machine, beside boxes/test_probes.py",
    "course/test_damage.py": "each file of a course damaged in each way",
    "course/test_practice.py": "practice with each exercise",
    "fuzz": "a search for what nobody thought of",
    "test_every_exercise.py": "holds for each exercise on its own",
    "test_odd_graphs.py": "holds for each exercise on its own",
    "test_every_seed.py": "holds for many seeds",
    "test_copied.py": "holds for each exercise on its own",
    "test_without_a_grader.py": "holds for each exercise on its own",
    "test_stored_references.py": "computes each exercise's references again",
    "test_matrix.py": "grades the code of each lab's hints",
    "test_zoo.py": "other formats, for the page of the zoo",
    "test_zoo_page.py": "the page of the zoo",
    "test_upstream.py": "faults of other packages",
    "test_torchvision.py": "a fault of another package",
    "test_replaced.py": "what we replace in other packages, which the lock holds",
    "test_first_contact.py": "a script for a GPU",
    "test_bench_faults.py": "a runtime that lies, in processes of its own",
    "test_student_part.py": "installs the part for students anew",
    "test_alone.py": "installs each package anew",
    "test_pt2e.py": "recorded once",
    "test_recognizer.py": "a model that one page reads",
    "test_voices.py": "recorded once",
    "test_decoder.py": "recorded once",
    "test_recipes_for_decoders.py": "belongs to one page",
    "test_line_day50.py": "runs cells of a page",
    "test_destinations.py": "what one document says of ONNX Runtime",
    "test_deploy.py": "what deploy/ says to Slurm, Kubernetes and a hub",
}
# The exercises whose stored answers take a third of the time of all, because they export with torch.
EXPORTING = ("export", "mend_export", "int8_dynamic")
# The exercises that a test module is about, where its name does not say so.
ABOUT = {
    "test_inspect.py": ("inspect",),
    "test_exercise_quantize.py": ("quantize", "calibration", "integer_layer"),
    "test_exercise_saturation.py": ("saturation", "sensitivity", "int8_static"),
}
# What every exercise is asked and judged with.
COMMON = (
    ROOT / "autograder" / "nbjudge" / "asking.py",
    ROOT / "autograder" / "nbjudge" / "grading" / "execution" / "anonymous.py",
    ROOT / "exercises" / "shared",
    ROOT / "autograder" / "nbjudge" / "rungs",
    ROOT / "requirements.lock",
)


@cache
def is_left_to_all(path: Path) -> bool:
    """Decide whether `make test` leaves out the module or folder at `path`."""
    try:
        parts = path.resolve().relative_to(ROOT / "tests").parts
    except ValueError:
        return False
    if any("/".join(parts[:many]) in ONLY_IN_ALL for many in range(1, len(parts) + 1)):
        return True
    exercises = about(path.name)
    return bool(exercises) and all(map(is_as_recorded, exercises))


def about(module: str) -> tuple[str, ...]:
    """Return the exercises that a test module is about; none if it is about something else."""
    of_one = re.fullmatch(r"test_exercise_(\w+)\.py", module)
    return ABOUT.get(module) or (of_one.groups() if of_one else ())


def is_as_recorded(exercise: str) -> bool:
    """Decide whether the exercise is what it was when `make test-all` was last green."""
    return recorded().get(exercise) == of_today(exercise)


@cache
def recorded() -> dict[str, str]:
    return json.loads(RECORD.read_text()) if RECORD.exists() else {}


@cache
def of_today(exercise: str) -> str:
    """Return a hash of the exercise's files and solution, of its tests, and of what every exercise
    is judged with.
    """
    solutions = ROOT.glob("solutions/*/*.ipynb")
    places = [
        ROOT / "exercises" / exercise,
        *(path for path in ROOT.glob("tests/test_*.py") if exercise in about(path.name)),
        *(path for path in solutions if f'check(\\"{exercise}\\"' in path.read_text()),
        *COMMON,
    ]
    files = sorted(
        path
        for place in places
        for path in (place.rglob("*") if place.is_dir() else [place])
        if path.is_file() and "__pycache__" not in path.parts
    )
    found = hashlib.sha256()
    for path in files:
        found.update(f"{path.relative_to(ROOT).as_posix()}\0".encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:16]


def exercises() -> list[str]:
    return sorted(path.parent.name for path in (ROOT / "exercises").glob("*/answers"))


def run(names: list[str]) -> int:
    """Run everything that rule 2 leaves out for the named exercises; return pytest's exit code."""
    tests = ROOT / "tests"
    modules = [str(path) for path in tests.glob("test_*.py") if set(about(path.name)) & set(names)]
    by_name = [
        str(tests / name)
        for name in (
            *("test_mutants.py", "test_solutions.py", "test_without_a_grader.py"),
            *("test_every_exercise.py", "test_odd_graphs.py", "test_every_seed.py"),
            *("test_copied.py", "test_stored_references.py", "test_matrix.py"),
            *("hostile/test_telltales.py", "fuzz/test_fuzz_answers.py"),
        )
    ]
    own = " or ".join(Path(module).stem for module in modules)
    chosen = " or ".join(f"[{name}] or [{name}-" for name in names)
    return pytest.main([*modules, *by_name, "-k", f"{own} or {chosen}"])


def main(names: list[str]) -> int:
    """Record the exercises, all of them or, when their tests are green, the named ones."""
    unknown = sorted(set(names) - set(exercises()))
    if unknown:
        print(f"no such exercise: {', '.join(unknown)}", file=sys.stderr)
        return 2
    if names and (failed := run(names)):
        return failed
    hashes = {
        **(recorded() if names else {}),
        **{name: of_today(name) for name in names or exercises()},
    }
    RECORD.write_text(json.dumps(hashes, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{RECORD.relative_to(ROOT)}: {len(names or hashes)} exercises; commit it")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
