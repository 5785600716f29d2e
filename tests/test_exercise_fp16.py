"""The exercise fp16: its cases, what it accepts, what it says of the mistakes that it knows, and
what it survives.
"""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from formatlab import loading, numerics
from formatlab_exercises.fp16.judge import case_conversions, case_facts, rungs
from formatlab_exercises.fp16.judge.evaluate import evaluate, inputs_of
from nbjudge.contract import Answer
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from tests.mutants import (
    answers,
    cases_of,
    grade,
    grade_few,
    mutants,
    reference_functions,
    solutions,
)
from tests.seeds import seeds

EXERCISE = get("fp16")
# On the worker that grades the stored answers.
pytestmark = pytest.mark.xdist_group("mutants-fp16")
STORED = {mutant.name: mutant for mutant in mutants("fp16")}
VALID = [name for name, mutant in STORED.items() if mutant.rung is None]
STUBS = {
    name: next(each.functions for each in mutants(name) if each.name == "empty")
    for name in ("fp16", "overflow")
}
# For each difficulty, a stored answer that breaks on it.
KILLERS = {
    "large-divisor": "infinite_weights",
    "infinite-mask": "finite_masks",
    "shared-large": "double_casts",
    "large-in-a-tensor": "casts_large_numbers",
    "large-beside-infinity": "largest_of_finite",
    "large-given-out": "large_given_out",
    "constants": "misses_constants",
    "small-weights": "flushes_subnormals",
    "positions": "half_range",
    "annotated": "stale_value_info",
    "resized": "unsorted",
    "first-and-last": "half_borders",
}


def functions():
    return dict(reference_functions("fp16"))


def verdict(given, cases):
    """The ladder on some cases only, for answers that replace the reference's."""
    return grade_few("fp16", {**functions(), **given}, cases)


def case(name, seed=3):
    return next(case for case in cases_of("fp16", seed) if case.name == name)


def after_reference(edit):
    """The reference's model, edited."""

    def to_fp16(model):
        new = functions()["to_fp16"](model)
        return edit(new) or new

    return {"to_fp16": to_fp16}


def half_weight(model):
    return next(
        tensor
        for tensor in model.graph.initializer
        if tensor.data_type == TensorProto.FLOAT16 and tensor.dims
    )


@seeds(200)
def test_the_reference_is_right_on_two_hundred_seeds(seeds):
    for seed in seeds:
        cases = EXERCISE.cases(seed)
        given = answers(EXERCISE, functions(), cases)
        found = climb(
            EXERCISE,
            cases,
            given,
            {one.name: EXERCISE.digest(one, given[one.name]) for one in cases},
        )
        assert found.score == found.max_score == EXERCISE.points, (seed, found.broken)


@seeds(10, 2)
@pytest.mark.parametrize("name", VALID)
def test_other_right_answers_are_right_on_many_seeds(name, seeds):
    for seed in seeds:
        assert verdict(STORED[name].functions, EXERCISE.cases(seed)).broken is None, seed


@seeds(10, 2)
def test_cases_are_valid_models_that_run(seeds):
    for seed in seeds:
        for one in EXERCISE.graded_cases(seed):
            data = one.files["model.onnx"]
            loading.validate(data)
            numerics.run(data, inputs_of(one))


@seeds(10, 2)
def test_float16_is_close_to_float32_where_it_is_asked_for(seeds):
    for seed in seeds:
        for one in EXERCISE.graded_cases(seed):
            data = functions()["to_fp16"](
                onnx.ModelProto.FromString(one.files["model.onnx"])
            ).SerializeToString()
            allowed = rungs.tolerance(loading.parse(one.files["model.onnx"]))
            for feeds in inputs_of(one):
                [expected] = numerics.run(one.files["model.onnx"], [feeds])[0]
                for want, have in zip(expected, evaluate(data, feeds), strict=True):
                    # Half a step among the subnormal numbers, in sums of some ten, times the
                    # largest factor that a graph has behind them.
                    small = 10 * 2.0**-25 * 6e4 / (float(np.abs(want).max()) or 1.0)
                    assert numerics.relative_error(want, have) < allowed + small, (seed, one.name)


@pytest.mark.parametrize(("name", "killer"), KILLERS.items())
def test_each_difficulty_has_an_answer_that_fails_at_it(name, killer):
    assert verdict(STORED[killer].functions, [case(name)]).broken is not None
    assert all(verdict(STORED[valid].functions, [case(name)]).broken is None for valid in VALID)


def test_what_does_not_matter_does_not_matter():
    def rename(model):
        model.producer_name, model.doc_string, model.ir_version = "somebody", "half", 9
        model.graph.name = "other"
        for i, node in enumerate(model.graph.node):
            node.name = f"n{i}"

    def declare(model):
        return onnx.shape_inference.infer_shapes(model)

    def lower(model):
        """Initializers become Constants of the same name, but for defaults of inputs."""
        inputs = {value.name for value in model.graph.input}
        defaults = [tensor for tensor in model.graph.initializer if tensor.name in inputs]
        defaults = [onnx.TensorProto.FromString(each.SerializeToString()) for each in defaults]
        nodes = [
            helper.make_node("Constant", [], [tensor.name], value=tensor)
            for tensor in model.graph.initializer
            if tensor.name not in inputs
        ]
        nodes += [onnx.NodeProto.FromString(node.SerializeToString()) for node in model.graph.node]
        del model.graph.initializer[:], model.graph.node[:]
        model.graph.node.extend(nodes)
        model.graph.initializer.extend(defaults)

    for edit in (rename, declare, lower):
        assert verdict(after_reference(edit), EXERCISE.graded_cases(2)).broken is None, (
            edit.__name__
        )


