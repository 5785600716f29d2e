"""What follows when a box or a step ends as it should not: a fault of ours stops the submission, what
is the student's costs the cell or case at which it happened. `rulings` says which is which.
"""

from __future__ import annotations

from collections.abc import Callable

from nbjudge import boxes
from nbjudge.grading.faults import remedies
from nbjudge.grading.faults.policy import Moment, Place, Ruling, Way, rule


class Fault(RuntimeError):
    """Something of ours failed: the submission is `ungraded`. The text says what happened, and what
    to type.
    """

    def __init__(self, place: Place, way: Way, moment: Moment, detail: str):
        self.place = place
        self.way = way
        self.moment = moment
        self.detail = detail
        super().__init__(remedies.reason(place, way, moment, detail))

    @property
    def of_the_exercise(self) -> str:
        """What is wrong with the exercise's own code, if it is that."""
        return remedies.of_the_exercise(self.way, self.detail)


def settle(
    place: Place,
    way: Way,
    moment: Moment,
    *,
    detail: str,
    is_repeated: bool,
    control: Callable[[], str],
) -> Ruling:
    """What follows: `theirs` or `repeat`. `control` says what is wrong with a box that has no
    student's bytes in it, or nothing.

    Raises Fault when it is ours.
    """
    ruling = rule(place, way, moment).ruling
    if ruling is Ruling.OURS:
        raise Fault(place, way, moment, detail)
    if ruling is Ruling.THEIRS or (ruling is Ruling.REPEAT and not is_repeated):
        return ruling
    if problem := control():
        why = remedies.one_line(problem)
        neither = f"a box that holds nothing of a student's does not work either: {why}"
        raise Fault(place, way, moment, neither)
    return Ruling.THEIRS


def before_start(place: Place, moment: Moment, error: boxes.SandboxUnavailable) -> Fault:
    """The fault of a box that did not start, or that said before it looked at anything that it
    cannot work.
    """
    if isinstance(error, boxes.BoxFault):
        return Fault(place, Way.FAULT, moment, str(error))
    return Fault(
        place,
        Way.KILLED if isinstance(error, boxes.BoxKilled) else Way.CRASHED,
        Moment.BEFORE_READY,
        str(error),
    )
