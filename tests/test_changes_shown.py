"""What a surgery's verdict says of the graph that came back, against the one that was given: of a
public case, never of a hidden one, capped, and whatever a student's names say.
"""

from dataclasses import replace

import onnx
import pytest

from nbjudge import render
from nbjudge.contract import Answer, Exercise
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from nbjudge.verdict import MOST_CHANGES, TEXT_LIMIT
from tests.mutants import cases_of, grade_few, mutants, reference_functions

SURGERIES = ("dropout", "gemm", "layernorm")


def wrong(exercise: str, name: str):
    return next(each.functions for each in mutants(exercise) if each.name == name)


def public(exercise: str):
    return [case for case in cases_of(exercise) if case.public]


@pytest.mark.parametrize("exercise", SURGERIES)
def test_an_untouched_model_is_said_to_be_the_same(exercise):
    found = grade_few(exercise, wrong(exercise, "unchanged"), public(exercise))
    assert found.changes == ("The two models are the same.",)
    assert "The two models are the same." in render.text(found)


def test_it_says_what_was_put_in_place_of_a_node():
    found = grade_few("dropout", wrong("dropout", "identity"), public("dropout")[:1])
    *changes, rest = found.changes
    assert all("was a Dropout and is an Identity" in each for each in changes)
    assert rest == "11 of the 13 nodes that you were given are as they were."


@pytest.mark.parametrize("exercise", SURGERIES)
def test_nothing_is_said_of_a_hidden_case(exercise):
    """Neither where only a hidden case is wrong, nor where there is no public one."""
    hidden = [case for case in cases_of(exercise) if not case.public][:3]
    assert grade_few(exercise, wrong(exercise, "unchanged"), hidden).changes == ()
    right = reference_functions(exercise)
    [name] = right
    given = {case.files["model.onnx"] for case in public(exercise)}

    def on_public_ones_alone(model):
        return right[name](model) if model.SerializeToString() in given else model

    found = grade_few(exercise, {name: on_public_ones_alone}, [*public(exercise), *hidden])
    assert found.broken and found.broken.case in {case.name for case in hidden}
    assert found.changes == ()


def test_nothing_is_said_where_every_case_is_right():
    assert grade_few("gemm", reference_functions("gemm"), public("gemm")).changes == ()


def answered(exercise: Exercise, data: bytes):
    case = public(exercise.id)[0]
    return climb(exercise, [case], {case.name: Answer("returned", {"model.onnx": data})}, {})


@pytest.mark.parametrize("data", [b"", b"no model", b"\x08\x0a" * 5000])
def test_what_is_no_model_says_nothing_and_costs_nothing_more(data):
    assert answered(get("dropout"), data).changes == ()


def test_a_model_beyond_the_caps_is_not_compared():
    model = onnx.ModelProto.FromString(public("dropout")[0].files["model.onnx"])
    model.graph.node.extend([model.graph.node[0]] * 5000)
    assert answered(get("dropout"), model.SerializeToString()).changes == ()


def test_a_fault_of_the_comparison_is_no_mark(monkeypatch):
    from formatlab_exercises.shared.judge import surgery

    before = grade_few("dropout", wrong("dropout", "unchanged"), public("dropout"))
    monkeypatch.setattr(surgery, "diff", lambda *_, **__: 1 / 0)
    after = grade_few("dropout", wrong("dropout", "unchanged"), public("dropout"))
    assert after.changes == () and replace(before, changes=()) == after


def test_a_student_s_names_are_text_and_short():
    """Every node renamed and rewired, with names that would run in a browser or fill the page."""

    def remove_dropout(model):
        new = onnx.ModelProto()
        new.CopyFrom(model)
        for number, node in enumerate(new.graph.node):
            node.name = f"<script>alert({number})</script>\x1b[2J" + "long" * 500
            node.op_type = "Identity"
            del node.input[1:], node.attribute[:]
        return new

    found = grade_few("dropout", {"remove_dropout": remove_dropout}, public("dropout"))
    assert found.changes and len(found.changes) <= MOST_CHANGES
    assert all(len(each) <= TEXT_LIMIT for each in found.changes)
    page = render.html(found)
    assert "<script" not in page and "\x1b" not in page + render.text(found)
    assert "&lt;script" in page
