"""The checker box: verdicts, references, and answers that are not what they claim."""

from dataclasses import replace

import pytest

from nbjudge import boxes, exercises, wire
from nbjudge.contract import Answer, Case
from nbjudge.grading.execution.encoding import of_answer, of_case
from nbjudge.verdict import Verdict
from tests.boxes.box_tools import CHECKER, public_cases, run_cells


def check(
    op: str,
    answers: dict[str, Answer],
    references: dict[str, bytes] | None = None,
    cases: list[Case] | None = None,
    exercise: str = "inspect",
) -> boxes.BoxRun:
    sent = [wire.encode("job", exercise=exercise, op=op), *map(of_case, cases or public_cases())]
    sent += [frame for name, answer in answers.items() for frame in of_answer(name, answer)]
    sent += [
        wire.encode("reference", {"reference.safetensors": data}, case=name)
        for name, data in (references or {}).items()
    ]
    return boxes.run(CHECKER, sent, boxes.limits_for_checker())


@pytest.fixture(scope="module")
def answers() -> dict[str, Answer]:
    """What a function that describes every model in the same shape returns, from a real runner box."""
    source = (
        "def describe(model, directory=None):\n"
        "    names = {node.op_type: 1 for node in model.graph.node}\n"
        "    return {'ir_version': model.ir_version, 'opset': 1, 'operators': names, 'parameters': 0, 'bytes': 0}"
    )
    ran = run_cells(
        "from nbjudge import check", source, 'check("inspect", describe)', cases=public_cases()
    )
    return {
        name: Answer(frame.header["outcome"], frame.blobs, frame.header["error"])
        for name, frame in ran.answers.items()
    }


@pytest.fixture(scope="module")
def references(answers) -> dict[str, bytes]:
    ended = check("digest", answers)
    assert ended.ended == "finished", ended.detail
    return {
        frame.header["case"]: frame.blobs["reference.safetensors"]
        for frame in ended.frames
        if frame.kind == "digest"
    }


def verdict(ended: boxes.BoxRun) -> Verdict:
    assert ended.ended == "finished", ended.detail
    assert ended.frames[-1].kind == "done"
    return Verdict.from_json(
        next(frame.header["verdict"] for frame in ended.frames if frame.kind == "verdict")
    )


def test_the_reference_s_own_answers_get_full_marks(answers, references):
    found = verdict(check("check", answers, references))
    assert not found.lost and found.max_score == exercises.get("inspect").points
    assert found.score == pytest.approx(sum(one.points for one in found.items if one.cases))


def test_no_answers_get_nothing(references):
    assert verdict(check("check", {}, references)).score == 0


def test_what_a_surgery_changed_is_said_of_a_public_case_alone():
    """An untouched model, in a box."""
    cases = exercises.get("dropout").public_cases()[:2]
    given = {case.name: Answer("returned", case.files) for case in cases}
    found = verdict(check("check", given, cases=cases, exercise="dropout"))
    assert found.changes == ("The two models are the same.",)
    hidden = [replace(case, public=False) for case in cases]
    found = verdict(check("check", given, cases=hidden, exercise="dropout"))
    assert found.broken and found.changes == ()


def test_progress_is_told_before_each_look(answers, references):
    ended = check("check", answers, references)
    assert ended.frames[0].kind == "progress"
    assert {frame.header["case"] for frame in ended.frames if frame.kind == "progress"} == {
        case.name for case in public_cases()
    }


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff" * 1000,
        b"[" * 100_000,
        b'{"description": {"ir_version": NaN}, "changed": false}',
    ],
)
def test_answers_that_are_not_what_they_claim_get_nothing(data, references):
    hostile = {case.name: Answer("returned", {"answer.json": data}) for case in public_cases()}
    assert verdict(check("check", hostile, references)).score == 0


def test_a_reference_that_cannot_be_digested_is_our_fault():
    with pytest.raises(boxes.BoxFailure, match="failed"):
        check("digest", {})
