"""The rungs of `overflow`: is there a list of names, is the model as it was, and are the names the
right ones?
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from formatlab_exercises.overflow.ask import EXPECTED, NAMES
from formatlab_exercises.overflow.judge import misconceptions
from formatlab_exercises.overflow.judge.cases import DESCRIPTIONS
from formatlab_exercises.overflow.judge.facts import facts
from formatlab_exercises.overflow.judge.misconceptions import OVERFLOW, Mistakes
from formatlab_exercises.shared.surgery import REPORT
from nbjudge.contract import Answer, View
from nbjudge.findings import Finding, also, explained
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known
from nbjudge.wire import MAX_ANSWER, WireError, safe_json

ASKED = (
    "each value that is not finite, although everything that its node reads is finite, "
    "in the order of the nodes"
)


def names(answer: Answer) -> list[str] | None:
    """The names that `find_overflow` returned; None when there is anything else (the runner box is
    not trusted).
    """
    try:
        found = safe_json(answer.files.get(NAMES, b""), max_bytes=MAX_ANSWER)
    except WireError:
        return None
    if isinstance(found, list) and all(isinstance(name, str) for name in found):
        return found
    return None


def _readable(answer: Answer) -> dict | None:
    report = outcome.report(answer, REPORT, argument_changed=bool)
    return report if names(answer) is not None else None


_returns = outcome.returns(EXPECTED, OVERFLOW, _readable)


def is_list_of_names(view: View) -> Finding | None:
    """It returns a list of names."""
    finding = _returns(view)
    if finding is None or view.answer.outcome != "raised":
        return finding
    about = f"The case: {DESCRIPTIONS[view.case.name]}"
    return replace(finding, cause=also(finding.cause, about))


def keeps_the_model(view: View) -> Finding | None:
    """The model is as it was before the call."""
    if not known(_readable(view.answer))["argument_changed"]:
        return None
    expected, found = (
        "the model as it was before the call",
        "the model that was passed in is changed",
    )
    return Finding(expected, found, Mistakes.in_place)


def finds_the_overflow(view: View) -> Finding | None:
    """The names are the reference's. Which are too many or missing tells how overflow was
    understood.
    """
    expected: Any = safe_json(bytes(view.reference["names"]))
    found = known(names(view.answer))
    if expected == found:
        return None
    wanted = f"{ASKED}: {expected}" if view.case.public else ASKED
    seen = facts(view.case, expected, found)
    other = "other names" if found else "no names at all"
    return explained(wanted, other, misconceptions.WRONG_NAMES, seen)
