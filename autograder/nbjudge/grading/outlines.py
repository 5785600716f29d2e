"""What a mark depends on of each exercise that is ready to be graded: hashes of its cases and of
its references.

Making cases may take seconds and much memory: models are exported for them. Their hashes are filed
by what they depend on, so that a run with nothing new makes none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nbjudge.grading import dependencies, shelves
from nbjudge.grading.asked import in_notebooks
from nbjudge.grading.hashes import digest
from nbjudge.grading.skeletons import Skeleton


@dataclass(frozen=True)
class Outline:
    """An exercise, the notebook that asks for it, and the hashes: one of each case in their order,
    one of all references.
    """

    exercise: str
    notebook: str
    cases: tuple[str, ...]
    references: str


def of_references(references: Mapping[str, bytes]) -> str:
    return digest(
        [f"{case} {hashlib.sha256(data).hexdigest()}" for case, data in sorted(references.items())]
    )


def known(skeleton: Skeleton, seed: int, pretrained: bool) -> dict[str, Outline] | None:
    """The outline of every exercise of an assignment, without making a case; None unless all cases
    were made here before, and their references are still there.
    """
    found = {}
    for name, notebook in in_notebooks(skeleton.notebooks).items():
        outline = _known(skeleton, name, notebook, seed, pretrained)
        if outline is None:
            return None
        found[name] = outline
    return found


def _known(
    skeleton: Skeleton, name: str, notebook: str, seed: int, pretrained: bool
) -> Outline | None:
    filed = _shelf(name, seed, pretrained).read()
    if filed is None:
        return None
    cases = tuple(json.loads(filed["cases"]))
    references = shelves.Shelf(
        dependencies.of_references(name, skeleton.solutions[notebook], cases)
    ).read()
    if references is None:
        return None
    return Outline(name, notebook, cases, of_references(references))


def file(exercise_id: str, seed: int, pretrained: bool, cases: Iterable[str]) -> None:
    """Keep the hashes of an exercise's cases."""
    _shelf(exercise_id, seed, pretrained).write({"cases": json.dumps(list(cases)).encode()})


def _shelf(exercise_id: str, seed: int, pretrained: bool) -> shelves.Shelf:
    code = dependencies.of_judging(exercise_id), dependencies.of_environment()
    return shelves.Shelf(digest(["cases", exercise_id, *code, str(seed), str(pretrained)]))
