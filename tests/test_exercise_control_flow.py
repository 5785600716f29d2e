"""The exercise `control_flow`: references are what Python computes, the cases decide both ways, and
no answer upsets the rungs.
"""

import io
import re
import warnings
from dataclasses import replace

import numpy as np
import onnx
import pytest
import torch
from onnxscript._framework_apis import torch_2_5

from formatlab_exercises.control_flow import recipes
from formatlab_exercises.control_flow.ask import EXERCISE, MODEL
from formatlab_exercises.control_flow.judge.rungs import inputs
from formatlab_exercises.shared import exporting
from nbjudge.asking import ask
from nbjudge.contract import Answer
from nbjudge.rungs.ladder import climb
from tests.mutants import SEED, answers, asked_once, grade_hidden, mutants, references
from tests.seeds import each_seed

CASES = EXERCISE.graded_cases(SEED)
BRANCHES = [case for case in CASES if case.parameters["function"] == "export_branch"]
LOOPS = [case for case in CASES if case.parameters["function"] == "export_loop"]
STORED = {mutant.name: mutant for mutant in mutants("control_flow")}
# Where answers are asked once for all tests.
pytestmark = pytest.mark.xdist_group("mutants-control_flow")
named = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def given(name):
    return asked_once(EXERCISE, STORED[name].functions, CASES)


def climbed(found):
    return climb(EXERCISE, CASES, found, references("control_flow", SEED))


def message(rung):
    return f"{rung.expected} | {rung.found} | {rung.cause}"


def by_python(case, values):
    if case in BRANCHES:
        predicate, then_fn, else_fn, _ = recipes.branch(case.parameters)
        x = torch.from_numpy(values["x"])
        return then_fn(x) if predicate(x) else else_fn(x)
    step, _, _ = recipes.loop(case.parameters)
    state = torch.from_numpy(np.asarray(values["state"]))
    for element in torch.from_numpy(values["sequence"]):
        state = step(state, element)
    return state


@named
def test_references_are_what_python_computes(case):
    for run, values in enumerate(inputs(case)):
        found, expected = (
            references("control_flow", SEED)[case.name][f"{run}/0"],
            by_python(case, values).numpy(),
        )
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@each_seed(40)
def test_inputs_take_both_branches_and_many_lengths(seed):
    examples = []
    for case in EXERCISE.graded_cases(seed):
        if case.parameters["function"] == "export_branch":
            predicate, *_, example = recipes.branch(case.parameters)
            assert [bool(predicate(torch.from_numpy(values["x"]))) for values in inputs(case)] == [
                True,
                False,
            ] * 2
            assert {values["x"].shape for values in inputs(case)} == {tuple(example.shape)}
            examples.append(bool(predicate(example)))
        else:
            lengths = [len(values["sequence"]) for values in inputs(case)]
            assert (
                lengths[0] == len(case.parameters["sequence"])
                and len(set(lengths)) == 4
                and max(lengths) <= 30
            )
    assert set(examples) == {False, True}


@each_seed(40)
def test_every_seed_has_every_kind_as_many_of_one_function_as_of_the_other(seed):
    hidden = [case.parameters for case in EXERCISE.cases(seed)]
    usual, matrix, loop = [given for given in hidden if given["function"] == "export_loop"]
    same, _, branch = [given for given in hidden if given["function"] == "export_branch"]
    assert isinstance(loop["initial"], int) and np.ndim(loop["sequence"][0]) == 1
    assert branch["reduced"] and branch["branches"][0]["weight"] and loop["weights"]
    assert not (same["reduced"] or same["branches"][0]["weight"] or usual["weights"])
    assert np.ndim(matrix["sequence"]) == 3


@each_seed(40)
def test_the_two_branches_differ_and_the_order_of_the_steps_matters(seed):
    for case in EXERCISE.graded_cases(seed):
        if case.parameters["function"] == "export_branch":
            _, then_fn, else_fn, example = recipes.branch(case.parameters)
            assert then_fn(example).shape == else_fn(example).shape
            assert (then_fn(example) - else_fn(example)).abs().max() > 0.1


def test_a_frozen_branch_and_a_frozen_loop_together_earn_next_to_nothing():
    loops = given("unrolled_loop")
    found = {case.name: (loops if case in LOOPS else given("frozen"))[case.name] for case in CASES}
    assert climbed(found).score <= 0.1 * EXERCISE.points


@pytest.fixture(autouse=True, scope="module")
def frozen_branch():
    """A branch that is traced; its message is that of other mutants, so it is no mutant of its own."""

    def export_branch(predicate, then_fn, else_fn, example):
        class Choice(torch.nn.Module):
            def forward(self, x):
                return then_fn(x) if predicate(x) else else_fn(x)

        buffer = io.BytesIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                Choice(), (example,), buffer, dynamo=False, input_names=["x"], output_names=["y"]
            )
        return onnx.load_from_string(buffer.getvalue())

    functions = {
        "export_branch": export_branch,
        "export_loop": STORED["unrolled_loop"].functions["export_loop"],
    }
    STORED["frozen"] = type(STORED["empty"])(
        "frozen", "", functions, 0.1, "structure", "one branch is missing", ""
    )


