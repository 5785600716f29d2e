"""What a grading run is asked for, and what it reports."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from textwrap import indent

from traitlets.config import Config

from nbjudge.grading.cluster import Scheduler
from nbjudge.grading.config.budget import Budget
from nbjudge.grading.marks.results import UNGRADED, SubmissionResult


@dataclass(frozen=True)
class GradingRequest:
    """What to grade and how. `students` empty means everybody with a submission; `jobs` is how many
    submissions run at once. Marks that were fed back stay until it `regrade`s.
    """

    assignment: str
    _: KW_ONLY
    submitted: Path | None = None
    students: Sequence[str] = ()
    jobs: int | None = None
    seed: int | None = None
    new_seed: bool = False
    force: bool = False
    regrade: bool = False
    scheduler: Scheduler | None = None
    budget: Budget | Mapping[str, float] | None = None
    pretrained: bool = False
    config: Config | None = None  # nbgrader's settings; those of the course folder by default


@dataclass
class Report:
    """What a run did. `submissions` are results without documents; `new_students` were added to the gradebook; `resumed` counts results taken
    from the journal; `passed_over` lies in the folder of submissions and is none.

    `why` says of each student's notebooks why they were graded, or checked, now; of one that was
    taken from the journal, nothing. `kept` says of students whose marks were fed back what has changed
    since, without changing these. `penalties` says in words which late ones are not what they were.
    """

    assignment: str
    seed_id: str
    submissions: list[SubmissionResult] = field(default_factory=list)
    new_students: list[str] = field(default_factory=list)
    _: KW_ONLY
    resumed: int = 0
    passed_over: list[str] = field(default_factory=list)
    why: dict[str, dict[str, str]] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)
    penalties: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        return 3 if any(result.status == UNGRADED for result in self.submissions) else 0

    def json_text(self) -> Iterator[str]:
        """The text of the report for programs, in parts, so that a large class takes no memory."""
        head = {"assignment": self.assignment, "seed_id": self.seed_id}
        yield json.dumps(head, indent=1).removesuffix("\n}") + ',\n "submissions": ['
        for number, result in enumerate(self.submissions):
            entry = json.dumps(result.to_json(), indent=1)
            yield ("," if number else "") + "\n" + indent(entry, "  ")
        yield "\n ]\n}\n"
