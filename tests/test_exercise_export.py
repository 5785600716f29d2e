"""The exercise `export`: references are what torch computes, cases reach what they are about, and
no answer upsets the rungs.
"""

import json
import re
from dataclasses import replace

import numpy as np
import onnx
import pytest
import torch

from formatlab import numerics
from formatlab.measure import yardstick
from formatlab_exercises.export import building
from formatlab_exercises.export.ask import EXERCISE, REPORT, model_of, source_of
from formatlab_exercises.export.judge import cases
from formatlab_exercises.shared.judge import ruler, sources
from nbjudge.contract import Answer
from nbjudge.rungs.ladder import climb
from tests.mutants import (
    SEED,
    answers,
    asked_once,
    grade_hidden,
    mutants,
    reference_functions,
    references,
)
from tests.seeds import each_seed

CASES = EXERCISE.graded_cases(SEED)
STORED = {mutant.name: mutant for mutant in mutants("export")}
# Thousands of roundings.
SEEN = 3e-4
pytestmark = pytest.mark.xdist_group("mutants-export")
named = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def given(name):
    return asked_once(EXERCISE, STORED[name].functions, CASES)


def climbed(found):
    return climb(EXERCISE, CASES, found, references("export", SEED))


def module_of(case):
    main = case.parameters["main"]
    recipe = case.parameters["modules"][main]
    return building.module_of(case.files[source_of(main)], recipe)


def model(case, answer):
    """The file of the case's own module."""
    return answer.files[model_of(case.parameters["main"])]


def by_torch(case, values):
    module = module_of(case).eval()
    with torch.no_grad():
        return module(*map(torch.from_numpy, values.values())).numpy()


@named
def test_references_are_what_torch_computes(case):
    for run, values in enumerate(cases.inputs(case)):
        expected, found = by_torch(case, values), references("export", SEED)[case.name][f"{run}/0"]
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    runs = [[by_torch(case, values)] for values in cases.inputs(case)]
    assert units(references("export", SEED)[case.name], runs) < 2


def units(reference, runs):
    """How far the outputs are from those in float64, in units of what float32 costs the reference."""
    original, exact = (
        numerics.unpack({key.removeprefix(part): reference[key] for key in keys})
        for part, keys in (
            ("", [key for key in reference if not key.startswith(ruler.EXACT)]),
            (ruler.EXACT, [key for key in reference if key.startswith(ruler.EXACT)]),
        )
    )
    return yardstick.judge(runs, original, exact).units


@each_seed(20)
def test_a_right_file_leaves_room_for_another_processor(seed):
    """Four units are allowed. With AVX-512 the largest of these seeds is 2.03; with AVX2, below 2."""
    hidden = EXERCISE.cases(seed)
    found = answers(EXERCISE, STORED["valid_torchscript"].functions, hidden)
    given = answers(EXERCISE, reference_functions("export"), hidden)
    for case in hidden:
        data, inputs = model(case, found[case.name]), cases.inputs(case)
        runs = [outputs[0] for outputs in numerics.run(data, inputs, "ORT_ENABLE_ALL")]
        assert units(EXERCISE.digest(case, given[case.name]), runs) < 2.5, case


@each_seed(40)
def test_every_seed_hands_over_every_kind_in_every_way(seed):
    def given(key, drawn):
        return {case.parameters[key] for case in drawn}

    hidden, drawn = EXERCISE.cases(seed), EXERCISE.graded_cases(seed)
    assert given("kind", drawn) == {"mlp", "cnn", "pair", "tokens", "encoder", "frozen"}
    assert given("file", hidden) == {"model.onnx", "net v2.onnx", "deployed.onnx"}
    assert given("as_text", hidden) == {True, False}
    others = [case.parameters["others"] for case in hidden if case.parameters["others"]]
    assert [len(kinds) for kinds in others] == [1, 1]


@each_seed(20)
def test_inputs_have_one_row_the_examples_rows_and_others(seed):
    for case in EXERCISE.graded_cases(seed):
        sizes = [{len(value) for value in values.values()} for values in cases.inputs(case)]
        rows = [size for [size] in map(list, sizes)]
        assert rows[0] == case.parameters["rows"] and 1 in rows and len(set(rows)) >= 3
    assert case.parameters.keys() == EXERCISE.public_cases()[0].parameters.keys()


@each_seed(20)
def test_rows_and_inputs_matter(seed):
    """No module gives one output for all rows, or ignores one of its inputs."""
    for case in EXERCISE.graded_cases(seed):
        values = cases.inputs(case)[2]
        output = by_torch(case, values)
        assert numerics.relative_error(output, np.broadcast_to(output[:1], output.shape)) > SEEN
        for name, value in values.items():
            without = by_torch(case, {**values, name: np.zeros_like(value)})
            assert numerics.relative_error(output, without) > SEEN, (case.name, name)


def test_two_inputs_of_one_shape_cannot_change_places():
    pairs = [case for case in CASES if case.parameters["kind"] == "pair"]
    assert pairs
    for case in pairs:
        query, key = cases.inputs(case)[2].values()
        assert (
            np.abs(
                by_torch(case, {"query": query, "key": key})
                - by_torch(case, {"query": key, "key": query})
            ).max()
            > 1e-2
        )


@pytest.mark.parametrize("kind", ["attention", "rotary"])
def test_a_newer_operator_is_exported_without_an_error_and_refused_by_the_checker(kind, tmp_path):
    recipe = {**cases._recipe(kind, np.random.default_rng(0), 2), "frozen": []}
    source = sources.written(cases.MODULES, cases.CLASSES[kind])
    module, example = building.module_of(source, recipe).eval(), building.example_of(recipe)
    path = tmp_path / "newer.onnx"
    torch.onnx.export(
        module, (example,), path, opset_version=18, external_data=False, verbose=False
    )
    assert [entry.version for entry in onnx.load(path).opset_import if not entry.domain] == [18]
    with pytest.raises(onnx.checker.ValidationError, match="No Op registered"):
        onnx.checker.check_model(path, full_check=True)


