"""The exercise `shapes`: its reference agrees with PyTorch and ONNX Runtime, its cases are valid,
and its rungs survive any answer.
"""

import json
import re
import sys
from pathlib import Path

import nbformat
import numpy as np
import onnx
import onnxruntime as ort
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from onnx import TensorProto, helper, shape_inference

from formatlab.graphs import subgraphs
from formatlab.models import make_model
from formatlab_exercises.shapes.ask import ANSWER, EXERCISE, MODEL
from formatlab_exercises.shapes.judge.case_models import HIDDEN_KINDS, KINDS_OF_MODELS
from formatlab_exercises.shapes.judge.cases import SIZES
from formatlab_exercises.shapes.judge.counting import CLASSES
from formatlab_exercises.shapes.judge.readings import tells_mistakes_apart
from nbjudge.contract import Answer
from nbjudge.rungs.ladder import climb
from tests.mutants import SEED, grade, grade_hidden, mutants, reference_functions, references
from tests.seeds import each_seed, seeds

# On the worker that grades the stored answers.
pytestmark = pytest.mark.xdist_group("mutants-shapes")
ROOT = Path(__file__).parents[1]
CASES = EXERCISE.graded_cases(SEED)
MODELS = [pytest.param(case.files[MODEL], id=case.name) for case in CASES if MODEL in case.files]
WRONG = [pytest.param(mutant, id=mutant.name) for mutant in mutants("shapes") if mutant.rung]
conv_output_size, shape_coverage = (
    reference_functions("shapes")[name] for name in EXERCISE.functions
)


@st.composite
def windows(draw, most_padding=lambda kernel, extent: extent - 1):
    kernel, dilation = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    padding = st.integers(0, most_padding(kernel, dilation * (kernel - 1) + 1))
    return {
        "size": draw(st.integers(1, 40)),
        "kernel": kernel,
        "stride": draw(st.integers(1, 6)),
        "padding": (draw(padding), draw(padding)),
        "dilation": dilation,
        "ceil_mode": draw(st.booleans()),
    }


def expected(arguments):
    try:
        return conv_output_size(**arguments)
    except ValueError:
        return None


def pooling(size, kernel, stride, padding, dilation, ceil_mode, operator="MaxPool"):
    node = helper.make_node(
        operator,
        ["x"],
        ["y"],
        kernel_shape=[kernel],
        strides=[stride],
        pads=list(padding),
        dilations=[dilation],
        ceil_mode=int(ceil_mode),
    )
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, size])
    return make_model(
        helper.make_graph(
            [node],
            "pool",
            [x],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, "n"])],
        )
    )


