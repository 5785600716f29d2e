"""The points of exercises whose rungs give them, with caps: those that have no items yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from nbjudge.contract import Answer, Case, Exercise, Finding, Reference, RungSpec
from nbjudge.contract.authored import authored
from nbjudge.verdict import MOST_CHANGES, MOST_FAILURES, Failure, Rung, Tally, Verdict, score

MISSING = Answer("missing")


def climb(
    exercise: Exercise,
    cases: Sequence[Case],
    answers: Mapping[str, Answer],
    references: Mapping[str, Reference],
    progress: Callable[[str, str], None] = lambda _rung, _case: None,
) -> Verdict:
    """Evaluate every rung whose input exists, and score the exercise by its points and caps.

    Public cases may cost points and never earn any, because whoever has them can copy their
    answers: whether a rung is evaluated, and whether all or most of its cases are wrong, is asked
    of the hidden cases, where there are any. A rung that can look at fewer than half of those,
    because the others broke a gate, is not evaluated: an answer that fails on purpose wherever it
    does not know the result earns nothing for the few that it knows. A gate that broke on fewer
    caps the exercise at the share that it left. It is closed to a case that breaks it also where it
    is not evaluated: what comes after it may be about one function, and have enough.
    `progress` is told each rung and case before it is looked at, so that a checker that dies tells
    where.
    """
    climbing = _Climb(exercise, cases, answers, references, progress)
    rungs = tuple(map(climbing.rung, exercise.rungs))
    verdict = Verdict(
        exercise.id,
        score(rungs, exercise.points),
        exercise.points,
        rungs,
        tallies=_tallies(exercise, cases, climbing.wrong),
    )
    return replace(verdict, changes=climbing.changes(verdict.broken))


class _Climb:
    """On the way up: which cases no gate has stopped yet, and which broke any rung (`wrong`)."""

    def __init__(
        self,
        exercise: Exercise,
        cases: Sequence[Case],
        answers: Mapping[str, Answer],
        references: Mapping[str, Reference],
        progress: Callable[[str, str], None],
    ):
        self._exercise = exercise
        self._cases = cases
        self._progress = progress
        answer_to = {case.name: answers.get(case.name, MISSING) for case in cases}
        self._views = {
            case.name: exercise.view(case, answer_to[case.name], references.get(case.name, {}))
            for case in cases
        }
        self._alive = {case.name for case in cases}
        self._returned = {
            name for name, answer in answer_to.items() if answer.outcome == "returned"
        }
        self.wrong: set[str] = set()

    def rung(self, spec: RungSpec) -> Rung:
        """Evaluate the next rung."""
        about = _of(spec, self._exercise, self._cases)
        left = self._returned if spec.every_case else self._alive
        reached = [case for case in about if case.name in left]
        looked_at = reached if spec.every_case or _are_enough(reached, about) else []
        broken = self._broken(spec, reached if spec.gate else looked_at)
        names = {case.name for case, _ in broken}
        self.wrong |= names
        if spec.gate:
            self._alive -= names
        share = _left(self._exercise, self._cases, self._alive) if spec.gate and broken else 1.0
        reported = broken if looked_at else []
        return _rung(spec, reported, looked_at, _deciding(about), share)

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

    def _broken(self, spec: RungSpec, cases: Sequence[Case]) -> list[tuple[Case, Finding]]:
        """The cases that break the rung, each with what was found."""
        broken = []
        for case in cases:
            self._progress(spec.name, case.name)
            with authored(f"rung {spec.name}, case {case.name}"):
                finding = spec.inspect(self._views[case.name])
            if finding is not None:
                broken.append((case, finding))
        return broken


def _are_enough(reached: Sequence[Case], about: Sequence[Case]) -> bool:
    """Whether the cases that a rung can look at are half of those that decide of the cases that it
    is about, or more.
    """
    deciding = _deciding(about)
    return 2 * _count(reached, deciding) >= len(deciding)


def _of(spec: RungSpec, exercise: Exercise, cases: Sequence[Case]) -> Sequence[Case]:
    """Those of the cases that the rung is about."""
    return (
        [case for case in cases if exercise.function_of(case) == spec.function]
        if spec.function
        else cases
    )


def _tallies(exercise: Exercise, cases: Sequence[Case], wrong: set[str]) -> tuple[Tally, ...]:
    """How each function fares, where a case calls one of several: a function that is wrong does not
    hide that another one is right.
    """
    called = _by_function(exercise, cases)
    called.pop("", None)
    return (
        tuple(
            Tally(name, len(those), sum(case.name not in wrong for case in those))
            for name, those in called.items()
        )
        if len(called) > 1
        else ()
    )


def _by_function(exercise: Exercise, cases: Sequence[Case]) -> dict[str, list[Case]]:
    """The cases by the function or part that they ask about, `""` where there is but one."""
    called: dict[str, list[Case]] = {}
    for case in cases:
        called.setdefault(exercise.function_of(case), []).append(case)
    return called


def _deciding(cases: Sequence[Case]) -> set[str]:
    """The names of the hidden cases; in a local check, which has none, those of all."""
    return {case.name for case in cases if not case.public} or {case.name for case in cases}


def _count(cases: Sequence[Case], names: set[str]) -> int:
    return sum(case.name in names for case in cases)


def _wrong_share(broken: list[Case], looked_at: list[Case], deciding: set[str]) -> float:
    """Of the cases that a rung looked at, the share that broke it: of all, or of those that decide,
    whichever is more.
    """
    few = _count(looked_at, deciding)
    return max(len(broken) / len(looked_at), _count(broken, deciding) / few if few else 1.0)


def _left(exercise: Exercise, cases: Sequence[Case], alive: set[str]) -> float:
    """The share of its points that an exercise gives if each rung gives as much of its own as the
    gates have left of the cases it is about: so that refusing a case on purpose is worth no more
    than not knowing it.
    """
    left = (
        spec.points * _share_left(exercise, _of(spec, exercise, cases), alive)
        for spec in exercise.rungs
    )
    return round(sum(left) / exercise.points, 4) if exercise.points else 1.0


def _share_left(exercise: Exercise, cases: Sequence[Case], alive: set[str]) -> float:
    """The share of the cases that are alive: of all, or of those that decide, whichever is less. Of
    several functions, each counts as much as another.
    """
    shares = [
        min(
            _count(those, alive) / len(those),
            len(alive & _deciding(those)) / len(_deciding(those)),
        )
        for those in _by_function(exercise, cases).values()
    ]
    return sum(shares) / len(shares) if shares else 1.0


def _cap(spec: RungSpec, wrong: float, left: float) -> float | None:
    """The most that the exercise gives while the rung is broken, as a share; None for no limit."""
    if wrong >= spec.all_at or (spec.slip and wrong > 0.5):
        return left if spec.gate and spec.cap_all is None else spec.cap_all
    if not spec.gate:
        return spec.cap_some
    most = left if spec.cap_some is None else min(left, spec.cap_some)
    return max(most, spec.cap_all or 0.0)


def _rung(
    spec: RungSpec,
    broken: list[tuple[Case, Finding]],
    looked_at: list[Case],
    deciding: set[str],
    left: float,
) -> Rung:
    if not broken and not _count(looked_at, deciding):
        return Rung(spec.name, spec.points, None, title=spec.title)
    if not broken:
        return Rung(spec.name, spec.points, True, cases=len(looked_at), title=spec.title)
    case, finding = broken[0]
    wrong = _wrong_share([each for each, _ in broken], looked_at, deciding)
    return Rung(
        spec.name,
        spec.points,
        False,
        cap=_cap(spec, wrong, left),
        case=case.name,
        expected=finding.expected,
        found=finding.found,
        cause=finding.sentence,
        read=finding.read,
        cases=len(looked_at),
        wrong=len(broken),
        failed=tuple(
            Failure(each.name, why.found, why.expected) for each, why in broken[:MOST_FAILURES]
        ),
        earned=_earned(spec, len(broken) / len(looked_at)),
        misconception=finding.misconception,
        title=spec.title,
    )


def _earned(spec: RungSpec, wrong: float) -> float:
    """A share, less the same share again and again: one slip costs little, and a guess that is
    right now and then earns nothing.
    """
    return round(spec.points * max(0.0, 1 - spec.slip * wrong), 4) if spec.slip else 0.0
