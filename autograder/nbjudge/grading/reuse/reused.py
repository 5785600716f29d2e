"""Results that a new run reuses from the last one: notebooks whose keys are the same, and answers
that are only judged again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nbjudge.contract import Answer
from nbjudge.grading.intake.intake import Submission
from nbjudge.grading.marks.results import GRADED, UNGRADED, SubmissionResult
from nbjudge.grading.published import skeletons
from nbjudge.grading.published.skeletons import Skeleton
from nbjudge.grading.reuse.journal import Entry
from nbjudge.grading.reuse.keys import Change, Keys, changed

LOST = "what was kept of it cannot be read"


@dataclass(frozen=True)
class Reused:
    """Results of the last run that hold in this one: `before` has the notebooks that are done,
    `stored` the answers to judge again. The answers of exercises in `keeping` stay on disk as they
    are, and `why` gives for each other notebook the reason that it runs again.
    """

    before: SubmissionResult | None = None
    stored: dict[str, Mapping[str, Answer]] = field(default_factory=dict)
    keeping: frozenset[str] = frozenset()
    why: dict[str, str] = field(default_factory=dict)


def unchanged(entry: Entry, keys: Keys, with_documents: bool) -> SubmissionResult | None:
    """The last result as it is, if all of its keys are the same; else None."""
    return entry.result(with_documents) if entry.keys == keys.to_json() else None


def reuse(entry: Entry, keys: Keys, submission: Submission, skeleton: Skeleton) -> Reused:
    """The parts of the last result that still hold, by the keys of both runs."""
    change = changed(entry.keys, keys)
    old = entry.result() if change.unchanged else None
    if old is None:
        for name in list(change.unchanged):
            change.redo(name, LOST)
        return Reused(why=change.why)
    stored = _stored(entry, keys, change, old)
    most = sum(map(skeletons.max_score, skeleton.notebooks.values()))
    result = SubmissionResult(
        submission.student, most, timestamp=submission.timestamp, secret=submission.secret
    )
    for name in change.unchanged:
        _take_over(name, old, result)
    keeping = frozenset(each for each, name in keys.notebook_of.items() if name in change.unchanged)
    return Reused(result, stored, keeping, change.why)


def _stored(
    entry: Entry, keys: Keys, change: Change, old: SubmissionResult
) -> dict[str, Mapping[str, Answer]]:
    stored = {}
    books = old.notebooks
    for name in list(change.unchanged):
        if name not in books or books[name].status == UNGRADED:
            change.redo(name, LOST)
    for exercise in change.judged:
        name = keys.notebook_of[exercise]
        # A notebook that changed runs whole, and one without a mark has no answers.
        if name in change.unchanged and books[name].status == GRADED:
            answers = entry.answers(exercise)
            if answers is None:
                why = change.why[name].partition(":")[0]
                change.redo(name, f"{why}, and its answers were not kept")
            else:
                stored[exercise] = answers
    return {key: each for key, each in stored.items() if keys.notebook_of[key] in change.unchanged}


def _take_over(name: str, old: SubmissionResult, new: SubmissionResult) -> None:
    new.notebooks[name] = old.notebooks[name]
    new.documents[name] = old.documents[name]
    if name in old.files:
        new.files[name] = old.files[name]
    new.cells |= {key: cell for key, cell in old.cells.items() if key.partition("/")[0] == name}
    new.tampered += [text for text in old.tampered if text.startswith(f"{name}: ")]
    new.remarks += [text for text in old.remarks if text.startswith(f"{name}: ")]