def test_some_modules_come_out_at_18_when_17_is_asked_for():
    found = given("opset_17")
    opsets = {case.parameters["kind"]: _opset(model(case, found[case.name])) for case in CASES}
    assert opsets["mlp"] == 17 and opsets["cnn"] == 18


def _opset(data):
    [version] = [
        entry.version for entry in onnx.ModelProto.FromString(data).opset_import if not entry.domain
    ]
    return version


def test_the_modules_arrive_in_training_mode_but_for_what_is_frozen():
    modes = {
        case.parameters["kind"]: {each.training for each in module_of(case).modules()}
        for case in CASES
    }
    assert modes.pop("frozen") == {True, False}
    assert all(found == {True} for found in modes.values())


@pytest.mark.parametrize("mutant", [pytest.param(m, id=n) for n, m in STORED.items() if m.rung])
def test_a_hidden_case_gives_no_number_away(mutant):
    for rung in grade_hidden("export", mutant.functions).rungs:
        if rung.passed is False:
            assert rung.case.startswith("hidden-")
            assert not re.search(
                r"\d\.\d|\d\d", re.sub(r"opset \d\d|(float|int)\d\d", "", rung.found)
            ), rung


def edited(edit):
    """The answers of a valid mutant with every model edited."""

    def changed(case, answer):
        name = model_of(case.parameters["main"])
        model = onnx.ModelProto.FromString(answer.files[name])
        edit(model)
        return replace(answer, files={**answer.files, name: model.SerializeToString()})

    found = given("valid_torchscript")
    return {case.name: changed(case, found[case.name]) for case in CASES}


def test_an_idle_output_shape_and_weights_listed_as_inputs_are_welcome():
    def open_up(model):
        model.graph.input.extend(
            onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
            for tensor in model.graph.initializer
        )

    assert climbed(edited(open_up)).score == EXERCISE.points


def test_rows_of_an_output_without_a_name_are_no_name():
    def forget(model):
        model.graph.output[0].type.tensor_type.shape.dim[0].Clear()

    verdict = climbed(edited(forget))
    assert (verdict.broken.name, verdict.broken.found) == ("contract", "nothing at output")


def test_another_function_of_the_inputs_earns_nothing():
    def zero(model):
        for tensor in model.graph.initializer:
            if tensor.data_type == onnx.TensorProto.FLOAT:
                values = onnx.numpy_helper.to_array(tensor)
                tensor.CopyFrom(
                    onnx.numpy_helper.from_array(
                        -values if values.ndim > 1 else values, tensor.name
                    )
                )

    verdict = climbed(edited(zero))
    assert (verdict.broken.name, verdict.score) == ("numerics", 0)


@pytest.mark.parametrize(
    "data",
    [b"", b"noise" * 9, onnx.ModelProto(ir_version=10).SerializeToString()],
    ids=["none", "noise", "header"],
)
def test_bytes_that_are_no_model_score_nothing_much(data):
    answers = given("valid_torchscript")
    found = {
        case.name: replace(
            answers[case.name],
            files={**answers[case.name].files, model_of(case.parameters["main"]): data},
        )
        for case in CASES
    }
    verdict = climbed(found)
    assert (verdict.broken.name, verdict.score <= 0.1 * EXERCISE.points) == ("loads", True)


@pytest.mark.parametrize(
    "report",
    [
        b"",
        b"{}",
        b"[]",
        b'{"modules": 3}',
        b'{"modules": [3]}',
        b'{"modules": [{"modes": 1, "tensors": [], "gradients": [], "beside": []}]}',
    ],
)
def test_a_report_that_is_none_is_no_answer(report):
    found = {
        name: Answer("returned", {**answer.files, REPORT: report})
        for name, answer in given("valid_torchscript").items()
    }
    verdict = climbed(found)
    assert (verdict.broken.name, verdict.score) == ("type", 0)


def test_a_valid_file_for_the_newer_operator_is_as_good_as_a_refusal():
    """Somebody may write the operator out in those of opset 18."""

    def welcome(case, answer):
        if not case.parameters["newer"]:
            return answer
        report, other = json.loads(answer.files[REPORT]), 1 - case.parameters["main"]
        report["modules"][other]["raised"] = None
        written = {REPORT: json.dumps(report).encode(), model_of(other): model(case, answer)}
        return replace(answer, files={**answer.files, **written})

    found = given("valid_torchscript")
    found = {case.name: welcome(case, found[case.name]) for case in CASES}
    assert climbed(found).score == EXERCISE.points


@pytest.mark.parametrize(
    ("raised", "is_explained"),
    [("AssertionError", True), ("ValueError", True), ("KeyError", False)],
)
def test_a_refusal_of_fixed_rows_is_told_what_fixed_them(raised, is_explained):
    """Whoever checks the file as part 1 of the line does raises for this module, and needs to know
    why the rows are fixed.
    """
    public = EXERCISE.public_cases()
    found = dict(asked_once(EXERCISE, STORED["valid_torchscript"].functions, public))
    found["encoder-one-row"] = Answer("raised", {}, error={"type": raised, "text": ""})
    verdict = climb(EXERCISE, public, found, references("export", SEED))
    assert (verdict.broken.name, verdict.broken.case) == ("type", "encoder-one-row")
    assert ("two rows" in verdict.broken.cause) is is_explained