@pytest.mark.parametrize(
    "mutant",
    [pytest.param(m, id=n) for n, m in STORED.items() if m.rung and n != "raises_in_python_if"],
)
def test_a_hidden_case_gives_no_number_away(mutant):
    for rung in grade_hidden("control_flow", mutant.functions).rungs:
        if rung.passed is False:
            assert rung.case.startswith("hidden-")
            assert not re.search(
                r"\d\.\d|\d\d|length \d", rung.found.replace("IR version 14, opset 28", "")
            ), rung


def test_what_torch_says_in_the_end_is_what_is_shown():
    [public] = [case for case in CASES if case.name == "branch"]
    answer = answers(EXERCISE, STORED["raises_in_python_if"].functions, [public])["branch"]
    assert answer.error["type"] == "TorchExportError" and answer.error["text"].startswith(
        "Could not guard on data-dependent expression"
    )


def edited(edit):
    """The answers of a valid mutant with every model edited."""

    def changed(answer):
        model = onnx.ModelProto.FromString(answer.files[MODEL])
        edit(model)
        return Answer("returned", {MODEL: model.SerializeToString()})

    return {name: changed(answer) for name, answer in given("valid_composed").items()}


def test_other_dimension_names_and_no_output_shape_are_welcome():
    def open_up(model):
        for value in (*model.graph.input, *model.graph.output):
            for i, dim in enumerate(value.type.tensor_type.shape.dim):
                dim.dim_param = f"d{i}_{value.name}"

    assert climbed(edited(open_up)).score == EXERCISE.points


def test_work_that_hides_in_a_long_profile_is_found():
    """A loop of thirty thousand steps, whose result is not used, comes first."""
    idle = onnx.parser.parse_graph("""idle () => (float last) {
        steps = Constant <value = int64 {30000}> ()
        more = Constant <value = bool {1}> ()
        zero = Constant <value = float {0}> ()
        last = Loop (steps, more, zero) <body = step (int64 i, bool go, float state) => (bool on, float next)
            {on = Identity (go) next = Relu (state)}>
    }""")

    def lengthen(model):
        if model.graph.output[0].name == "y":
            nodes = list(model.graph.node)
            del model.graph.node[:]
            model.graph.node.extend([*idle.node, *nodes])

    verdict = climbed(edited(lengthen))
    assert verdict.broken.name == "structure"
    assert "tens of thousands of operators" in verdict.broken.found


def test_a_constant_for_an_output_breaks_structure():
    def freeze(model):
        [output] = model.graph.output
        kind = output.type.tensor_type
        dims = [dim.dim_value for dim in kind.shape.dim]
        values = onnx.helper.make_tensor("value", kind.elem_type, dims, [0] * int(np.prod(dims)))
        del model.graph.node[:], model.graph.initializer[:]
        model.graph.node.append(onnx.helper.make_node("Constant", [], [output.name], value=values))

    verdict = climbed(edited(freeze))
    assert (verdict.broken.name, verdict.score) == ("structure", 0)


@pytest.mark.parametrize(
    "data",
    [b"", b"noise" * 9, onnx.ModelProto(ir_version=10).SerializeToString()],
    ids=["nothing", "noise", "header"],
)
def test_bytes_that_are_no_model_score_nothing_much(data):
    verdict = climbed({case.name: Answer("returned", {MODEL: data}) for case in CASES})
    assert (verdict.broken.name, verdict.score <= 0.1 * EXERCISE.points) == ("loads", True)


def test_the_exporter_reads_its_operators_once_a_process():
    from torch.onnx._internal._lazy_import import onnxscript_apis

    exporting.prepare()
    exporting.prepare()
    listed = onnxscript_apis.get_torchlib_ops()
    assert listed is onnxscript_apis.get_torchlib_ops()
    # torch reads all of it but the domain, for which every source would be parsed.
    assert [replace(each, domain="") for each in listed] == [
        replace(each, domain="") for each in torch_2_5.get_torchlib_ops()
    ]


def test_an_export_that_fails_prints_no_graph(capfd, tmp_path):
    [public] = [case for case in CASES if case.name == "branch"]
    answer = ask(EXERCISE, STORED["raises_in_python_if"].functions, public, tmp_path)
    assert answer.outcome == "raised"
    assert "def forward" not in capfd.readouterr().err


def test_an_operator_that_is_registered_between_two_exports_is_found():
    from torch._export import utils

    exporting.prepare()
    utils._collect_all_valid_cia_ops()
    with torch.library._scoped_library("course_late", "DEF") as library:
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: 2 * x, "CompositeImplicitAutograd")
        found = utils._collect_all_valid_cia_ops()
        assert torch.ops.course_late.twice.default in found
