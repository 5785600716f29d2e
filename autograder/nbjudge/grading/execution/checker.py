"""Ask a checker box for a verdict, or for the digest of the reference answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from nbjudge import boxes, exercises, wire
from nbjudge.contract import Answer, Case, ItemSpec
from nbjudge.grading.config.budget import Allowance
from nbjudge.grading.execution.encoding import of_answer, of_case
from nbjudge.grading.execution.observer import observed
from nbjudge.grading.execution.sandboxes import CHECKER, Start, once
from nbjudge.grading.faults import faults
from nbjudge.grading.faults.faults import Fault
from nbjudge.grading.faults.policy import Moment, Place, Ruling, Way
from nbjudge.rungs.outcome import SURVIVES, unchecked
from nbjudge.verdict import Item, Rung, Verdict

# So many answers of one exercise may end their checker before nothing more is looked at.
MOST_GIVEN_UP = 3


class CheckFault(RuntimeError):
    """The checks themselves failed: nobody's mark may depend on it."""


def judge(
    exercise_id: str,
    cases: Sequence[Case],
    answers: Mapping[str, Answer],
    references: Mapping[str, bytes],
    *,
    start: Start | None = None,
    imports: Sequence[str] = (),
    allowance: Allowance | None = None,
    observe: Start | None = None,
) -> Verdict:
    """The verdict on one student's answers to one exercise. Raises Fault or CheckFault when the
    fault is ours, and OutOfTime when the answers have used up the first turn of the `allowance`.

    `start` starts the boxes, fresh ones by default, which import `imports` once; `observe` those that
    look at answers which are to be run, each a fresh one.
    """
    start = start or once(CHECKER)
    allowance = allowance or Allowance()
    answers = observed(exercise_id, cases, answers, allowance, observe)
    control = partial(_control, exercise_id, cases, references)
    is_repeated = False
    given_up: set[str] = set()
    whole = boxes.limits_for_checker()
    while True:
        limits = allowance.of_look(whole)
        looked = _Look(
            exercise_id, cases, answers, references, start=start, limits=limits, imports=imports
        )
        allowance.looked(looked.ended, limits)
        if looked.is_over:
            return _verdict(exercise_id, looked.verdict)
        way = looked.ended.ended
        last = looked.last
        # What the checker writes to stderr may quote the answers.
        detail = looked.ended.detail if way in ("deadline", "memory") else ""
        ruling = faults.settle(
            Place.CHECKER,
            Way(way),
            looked.moment,
            detail=detail,
            is_repeated=is_repeated,
            control=control,
        )
        if ruling is not Ruling.REPEAT:
            is_cut = limits.cpu_seconds < whole.cpu_seconds
            why = "over" if is_cut and way == "deadline" else way
            case = str(last.get("case"))
            if case not in answers or len(given_up) == MOST_GIVEN_UP:
                return _too_much(exercise_id, unchecked(why), str(last.get("rung")), case)
            # The other cases are looked at without it.
            given_up.add(case)
            answers = {**answers, case: Answer("unchecked", error={"why": why})}
        is_repeated = ruling is Ruling.REPEAT


class _Look:
    """One checker box, and what it told. Raises Fault when it did not start, or when the checks
    failed.
    """

    def __init__(
        self,
        exercise_id: str,
        cases: Sequence[Case],
        answers: Mapping[str, Answer],
        references: Mapping[str, bytes],
        *,
        start: Start,
        limits: boxes.Limits,
        imports: Sequence[str] = (),
    ):
        self.verdict: object = None
        self.last: dict = {}
        frames = partial(
            _frames,
            exercise_id,
            "check",
            imports=imports,
            cases=cases,
            answers=answers,
            references=references,
        )
        try:
            self.ended = start(frames, limits, on_frame=self._take)
        except boxes.SandboxUnavailable as error:
            raise faults.before_start(Place.CHECKER, self.moment, error) from None

    def _take(self, frame: wire.Frame) -> None:
        if frame.kind == "progress":
            self.last = frame.header
        elif frame.kind == "verdict":
            self.verdict = frame.header.get("verdict")

    @property
    def is_over(self) -> bool:
        return self.ended.ended == "finished" and self.verdict is not None

    @property
    def moment(self) -> Moment:
        return Moment.LOOKING if self.verdict is None else Moment.TOLD


