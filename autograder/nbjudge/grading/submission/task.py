"""What a worker needs to grade one submission."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nbjudge.contract import Answer
from nbjudge.grading.config.budget import Budget
from nbjudge.grading.document.cells import Notebook
from nbjudge.grading.intake.intake import Submission
from nbjudge.grading.marks.results import SubmissionResult
from nbjudge.grading.reference.references import Prepared


@dataclass(frozen=True, kw_only=True)
class Task:
    """One submission, with everything that grading it needs.

    `skeletons` maps a version to its notebooks, `tests` to its plain test cells by notebook and
    grade_id, `rubrics` to what helps to mark an answer by hand, in the same way; `current` names
    the newest.

    `numbers` are, by notebook, the plain test cells of the newest version whose result is a number of
    points where the instructor's solution runs.

    `files` are published beside plain notebooks; those that are `changeable` give way to what a
    student handed in.

    `before` is an earlier result, whose notebooks are done; `turn` is 2 for one whose time was over
    in its first turn. `stored` are answers that were kept, by exercise: their notebooks are in
    `before`, and only their verdicts are made anew.
    """

    submission: Submission
    skeletons: Mapping[str, Mapping[str, Notebook]]
    tests: Mapping[str, Mapping[str, Mapping[str, str]]]
    rubrics: Mapping[str, Mapping[str, Mapping[str, str]]]
    current: str
    exercises: Mapping[str, Prepared]
    files: Mapping[str, bytes]
    budget: Budget | None = None
    changeable: tuple[str, ...] = ()
    before: SubmissionResult | None = None
    turn: int = 1
    stored: Mapping[str, Mapping[str, Answer]] = field(default_factory=dict)
    numbers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def skeleton(self) -> Mapping[str, Notebook]:
        """The newest version's notebooks by name."""
        return self.skeletons[self.current]

    @property
    def given(self) -> dict[str, bytes]:
        """The published files that this submission finds as they were published."""
        own = set(self.changeable) & self.submission.files.keys()
        return {name: data for name, data in self.files.items() if name not in own}
