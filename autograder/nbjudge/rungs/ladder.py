"""Climb an exercise's ladder: every rung on every case, the items that this earns, one `Verdict`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nbjudge.contract import Answer, Case, Exercise, Finding, ItemSpec, Reference, RungSpec
from nbjudge.contract.authored import authored
from nbjudge.verdict import MOST_CHANGES, MOST_FAILURES, Failure, Item, Rung, Verdict

MISSING = Answer("missing")
Progress = Callable[[str, str], None]


def climb(
    exercise: Exercise,
    cases: Sequence[Case],
    answers: Mapping[str, Answer],
    references: Mapping[str, Reference],
    progress: Progress = lambda _rung, _case: None,
) -> Verdict:
    """Look at every case through every rung that has something to look at, and add up the items that
    are earned.

    A case that breaks a gate has nothing left for the later rungs. It costs the items that hold this
    case, and no other. Public cases cost and earn nothing where there are hidden ones, because
    whoever has them can copy their answers; in a check before handing in, which has no others, they
    stand for them. `progress` is told each rung and case before it is looked at, so that a checker
    that dies tells where.
    """
    climbing = _Climb(exercise, cases, answers, references, progress)
    for spec in exercise.rungs:
        climbing.look(spec)
    items = tuple(map(climbing.item, exercise.items))
    points = round(sum(item.points for item in items if item.passed), 4)
    rungs = tuple(map(climbing.rung, exercise.rungs))
    verdict = Verdict(exercise.id, points, exercise.points, rungs, items=items)
    return replace(verdict, changes=climbing.changes(verdict.broken))


class _Climb:
    """On the way up: which cases no gate has stopped yet, and what was found of each by each rung."""

    def __init__(
        self,
        exercise: Exercise,
        cases: Sequence[Case],
        answers: Mapping[str, Answer],
        references: Mapping[str, Reference],
        progress: Progress,
    ):
        self._exercise = exercise
        self._cases = cases
        self._progress = progress
        answer_to = {case.name: answers.get(case.name, MISSING) for case in cases}
        self._views = {
            case.name: exercise.view(case, answer_to[case.name], references.get(case.name, {}))
            for case in cases
        }
        self._alive = set(answer_to)
        self._returned = {
            name for name, answer in answer_to.items() if answer.outcome == "returned"
        }
        self._is_graded = not all(case.public for case in cases)
        self._found: dict[str, dict[str, Finding | None]] = {}

    def look(self, spec: RungSpec) -> None:
        """Look at the cases of the next rung."""
        found: dict[str, Finding | None] = {}
        for case in self._about(spec):
            self._progress(spec.name, case.name)
            with authored(f"rung {spec.name}, case {case.name}"):
                found[case.name] = spec.inspect(self._views[case.name])
        self._found[spec.name] = found
        if spec.gate:
            self._alive -= {name for name, finding in found.items() if finding}

    def _about(self, spec: RungSpec) -> list[Case]:
        """The cases that the rung can look at, and that an item has it look at."""
        left = self._returned if spec.forbidden else self._alive
        items = self._exercise.items
        is_asked = spec.gate or spec.forbidden
        return [
            case
            for case in self._cases
            if case.name in left
            and self._is_of(spec, case)
            and (is_asked or any(item.asks(spec) and item.holds(case.name) for item in items))
        ]

    def _is_of(self, spec: RungSpec, case: Case) -> bool:
        return not spec.function or self._exercise.function_of(case) == spec.function

    def rung(self, spec: RungSpec) -> Rung:
        found = self._found[spec.name]
        if not found:
            return Rung(spec.name, None, title=spec.title)
        broken = {name: finding for name, finding in found.items() if finding}
        rung = Rung(spec.name, not broken, title=spec.title, cases=len(found))
        if not broken:
            return rung
        failed = [Failure(name, why.found, why.expected) for name, why in broken.items()]
        rung = replace(rung, wrong=len(broken), failed=tuple(failed[:MOST_FAILURES]))
        name, finding = next(iter(broken.items()))
        return replace(rung, case=name, **_words(finding))

    def item(self, spec: ItemSpec) -> Item:
        """Whether the cases that decide pass what the item needs; None where there are none."""
        held = [case for case in self._cases if spec.holds(case.name)]
        deciding = [case for case in held if not (case.public and self._is_graded)]
        item = Item(
            name=spec.name,
            title=spec.title,
            points=spec.points,
            passed=None,
            cases=len(deciding),
            is_local=not self._is_graded,
        )
        if not any(spec.gives_for(case.name) for case in deciding):
            return replace(item, cases=0)
        if forbidden := self._forbidden():
            return replace(item, passed=False, failed=(forbidden[1],), **self._at(*forbidden))
        lost = {case.name: rung for case in deciding if (rung := self._lost_at(case, spec))}
        if not lost:
            return replace(item, passed=True)
        case, rung = next(iter(lost.items()))
        failed = tuple(lost)[:MOST_FAILURES]
        return replace(item, passed=False, failed=failed, **self._at(rung, case))

    def _forbidden(self) -> tuple[RungSpec, str] | None:
        """What must never happen, and the case in which it did."""
        for spec in self._exercise.rungs:
            if spec.forbidden:
                for name, finding in self._found[spec.name].items():
                    if finding:
                        return spec, name
        return None

    def _lost_at(self, case: Case, item: ItemSpec) -> RungSpec | None:
        """The first rung that the item needs and that the case does not pass."""
        for spec in item.needed(self._exercise.rungs):
            if self._is_of(spec, case) and self._found[spec.name].get(case.name):
                return spec
        return None

    def _at(self, spec: RungSpec, case: str) -> dict[str, Any]:
        finding = self._found[spec.name][case]
        assert finding is not None
        return {"rung": spec.name, "case": case, **_words(finding)}

    def changes(self, broken: Rung | None) -> tuple[str, ...]:
        """What the answer changed in the case that a broken rung names, if that case is public: of
        a hidden one it would tell what was given.
        """
        shown = [case for case in self._cases if broken is not None and case.name == broken.case]
        if not shown or not all(case.public for case in shown):
            return ()
        changes = self._exercise.changes(self._views[shown[0].name])
        if len(changes) > MOST_CHANGES:
            left = len(changes) - MOST_CHANGES + 1
            changes = (*changes[: MOST_CHANGES - 1], f"And {left} more.")
        return changes


def _words(finding: Finding) -> dict[str, Any]:
    return {
        "expected": finding.expected,
        "found": finding.found,
        "cause": finding.sentence,
        "read": finding.read,
        "misconception": finding.misconception,
    }
