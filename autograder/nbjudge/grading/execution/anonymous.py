"""What a runner box gets to know of a case: its input. Not its name, not its place among the
others, not how it was made.

An answer that can tell cases apart by anything else than their inputs can hold a constant for each.
So in the box a case has a random name, the order of the calls follows from the seeds, and only
those parameters cross that the call looks at. The box's supervisor knows which cases are public:
they come first, because what is said of them is shown to students.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from nbjudge import exercises, wire
from nbjudge.contract import Answer, Case, Exercise
from nbjudge.given import LARGEST


class AnonymousCases:
    """The cases of a notebook's exercises without what would tell them apart. `cases` are what a box
    gets, by exercise; `known` the cases that they stand for, by exercise and the name in the box.
    """

    def __init__(self, cases: Mapping[str, Sequence[Case]]):
        self._cases_by_exercise = cases
        self.known: dict[str, dict[str, Case]] = {}
        self.cases: dict[str, list[Case]] = {}
        for name, several in cases.items():
            exercise = exercises.get(name)
            self.known[name] = {
                secrets.token_hex(8): case for case in exercise.judge.calling_order(several)
            }
            self.cases[name] = [
                _without_name(exercise, token, case) for token, case in self.known[name].items()
            ]

    def named(self, answers: Mapping[str, Mapping[str, Answer]]) -> dict[str, dict[str, Answer]]:
        """The answers by the cases' own names, in the cases' own order."""
        named = {
            name: {known.name: answers[name][token] for token, known in self.known[name].items()}
            for name in answers
        }
        return {
            name: {case.name: named[name][case.name] for case in self._cases_by_exercise[name]}
            for name in named
        }

    def public_frames(self) -> Iterator[bytes]:
        """The frames of the public cases as they are, for notebooks that look at them; none of an
        exercise whose cases are large.
        """
        for name, several in self._cases_by_exercise.items():
            public = [case for case in several if case.public]
            if sum(len(data) for case in public for data in case.files.values()) <= LARGEST:
                for case in public:
                    yield wire.encode(
                        "given",
                        dict(case.files),
                        exercise=name,
                        name=case.name,
                        parameters=dict(case.parameters),
                    )


def _without_name(exercise: Exercise, token: str, case: Case) -> Case:
    needed = (
        case.parameters
        if exercise.needs is None
        else {key: case.parameters[key] for key in exercise.needs if key in case.parameters}
    )
    files = {name: data for name, data in case.files.items() if name not in exercise.withholds}
    return replace(case, name=token, files=files, parameters=dict(needed), seed=0)
