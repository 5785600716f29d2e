"""The exercise fp16: its cases, what it accepts, what it says of the mistakes that it knows, and
what it survives.
"""

import json

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from mutants import answers, cases_of, grade_few, mutants, reference_functions
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from safetensors.numpy import load
from seeds import seeds

from autograder.contract import Answer
from autograder.exercises import get
from autograder.rungs.ladder import climb
from exercises.fp16.judge import (
    case_conversions,
    case_facts,
    case_overflows,
    case_sketch,
    rungs,
)
from exercises.fp16.judge.evaluate import evaluate, inputs_of
from workbench import loading, numerics

EXERCISE = get("fp16")
# On the worker that grades the stored answers.
pytestmark = pytest.mark.xdist_group("mutants-fp16")
STORED = {mutant.name: mutant for mutant in mutants("fp16")}
VALID = [name for name, mutant in STORED.items() if mutant.rung is None]
# For each difficulty, a stored answer that breaks on it.
KILLERS = {
    "large-divisor": "infinite_weights",
    "attention": "library_clips",
    "infinite-mask": "finite_masks",
    "shared-large": "double_casts",
    "large-in-a-tensor": "casts_large_numbers",
    "constants": "misses_constants",
    "small-weights": "flushes_subnormals",
    "positions": "half_range",
    "annotated": "stale_value_info",
    "residual": "unsorted",
    "first-and-last": "half_borders",
    "scores": "lists_downstream",
    "zero": "cpu_runtime",
    "mask": "blames_masks",
    "twice": "first_only",
    "through-zero": "cpu_runtime",
    "island": "names_nodes",
}


def functions():
    return dict(reference_functions("fp16"))


def verdict(given, cases):
    """The ladder on some cases only, for answers that replace the reference's."""
    return grade_few("fp16", {**functions(), **given}, cases)


def case(name, seed=3):
    return next(case for case in cases_of("fp16", seed) if case.name == name)


def conversion_cases(seed):
    return [one for one in EXERCISE.graded_cases(seed) if one.parameters["ask"] == "convert"]


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
        assert found.score == found.max_score == 8.0, (seed, found.broken)


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
            feeds = (
                inputs_of(one)
                if one.parameters["ask"] == "convert"
                else [load(one.files["feeds.safetensors"])]
            )
            numerics.run(data, feeds)


def test_cases_are_deterministic_in_the_seed_and_differ_between_seeds():
    first, again, other = (EXERCISE.cases(seed) for seed in (1, 1, 2))
    assert [one.files for one in first] == [one.files for one in again]
    assert all(a.files != b.files and a.seed != b.seed for a, b in zip(first, other, strict=True))
    assert [one.name for one in first] == [one.name for one in other]
    names = [one.name for one in EXERCISE.graded_cases(1)]
    assert len(set(names)) == len(names)
    assert all(one.public and one.seed == 0 for one in EXERCISE.public_cases())
    assert not any(one.public for one in EXERCISE.cases(5))


def test_either_function_alone_leaves_half_of_the_cases():
    asked = [one.parameters["ask"] for one in EXERCISE.graded_cases(0)]
    assert asked.count("convert") == asked.count("search")


@seeds(10, 2)
def test_float16_is_close_to_float32_where_it_is_asked_for(seeds):
    for seed in seeds:
        for one in conversion_cases(seed):
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


@seeds(20)
def test_overflows_keep_clear_of_the_limit(seeds):
    """No finite value lies within 5 % of 65520, so that the order of a sum decides nothing."""
    for seed in seeds:
        for one in EXERCISE.graded_cases(seed):
            if one.parameters["ask"] == "search":
                model, feeds = (
                    onnx.ModelProto.FromString(one.files["model.onnx"]),
                    load(one.files["feeds.safetensors"]),
                )
                with np.errstate(all="ignore"):
                    values = ReferenceEvaluator(model).run(None, feeds, intermediate=True)
                halves = [
                    value
                    for value in values.values()
                    if getattr(value, "dtype", None) == np.float16
                ]
                largest = max(
                    float(np.abs(value[np.isfinite(value)]).max(initial=0)) for value in halves
                )
                assert largest < 0.95 * 65520, (one.name, largest)


@pytest.mark.parametrize("name", [*case_overflows.PUBLIC, *case_overflows.HIDDEN])
def test_a_search_finds_what_its_case_hides(name):
    expected = json.loads(answers(EXERCISE, functions(), [case(name)])[name].files["names.json"])
    calm = {"calm-mask", "calm-feeds", "mask", "small-feeds", "subnormal"}
    twice = {"two-branches", "two-overflows", "twice", "two-in-a-row", "through-zero"}
    assert len(expected) == (0 if name in calm else 2 if name in twice else 1)


@pytest.mark.parametrize(("name", "killer"), KILLERS.items())
def test_each_difficulty_has_an_answer_that_fails_at_it(name, killer):
    assert verdict(STORED[killer].functions, [case(name)]).broken is not None
    assert all(verdict(STORED[valid].functions, [case(name)]).broken is None for valid in VALID)


