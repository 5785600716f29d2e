"""What a mark depends on of each exercise that is ready to be graded: hashes of its cases and of
its references.

Making cases may take seconds and much memory, because models are exported for them. Their hashes
are in the cache, so that a run with nothing new makes none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nbjudge.grading.document.cells import Notebook
from nbjudge.grading.published.asked_exercises import in_notebooks
from nbjudge.grading.published.skeletons import Skeleton
from nbjudge.grading.store import cache, fingerprints
from nbjudge.grading.store.hashes import digest

CASES = "cases"
REFERENCES = "references"


@dataclass(frozen=True)
class ExerciseHashes:
    """An exercise, the notebook that asks for it, and the hashes: one of each case in their order,
    one of all references.
    """

    exercise: str
    notebook: str
    cases: tuple[str, ...]
    references: str


def known(skeleton: Skeleton, seed: int, pretrained: bool) -> dict[str, ExerciseHashes] | None:
    """The hashes of every exercise of an assignment, by its id, without making a case; None unless
    all cases were made here before, and their references are still there.
    """
    found = {}
    for name, notebook in in_notebooks(skeleton.notebooks).items():
        made = cache.read(CASES, cases_depend_on(name, seed, pretrained))
        if made is None:
            return None
        cases = tuple(json.loads(made[CASES]))
        depends_on = references_depend_on(name, skeleton.solutions[notebook], cases)
        references = cache.read(REFERENCES, depends_on)
        if references is None:
            return None
        found[name] = ExerciseHashes(name, notebook, cases, of_references(references))
    return found


def keep_cases(exercise_id: str, seed: int, pretrained: bool, cases: Iterable[str]) -> None:
    """Keep the hashes of an exercise's cases."""
    depends_on = cases_depend_on(exercise_id, seed, pretrained)
    cache.write(CASES, depends_on, {CASES: json.dumps(list(cases)).encode()})


def cases_depend_on(exercise_id: str, seed: int, pretrained: bool) -> dict[str, str]:
    return {
        "exercise": exercise_id,
        "judging": fingerprints.of_judging(exercise_id),
        "harness": fingerprints.of_harness(),
        "environment": fingerprints.of_environment(),
        "seed": str(seed),
        "pretrained": str(pretrained),
    }


def references_depend_on(
    exercise_id: str, solution: Notebook, cases: Iterable[str]
) -> dict[str, str]:
    """`cases` are the hashes of the exercise's cases. Of the solution its code counts."""
    # A file may hold a source as a list of lines.
    code = ["".join(cell["source"]) for cell in solution["cells"] if cell["cell_type"] == "code"]
    return {
        "exercise": exercise_id,
        "judging": fingerprints.of_judging(exercise_id),
        "harness": fingerprints.of_harness(),
        "environment": fingerprints.of_environment(),
        "solution": digest([json.dumps(code)]),
        "cases": digest(list(cases)),
    }


def of_references(references: Mapping[str, bytes]) -> str:
    return digest(
        [f"{case} {hashlib.sha256(data).hexdigest()}" for case, data in sorted(references.items())]
    )
