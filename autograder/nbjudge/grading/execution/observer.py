"""Let a box observe answers that are things to be loaded and run, before a checker box holds what
was seen against the references.

Such a box is a checker's without references: what breaks out of the interpreter that runs a
student's artefact finds no answers there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from nbjudge import boxes, exercises, wire
from nbjudge.boxes.limits import BUSY
from nbjudge.contract import Answer, Case
from nbjudge.grading.config.budget import Allowance
from nbjudge.grading.execution.encoding import of_answer, of_case
from nbjudge.grading.execution.sandboxes import CHECKER, Start, once
from nbjudge.grading.faults import faults
from nbjudge.grading.faults.faults import Fault
from nbjudge.grading.faults.policy import Moment, Place, Ruling, Way

SECONDS = 120
LIMITS = replace(boxes.limits_for_checker(), wall_seconds=SECONDS * BUSY, cpu_seconds=SECONDS)
MAX_BOXES = 4


def observed(
    exercise_id: str,
    cases: Sequence[Case],
    answers: Mapping[str, Answer],
    allowance: Allowance | None = None,
    start: Start | None = None,
) -> Mapping[str, Answer]:
    """The answers as they are, or, of an exercise that observes them, what was seen. Raises
    faults.Fault when the fault is ours, and OutOfTime as `checker.judge` does.

    An answer that its box does not survive costs that case; the next box goes on behind it. `start`
    starts these boxes, each a fresh one.
    """
    if not exercises.get(exercise_id).judge.observes:
        return answers
    allowance = allowance or Allowance()
    seen: dict[str, Answer] = {}
    repeated: set[str] = set()
    control = partial(_control, exercise_id)
    for _ in range(MAX_BOXES):
        left = [case for case in cases if case.name not in seen]
        limits = allowance.of_look(LIMITS)
        look = _Look(exercise_id, left, answers, seen, limits=limits, start=start)
        allowance.looked(look.ended, limits)
        if look.ended.ended == "finished":
            return seen
        way = Way(look.ended.ended)
        detail = look.ended.detail if way in (Way.DEADLINE, Way.MEMORY) else ""
        ruling = faults.settle(
            Place.CHECKER,
            way,
            Moment.LOOKING,
            detail=detail,
            is_repeated=look.at in repeated,
            control=control,
        )
        if ruling is Ruling.REPEAT:
            repeated.add(look.at)
        else:
            seen[look.at] = _lost(way)
    return {**{case.name: _lost(way) for case in cases}, **seen}


class _Look:
    """One box. `at` is the case that it was at last."""

    def __init__(
        self,
        exercise_id: str,
        cases: Sequence[Case],
        answers: Mapping[str, Answer],
        seen: dict[str, Answer],
        *,
        limits: boxes.Limits = LIMITS,
        start: Start | None = None,
    ):
        self._seen = seen
        self._wanted = {case.name for case in cases}
        self.at = cases[0].name if cases else ""
        imports = (f"judge:{exercise_id}",)

        def frames() -> Iterator[bytes]:
            yield wire.encode("job", exercise=exercise_id, op="observe", imports=imports)
            for case in cases:
                # Without its seed: what is drawn from that stays with the checks.
                yield of_case(replace(case, seed=0))
                if case.name in answers:
                    yield from of_answer(case.name, answers[case.name])
            yield wire.encode("go")

        try:
            start = start or once(CHECKER)
            self.ended = start(frames, limits, on_frame=self._take)
        except boxes.SandboxUnavailable as error:
            raise faults.before_start(Place.CHECKER, Moment.LOOKING, error) from None

    def _take(self, frame: wire.Frame) -> None:
        name = frame.header.get("case")
        if not isinstance(name, str) or name not in self._wanted:
            return
        if frame.kind == "observing":
            self.at = name
        elif frame.kind == "observed" and (
            answer := Answer.read(frame.header, wire.passed_on(frame.blobs))
        ):
            self._seen[name] = answer


def _control(exercise_id: str) -> str:
    """What is wrong with such a box when there is nothing to observe: nothing, if it ends well."""
    try:
        look = _Look(exercise_id, [], {}, {})
    except Fault as fault:
        return str(fault)
    return "" if look.ended.ended == "finished" else f"it ended as: {look.ended.ended}"


def _lost(way: Way) -> Answer:
    return Answer(
        "timeout" if way is Way.DEADLINE else "killed",
        error={"text": "what was returned did not come to an end when it was run"},
    )
