"""What each part of a result depends on, by name, so that a changed part is graded again, and
nothing else.

An answer depends on the notebook as it was handed in, the one that was published, the harness, what
the exercise asks, the cases, the budget and the environment. A verdict depends on the answers, on
what judges the exercise, and on the references. A plain notebook's marks depend on everything that
was handed in and on its tests.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from nbjudge.grading.config.budget import Budget
from nbjudge.grading.intake.intake import Submission
from nbjudge.grading.marks import own_results
from nbjudge.grading.published.skeletons import Skeleton
from nbjudge.grading.store import fingerprints
from nbjudge.grading.store.case_hashes import ExerciseHashes
from nbjudge.grading.store.hashes import digest, of_blob

Key = dict[str, str]
# How a person is told what changed; in this order.
WORDS = {
    "submission": "the files were handed in again, changed",
    "notebook": "the notebook was handed in again, changed",
    "published": "another version of the lab is published",
    "tests": "the lab's tests changed",
    "asking": "what the exercise asks changed",
    "cases": "the hidden cases are others",
    "seed": "the seed is another one",
    "budget": "the budget changed",
    "changeable": "other published files may be handed in changed",
    "harness": "the harness changed",
    "environment": "installed packages changed",
    "judging": "what judges the exercise changed",
    "references": "the reference answers changed",
}


@dataclass(frozen=True)
class Keys:
    """By notebook, what its run depends on; by exercise, what its verdict depends on beside that;
    `said` is no part of a mark.
    """

    runs: dict[str, Key]
    verdicts: dict[str, Key]
    notebook_of: dict[str, str]
    said: str

    def to_json(self) -> dict:
        return {"runs": self.runs, "verdicts": self.verdicts, "said": self.said}


@dataclass
class Change:
    """How the keys of an earlier result differ from those of today: the `unchanged` notebooks, of
    whose exercises those in `judged` are judged again, and for each other notebook `why` it runs
    again.
    """

    unchanged: list[str] = field(default_factory=list)
    judged: list[str] = field(default_factory=list)
    why: dict[str, str] = field(default_factory=dict)

    def redo(self, name: str, why: str) -> None:
        """Take a notebook off the unchanged ones, because its result cannot be reused after all."""
        self.unchanged.remove(name)
        self.why[name] = why


class KeyMaker:
    """What is the same for all submissions of a run."""

    def __init__(
        self,
        skeleton: Skeleton,
        stored: Mapping[str, Skeleton],
        exercise_hashes: Mapping[str, ExerciseHashes],
        *,
        seed: int,
        budget: Budget,
        pretrained: bool,
        changeable: tuple[str, ...],
    ):
        self._skeleton = skeleton
        self._stored = stored
        self._exercise_hashes = exercise_hashes
        self._common = {
            "budget": repr(budget),
            "harness": fingerprints.of_harness(),
            "environment": fingerprints.of_environment(),
            "changeable": digest(sorted(changeable)),
        }
        self._seed = digest([str(seed), str(pretrained)])

    @cached_property
    def _published(self) -> dict[str, Key]:
        versions = sorted(self._stored)
        stored = [self._stored[version] for version in versions]
        made = {}
        for name in self._skeleton.notebooks:
            texts = [json.dumps(each.notebooks.get(name), sort_keys=True) for each in stored]
            hidden_parts: list[object] = [
                [each.tests().get(name), each.rubrics().get(name)] for each in stored
            ]
            solution = self._skeleton.solutions.get(name)
            if solution and own_results.in_question(solution):
                hidden_parts.append(solution)  # its own results say what counts as one
            made[name] = {
                "published": digest([self._skeleton.version, *versions, *texts]),
                "tests": digest([json.dumps(hidden_parts, sort_keys=True)]),
            }
        return made

    @cached_property
    def _exercises(self) -> dict[str, Key]:
        """By notebook what runs depend on, for its exercises."""
        made: dict[str, Key] = {name: {} for name in self._skeleton.notebooks}
        for hashes in self._exercise_hashes.values():
            key = made[hashes.notebook]
            key["asking"] = digest([key.get("asking", ""), fingerprints.of_asking(hashes.exercise)])
            key["cases"] = digest([key.get("cases", ""), *hashes.cases])
            key["seed"] = self._seed
        return made

    @cached_property
    def _verdicts(self) -> dict[str, Key]:
        return {
            name: {
                "judging": fingerprints.of_judging(name),
                "references": hashes.references,
            }
            for name, hashes in self._exercise_hashes.items()
        }

    @cached_property
    def _of_notebooks(self) -> dict[str, Key]:
        return {
            name: {**published, **self._exercises[name]}
            for name, published in self._published.items()
        }

    def keys(self, submission: Submission) -> Keys:
        runs = {
            name: {**self._handed_in(submission, name), **own, **self._common}
            for name, own in self._of_notebooks.items()
        }
        lines = [*submission.remarks, *submission.notes]
        said = digest([repr(submission.timestamp), repr(submission.secret), *lines])
        return Keys(
            runs,
            self._verdicts,
            {name: hashes.notebook for name, hashes in self._exercise_hashes.items()},
            said,
        )

    def _handed_in(self, submission: Submission, name: str) -> Key:
        """A notebook with exercises depends on itself alone, if it is there under its name."""
        is_itself = name in submission.notebooks and name not in submission.found_as
        if self._exercises[name] and is_itself and not submission.refused:
            return {"notebook": of_blob(submission.notebooks[name])}
        return {"submission": submission.digest}


def changed(old: Mapping, keys: Keys) -> Change:
    """What of a result with the keys `old` (`Keys.to_json`) still holds."""
    change = Change()
    runs = old.get("runs", {})
    verdicts = old.get("verdicts", {})
    for name, key in keys.runs.items():
        if reason := _difference(runs.get(name), key):
            change.why[name] = reason
            continue
        change.unchanged.append(name)
        mine = [each for each, book in keys.notebook_of.items() if book == name]
        reasons = {each: _difference(verdicts.get(each), keys.verdicts[each]) for each in mine}
        again = {each: reason for each, reason in reasons.items() if reason}
        change.judged += again
        if again:
            change.why[name] = f"{next(iter(again.values()))}: the stored answers are checked again"
    return change


def of_ours_alone(old: Mapping, keys: Keys) -> str:
    """What changed since a result with the keys `old`, if the student handed in nothing else since;
    empty where something was handed in anew, and where nothing changed.
    """
    runs = old.get("runs", {})
    if old.get("said") != keys.said or runs.keys() != keys.runs.keys():
        return ""
    handed_in = ("submission", "notebook")
    if any(
        runs[name].get(part) != key.get(part)
        for name, key in keys.runs.items()
        for part in handed_in
    ):
        return ""
    return next(iter(changed(old, keys).why.values()), "")


def _difference(old: Key | None, new: Key) -> str:
    if old is None:
        return "it was not graded before"
    parts = [name for name in WORDS if old.get(name) != new.get(name)]
    return WORDS[parts[0]] if parts else ""
