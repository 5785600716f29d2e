"""Right answers whose graphs are bent afterwards. Each edit gets a finding, and no rung raises: that
would make a student's file a fault of the harness.
"""

from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load, save

from formatlab_exercises.shared.arrays import ANSWER
from nbjudge.contract import Answer, Case
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from tests.mutants import LARGE, asked_once, group_of, reference_functions, references

GRAPHS = (
    *("dropout", "layernorm", "gemm", "control_flow", "optimizers", "export", "mend_export"),
    *("fp16", "int8_dynamic", "int8_static", "saturation", "sensitivity", "capstone"),
)
ARRAYS = {"quantize": ("codes", "scale", "zero_point"), "calibration": ("cut",)}
SHAPES = {"empty": (0,), "of-rank-two": (1, 2), "of-rank-three": (2, 2, 2)}


def grouped(names):
    return [pytest.param(name, marks=pytest.mark.xdist_group(group_of(name))) for name in names]


def drops_an_output(model):
    del model.graph.output[-1]


def has_a_second_output(model):
    name = model.graph.output[-1].name
    model.graph.node.append(helper.make_node("Identity", [name], ["second"]))
    model.graph.output.append(model.graph.output[-1])
    model.graph.output[-1].name = "second"


def has_a_second_input(model):
    model.graph.input.append(helper.make_tensor_value_info("more", TensorProto.FLOAT, ["k"]))


def writes_a_sequence(model):
    value = behind(model, lambda name, new: [helper.make_node("SequenceConstruct", [name], [new])])
    kind = value.type.tensor_type.elem_type
    value.type.CopyFrom(
        helper.make_sequence_type_proto(helper.make_tensor_type_proto(kind, shape=None))
    )


def writes_no_rows(model):
    model.graph.initializer.append(numpy_helper.from_array(np.array([0]), "none"))
    behind(model, lambda name, new: [helper.make_node("Slice", [name, *["none"] * 3], [new])])


def fails_when_it_runs(model):
    """A Reshape to one more row than there is."""
    model.graph.initializer.append(numpy_helper.from_array(np.array(1), "one"))
    behind(
        model,
        lambda name, new: [
            helper.make_node("Shape", [name], ["shape"]),
            helper.make_node("Add", ["shape", "one"], ["larger"]),
            helper.make_node("Reshape", [name, "larger"], [new]),
        ],
    )


def behind(model, made):
    """Nodes between the last output and what wrote it."""
    value = model.graph.output[-1]
    for node in model.graph.node:
        for names in (node.input, node.output):
            names[:] = ["was" if name == value.name else name for name in names]
    model.graph.node.extend(made("was", value.name))
    value.type.tensor_type.ClearField("shape")
    return value


EDITS = (
    *(drops_an_output, has_a_second_output, has_a_second_input),
    *(writes_a_sequence, writes_no_rows, fails_when_it_runs),
)


def bent(answer: Answer, edit) -> Answer:
    files = dict(answer.files)
    for name in files:
        if name.endswith(".onnx"):
            model = onnx.ModelProto.FromString(files[name])
            edit(model)
            files[name] = model.SerializeToString()
    return replace(answer, files=files)


def right_answers(exercise: str) -> tuple[list[Case], dict[str, Answer]]:
    large = LARGE.get(exercise, frozenset())
    cases = [case for case in get(exercise).public_cases() if case.name not in large]
    return cases, asked_once(get(exercise), reference_functions(exercise), cases)


@pytest.mark.parametrize("exercise", grouped(GRAPHS))
def test_a_bent_graph_gets_a_finding(exercise):
    cases, right = right_answers(exercise)
    known = references(exercise, 0, cases)
    for edit in EDITS:
        given = {name: bent(answer, edit) for name, answer in right.items()}
        assert climb(get(exercise), cases, given, known).broken, edit.__name__


@pytest.mark.parametrize("exercise", grouped(ARRAYS))
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_an_array_in_place_of_a_number_gets_a_finding(exercise, shape):
    """As only a runner writes it that was interfered with."""
    cases, right = right_answers(exercise)
    known = references(exercise, 0, cases)
    for key in ARRAYS[exercise]:
        given = {}
        for name, answer in right.items():
            arrays = load(answer.files[ANSWER]) | {key: np.ones(shape)}
            given[name] = replace(answer, files={**answer.files, ANSWER: save(arrays)})
        assert climb(get(exercise), cases, given, known).broken, key