def test_no_alphabet_has_the_order_of_the_nodes():
    """Else it depends on the draw what an answer is worth that sorts the names."""
    find = reference_functions("fp16")["find_overflow"]
    several = {case_overflows.two_branches, case_overflows.twice, case_overflows.through_zero}
    for seed in range(8):
        for build in several:
            sketch = case_sketch.Float16Sketch(np.random.default_rng(seed))
            build(sketch)
            names = find(sketch.model(), sketch.feeds)
            assert len(names) == 2 and names == sorted(names, reverse=True), (build, seed)


def test_the_cpu_provider_hides_what_the_reference_evaluator_shows():
    one = case("out-and-back")
    feeds = load(one.files["feeds.safetensors"])
    session = ort.InferenceSession(one.files["model.onnx"], providers=["CPUExecutionProvider"])
    assert np.isfinite(session.run(None, feeds)[0].astype(np.float32)).all()
    assert not np.isfinite(evaluate(one.files["model.onnx"], feeds)[0].astype(np.float32)).all()


def test_silent_zeros_are_finite():
    one = case("silent-zero")
    assert np.isfinite(
        evaluate(one.files["model.onnx"], load(one.files["feeds.safetensors"]))[0].astype(
            np.float32
        )
    ).all()


@pytest.mark.parametrize("missing", ["to_fp16", "find_overflow"])
def test_each_function_earns_its_own_points(missing):
    def stub(*arguments):
        raise NotImplementedError()

    stub.__name__ = missing
    found = verdict({missing: stub}, EXERCISE.graded_cases(1))
    assert (found.broken.name, found.score) == (
        "exists",
        {"to_fp16": 2.0, "find_overflow": 6.0}[missing],
    ) and missing in found.broken.expected


def test_what_does_not_matter_does_not_matter():
    def rename(model):
        model.producer_name, model.doc_string, model.ir_version = "somebody", "half", 9
        model.graph.name = "other"
        for i, node in enumerate(model.graph.node):
            node.name = f"n{i}"

    def declare(model):
        return onnx.shape_inference.infer_shapes(model)

    def lower(model):
        """Initializers become Constants of the same name."""
        nodes = [
            helper.make_node("Constant", [], [tensor.name], value=tensor)
            for tensor in model.graph.initializer
        ]
        nodes += [onnx.NodeProto.FromString(node.SerializeToString()) for node in model.graph.node]
        del model.graph.initializer[:], model.graph.node[:]
        model.graph.node.extend(nodes)

    for edit in (rename, declare, lower):
        assert verdict(after_reference(edit), conversion_cases(2)).broken is None, edit.__name__


def test_a_tuple_of_names_is_a_list_of_names():
    search = functions()["find_overflow"]
    cases = [one for one in EXERCISE.cases(2) if one.parameters["ask"] == "search"]
    assert (
        verdict({"find_overflow": lambda model, feeds: tuple(search(model, feeds))}, cases).broken
        is None
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
    assert found is not None and found.name == rung and said in f"{found.expected} {found.found}", (
        found
    )


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

    found = verdict(after_reference(keep_both), [case("residual"), case("chain")]).broken
    assert found.name == "structure" and "more float32 numbers" in found.found


def test_outputs_stored_as_constants_are_wrong():
    def store(model):
        del model.graph.node[:-1]
        model.graph.initializer.append(
            numpy_helper.from_array(np.zeros((2, 4, 5), np.float16), model.graph.node[0].input[0])
        )

    assert verdict(after_reference(store), [case("chain"), case("residual")]).score <= 0.6 * 8


def test_a_hidden_case_gives_nothing_of_the_model_away():
    def tell(model):
        raise ValueError(model.graph.input[0].name)

    one = case("residual")
    name = onnx.ModelProto.FromString(one.files["model.onnx"]).graph.input[0].name
    found = verdict({"to_fp16": tell}, [one]).broken
    assert name not in str(found) and "ValueError" in found.found
    secret = case("scores")
    found = verdict({"find_overflow": lambda model, feeds: ["secret"]}, [secret]).broken
    assert "secret" not in str(found)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"model.onnx": b"\xff\xff"},
        {"names.json": b"[1]"},
        {"names.json": b"[" * 99},
        {"report.json": b"{}"},
    ],
)
def test_a_forged_answer_is_no_answer(files):
    for one in (case("chain"), case("scores")):
        found = climb(EXERCISE, [one], {one.name: Answer("returned", files)}, {one.name: {}})
        assert found.broken.name == "type" and found.score == 0


def test_what_fits_is_decided_by_rounding():
    assert case_facts.fits(np.float32([65519, -np.inf, np.nan, 1e-30]))
    assert not case_facts.fits(np.float32([65520]))


def test_every_conversion_has_a_number_to_convert():
    for build in {**case_conversions.PUBLIC, **case_conversions.HIDDEN}.values():
        assert build.__doc__
    assert all(case_facts.read(one.files["model.onnx"]).half for one in conversion_cases(4))