def _frames(
    exercise_id: str,
    what: str,
    *,
    imports: Sequence[str],
    cases: Sequence[Case],
    answers: Mapping[str, Answer],
    references: Mapping[str, bytes],
) -> Iterator[bytes]:
    """A job for a checker box: what is to be done, with which answers, against which references."""
    yield wire.encode("job", exercise=exercise_id, op=what, imports=list(imports))
    yield from map(of_case, cases)
    for name, answer in answers.items():
        yield from of_answer(name, answer)
    for name, data in references.items():
        yield wire.encode("reference", {"reference.safetensors": data}, case=name)
    yield wire.encode("go")


def _control(exercise_id: str, cases: Sequence[Case], references: Mapping[str, bytes]) -> str:
    """What is wrong with the same checks when there is no answer to look at: nothing, if they give
    their verdict.
    """
    try:
        limits = boxes.limits_for_checker()
        looked = _Look(exercise_id, cases, {}, references, start=once(CHECKER), limits=limits)
    except Fault as fault:
        return str(fault)
    return "" if looked.is_over else f"it ended as: {looked.ended.ended}"


def _verdict(exercise_id: str, data: object) -> Verdict:
    try:
        return Verdict.from_json(data)
    except ValueError as error:
        raise CheckFault(
            f"checking {exercise_id}: the checker's verdict is malformed ({error})"
        ) from None


def digest(
    exercise_id: str,
    cases: Sequence[Case],
    answers: Mapping[str, Answer],
    *,
    start: Start | None = None,
    imports: Sequence[str] = (),
    observe: Start | None = None,
) -> dict[str, bytes]:
    """The reference arrays of each case, as safetensors bytes; see `judge`. Raises CheckFault or
    Fault.
    """
    answers = observed(exercise_id, cases, answers, start=observe)
    frames = partial(
        _frames,
        exercise_id,
        "digest",
        imports=imports,
        cases=cases,
        answers=answers,
        references={},
    )
    try:
        limits = boxes.limits_for_checker()
        ended = (start or once(CHECKER))(frames, limits)
    except boxes.SandboxUnavailable as error:
        raise faults.before_start(Place.CHECKER, Moment.LOOKING, error) from None
    found = {
        frame.header["case"]: frame.blobs["reference.safetensors"]
        for frame in ended.frames
        if frame.kind == "digest"
    }
    if ended.ended != "finished" or set(found) != {case.name for case in cases}:
        raise CheckFault(
            f"the reference of {exercise_id} could not be digested ({ended.detail or ended.ended})"
        )
    return found


def _too_much(exercise_id: str, why: tuple[str, str], rung_name: str, case: str) -> Verdict:
    """No marks for answers that checkers did not survive again and again: which rung and case the
    last one was at, and why it stopped.
    """
    exercise = exercises.get(exercise_id)
    found, cause = why
    names = [spec.name for spec in exercise.rungs]
    at = names.index(rung_name) if rung_name in names else 0
    rung = Rung(names[at], False, case=case, expected=SURVIVES, found=found, cause=cause)
    before = (Rung(name, None) for name in names[:at])
    items = tuple(_lost(each, rung) for each in exercise.items)
    return Verdict(exercise_id, 0.0, exercise.points, (*before, rung), items=items)


def _lost(spec: ItemSpec, rung: Rung) -> Item:
    return Item(
        name=spec.name,
        title=spec.title,
        points=spec.points,
        passed=False,
        failed=(rung.case or "",),
        rung=rung.name,
        case=rung.case or "",
        expected=rung.expected,
        found=rung.found,
        cause=rung.cause,
    )