@given(windows(lambda kernel, extent: kernel // 2))
def test_sizes_are_those_of_torch(arguments):
    begin, _ = arguments["padding"]
    arguments["padding"] = (begin, begin)
    values = list(arguments.values())
    try:
        found = torch.nn.functional.max_pool1d(
            torch.zeros(1, 1, values[0]), *values[1:3], begin, *values[4:]
        ).shape[2]
    except RuntimeError:
        found = None
    assert expected(arguments) == found


@given(windows(lambda kernel, extent: kernel - 1), st.sampled_from(["MaxPool", "AveragePool"]))
def test_sizes_are_those_of_onnx_runtime(arguments, operator):
    assume(expected(arguments) is not None)
    session = ort.InferenceSession(
        pooling(**arguments, operator=operator).SerializeToString(),
        providers=["CPUExecutionProvider"],
    )
    [y] = session.run(None, {"x": np.zeros((1, 1, arguments["size"]), np.float32)})
    assert y.shape[2] == expected(arguments)


@given(windows())
def test_sizes_without_ceil_mode_are_those_of_shape_inference(arguments):
    arguments["ceil_mode"] = False
    assume(expected(arguments) is not None)
    inferred = shape_inference.infer_shapes(pooling(**arguments))
    assert inferred.graph.output[0].type.tensor_type.shape.dim[2].dim_value == expected(arguments)


@given(windows(), windows())
def test_a_convolution_has_as_many_windows_as_torch_says(first, second):
    both = [
        {**window, "ceil_mode": False, "padding": (window["padding"][0],) * 2}
        for window in (first, second)
    ]
    sizes = [expected(window) for window in both]
    assume(None not in sizes)
    layer = torch.nn.Conv2d(
        1, 1, *[tuple(w[key] for w in both) for key in ("kernel", "stride")], tuple(w["padding"][0] for w in both),
        tuple(w["dilation"] for w in both),
    )  # fmt: skip
    assert list(layer(torch.zeros(1, 1, both[0]["size"], both[1]["size"])).shape[2:]) == sizes


@pytest.mark.parametrize("data", MODELS)
def test_models_are_valid_and_what_they_declare_contradicts_nothing(data):
    onnx.checker.check_model(data, full_check=True)
    shape_inference.infer_shapes(onnx.ModelProto.FromString(data), strict_mode=True)
    # Its operator is nobody's.
    if "lab.vendor" not in {
        entry.domain for entry in onnx.ModelProto.FromString(data).opset_import
    }:
        ort.InferenceSession(data, providers=["CPUExecutionProvider"])


@each_seed(5, 2)
def test_models_tell_mistakes_apart(seed):
    assert all(
        tells_mistakes_apart(case.files[MODEL])
        for case in EXERCISE.graded_cases(seed)
        if MODEL in case.files
    )


def test_each_kind_is_public_and_hidden():
    names = sorted([*SIZES, *KINDS_OF_MODELS])
    assert sorted(case.name for case in EXERCISE.public_cases()) == names
    assert sorted(case.name for case in EXERCISE.cases(SEED)) == sorted(
        f"hidden-{name}" for name in (*names, *HIDDEN_KINDS)
    )


def test_the_lab_says_what_is_in_each_public_case():
    cells = nbformat.read(ROOT / "solutions" / "day-50" / "shapes.ipynb", as_version=4).cells
    text = next(cell.source for cell in cells if "| case | what is in it |" in cell.source)
    table = text.partition("| case | what is in it |")[2].partition("\n\n")[0]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    named = re.findall("`([^`]+)`", "".join(rows))
    assert sorted(named) == sorted(case.name for case in EXERCISE.public_cases())


def test_every_class_is_in_the_models():
    totals = sum(
        references("shapes", SEED)[case.name]["counts"] for case in CASES if MODEL in case.files
    )
    assert (totals > 20).all()


@seeds(4, 1)
@pytest.mark.parametrize("mutant", WRONG)
def test_a_wrong_answer_loses_the_same_items_on_every_seed(mutant, seeds):
    for seed in seeds:
        verdict = grade("shapes", mutant.functions, seed)
        assert {item.name for item in verdict.lost} == mutant.loses, seed


@pytest.mark.parametrize("mutant", WRONG)
def test_a_hidden_case_gives_no_number_away(mutant):
    for rung in grade_hidden("shapes", mutant.functions).rungs:
        if rung.passed is False:
            assert rung.case.startswith("hidden-")
            fixed = {"padding=(0, 0)", "stride=1", "dilation=1"}
            text = rung.expected + rung.found
            for words in fixed:
                text = text.replace(words, "")
            assert not re.search(r"\b[2-9]\d*\b|\d\d", text), rung


def test_a_list_of_the_public_answers_earns_nothing():
    known = {case.files[MODEL]: case for case in EXERCISE.public_cases() if MODEL in case.files}

    def remembers(model):
        return shape_coverage(
            onnx.ModelProto.FromString(
                known[model.SerializeToString(deterministic=True)].files[MODEL]
            )
        )

    def remembers_size(*arguments, **named):
        raise KeyError("unknown")

    assert (
        grade("shapes", {"conv_output_size": remembers_size, "shape_coverage": remembers}).score
        == 0
    )


def test_what_the_graph_around_declares_does_not_count_in_a_branch():
    """A branch's table that begins with the one of the graph around it."""

    def shape_coverage(model):
        counts = dict.fromkeys(CLASSES, 0)
        graphs = [(model.graph, {})]
        for graph, outer in graphs:
            declared = outer | {each.name: each for each in [*graph.value_info, *graph.output]}
            for node in graph.node:
                graphs += [(child, declared) for child in subgraphs(node)]
                for name in filter(None, node.output):
                    counts[kind(declared.get(name))] += 1
        return counts

    kind = vars(sys.modules["mutant_shapes_valid_plain"])["kind"]
    functions = {**reference_functions("shapes"), "shape_coverage": shape_coverage}
    broken = grade("shapes", functions).broken
    assert (broken.name, broken.case, broken.wrong) == ("structure", "hidden-twins", 3)


def test_a_function_that_counts_nothing_earns_nothing_where_the_other_one_fails():
    """Fewer than half of the cases are left to see that it does."""
    largest = max((case.files[MODEL] for case in CASES if MODEL in case.files), key=len)

    def fails(*arguments, **named):
        raise TypeError

    def counts_nothing(model):
        return fails() if model == onnx.ModelProto.FromString(largest) else {}

    answer = {"conv_output_size": fails, "shape_coverage": counts_nothing}
    assert grade("shapes", answer).score == 0


def test_counts_that_are_there_are_judged_where_others_are_not():
    def one_short(model):
        counts = dict(shape_coverage(model))
        del counts["missing"]
        return {**counts, "static": counts["static"] + 1}

    answer = {"conv_output_size": conv_output_size, "shape_coverage": one_short}
    broken = {rung.name for rung in grade("shapes", answer).rungs if rung.passed is False}
    assert {"contract", "structure"} <= broken


def climbed(answer: bytes):
    return climb(
        EXERCISE,
        CASES,
        {case.name: Answer("returned", {ANSWER: answer}) for case in CASES},
        references("shapes", SEED),
    )


NUMBERS = st.integers() | st.none() | st.booleans() | st.text(max_size=4) | st.dictionaries(
    st.sampled_from(["float", "type", "raised"]), st.integers() | st.text(max_size=5) | st.none() | st.lists(st.none()), max_size=2
)  # fmt: skip
COUNTS = st.dictionaries(st.sampled_from(CLASSES) | st.text(max_size=4), NUMBERS, max_size=5)


@given(
    st.fixed_dictionaries(
        {
            "sizes": st.lists(NUMBERS, max_size=60) | NUMBERS,
            "counts": COUNTS | NUMBERS,
            "changed": st.booleans(),
        }
    )
)
def test_no_answer_upsets_the_rungs(answer):
    assert climbed(json.dumps(answer).encode()).score <= 0.1 * EXERCISE.points


@given(st.binary(max_size=50))
def test_bytes_that_are_no_answer_score_nothing(noise):
    verdict = climbed(noise)
    assert (verdict.score, verdict.broken.name) == (0, "type")