def set_raw(model, numbers):
    tensor = half_weight(model)
    tensor.CopyFrom(numpy_helper.from_array(numbers(numpy_helper.to_array(tensor)), tensor.name))


@pytest.mark.parametrize(
    ("edit", "rung", "said"),
    [
        (
            lambda model: set_raw(model, lambda old: (old * np.float16(1.1)).astype(np.float16)),
            "structure",
            "not the nearest",
        ),
        (lambda model: set_raw(model, lambda old: old[None]), "structure", "another shape"),
        (
            lambda model: model.opset_import[0].__setattr__("version", 17),
            "contract",
            "opset imports",
        ),
        (
            lambda model: (
                model.graph.output[0].type.tensor_type.shape.dim[0].__setattr__("dim_value", 3)
            ),
            "contract",
            "type and shape",
        ),
        (
            lambda model: model.graph.node.append(
                helper.make_node("Cast", ["x/half"], ["spare"], to=1)
            ),
            "quality",
            "serves no output",
        ),
        (
            lambda model: model.graph.node.append(
                helper.make_node("Loop", ["", ""], ["l"], body=helper.make_graph([], "b", [], []))
            ),
            "loads",
            "sub",
        ),
    ],
)
def test_spoilt_models_are_found_out(edit, rung, said):
    one = case("chain")

    def rename_input(model):
        name = model.graph.input[0].name
        for node in model.graph.node:
            node.input[:] = ["x/half" if read == f"{name}/half" else read for read in node.input]
            node.output[:] = [
                "x/half" if written == f"{name}/half" else written for written in node.output
            ]
        edit(model)

    found = verdict(after_reference(rename_input), [one]).broken
    assert found is not None and found.name.partition(":")[0] == rung, found
    assert said in f"{found.expected} {found.found}", found


def test_float32_numbers_beside_the_rounded_ones_are_found_out():
    def keep_both(model):
        tensor = half_weight(model)
        wide = numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float32), "wide")
        reader = next(node for node in model.graph.node if tensor.name in node.input)
        reader.input[:] = ["narrow" if name == tensor.name else name for name in reader.input]
        model.graph.initializer.append(wide)
        model.graph.node.insert(
            0, helper.make_node("Cast", ["wide"], ["narrow"], to=TensorProto.FLOAT16)
        )

    found = verdict(after_reference(keep_both), [case("embedding"), case("chain")]).broken
    assert found.name == "structure" and "more float32 numbers" in found.found


def test_outputs_stored_as_constants_are_wrong():
    def store(model):
        del model.graph.node[:-1]
        model.graph.initializer.append(
            numpy_helper.from_array(np.zeros((2, 4, 5), np.float16), model.graph.node[0].input[0])
        )

    given = verdict(after_reference(store), [case("chain-new"), case("annotated")])
    assert {item.name for item in given.lost} >= {"usual", "exported"}


def test_a_hidden_case_gives_nothing_of_the_model_away():
    def tell(model):
        raise ValueError(model.graph.input[0].name)

    one = case("annotated")
    name = onnx.ModelProto.FromString(one.files["model.onnx"]).graph.input[0].name
    found = verdict({"to_fp16": tell}, [one]).broken
    assert name not in str(found) and "ValueError" in found.found


def test_casts_that_change_nothing_are_named_where_the_model_is_public():
    for name, is_told in (("chain", True), ("annotated", False)):
        one = case(name)
        rungs = grade_few("fp16", STORED["idle_casts"].functions, [one]).rungs
        found = next(rung.found for rung in rungs if rung.name == "quality")
        assert (", which write " in found) == is_told == one.public


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"model.onnx": b"\xff\xff"},
        {"report.json": b"{}"},
    ],
)
def test_a_forged_answer_is_no_answer(files):
    one = case("chain")
    found = climb(EXERCISE, [one], {one.name: Answer("returned", files)}, {one.name: {}})
    assert found.broken.name == "type" and found.score == 0


def test_what_fits_is_decided_by_rounding():
    assert case_facts.fits(np.float32([65519, -np.inf, np.nan, 1e-30]))
    assert not case_facts.fits(np.float32([65520]))


def test_every_conversion_has_a_number_to_convert():
    for build in {**case_conversions.PUBLIC, **case_conversions.HIDDEN}.values():
        assert build.__doc__
    assert all(case_facts.read(one.files["model.onnx"]).half for one in EXERCISE.graded_cases(4))


def test_the_two_functions_of_the_lab_earn_apart():
    """Each is an exercise: one alone is full marks there, and the other's stub changes nothing."""
    asked = {name: get(name) for name in ("fp16", "overflow")}
    assert {name: set(each.functions) for name, each in asked.items()} == {
        "fp16": {"to_fp16"},
        "overflow": {"find_overflow"},
    }
    assert solutions()["fp16"] == solutions()["overflow"]
    for name, other in (("fp16", "overflow"), ("overflow", "fp16")):
        functions = {**reference_functions(name), **STUBS[other]}
        assert grade(name, functions).score == asked[name].points
        nothing = {**STUBS[name], **reference_functions(other)}
        assert grade(name, nothing).score == 0
