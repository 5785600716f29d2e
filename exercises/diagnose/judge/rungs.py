"""The rungs of `diagnose`, each on one case."""

from __future__ import annotations

from formatlab.models import museum
from formatlab_exercises.diagnose.ask import ANSWER
from formatlab_exercises.diagnose.judge import cases
from formatlab_exercises.diagnose.judge.misconceptions import (
    PAGE,
    PLACES,
    Mistakes,
    missed,
)
from nbjudge.contract import Answer, Case, Finding, Reference, View
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

READ = f"{PAGE}#the-ladder"


def read(answer: Answer) -> dict | None:
    """The answer that `call` wrote; None when it is anything else (the runner box is not trusted)."""
    return outcome.report(answer, ANSWER, diagnosis=str, changed=bool)


def _expected(reference: Reference) -> str:
    return reference["diagnosis"].tobytes().decode()


def is_diagnosis(view: View) -> Finding | None:
    finding = outcome.returns("a str, one of DIAGNOSES", READ, read)(view)
    if finding is not None or view.answer.outcome != "returned":
        return finding
    data = known(read(view.answer))
    if data["diagnosis"] in museum.DIAGNOSES:
        return None
    found = f"the text {data['diagnosis'][:60]!r}" if view.case.public else "another text"
    return Finding("one of DIAGNOSES", found, Mistakes.unknown_text)


def stops_at_the_right_part(view: View) -> Finding | None:
    expected, found = _expected(view.reference), known(read(view.answer))["diagnosis"]
    return None if PLACES[found] == PLACES[expected] else _explain(view.case, expected, found)


def is_right(*, about_behaviour: bool):
    def agrees(view: View) -> Finding | None:
        expected, found = _expected(view.reference), known(read(view.answer))["diagnosis"]
        if (PLACES[expected] == "behaviour") is not about_behaviour or found == expected:
            return None
        return _explain(view.case, expected, found)

    return agrees


def _explain(case: Case, expected: str, found: str) -> Finding:
    """What the case is and how it came about; the right diagnosis itself only of a public one."""
    wanted = (
        f"{expected}: {museum.DIAGNOSES[expected]}"
        if case.public
        else "the first diagnosis of the list that applies to this file"
    )
    return Finding(wanted, found, missed(cases.kind_of(case), expected, found))


def is_tidy(view: View) -> Finding | None:
    if not known(read(view.answer))["changed"]:
        return None
    return Finding(
        "the folder is as it was before the call",
        "a file in it was changed, added or removed",
        Mistakes.mends_in_place,
    )
