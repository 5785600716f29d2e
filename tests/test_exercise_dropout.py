"""The exercise dropout: its cases, what it accepts, what it says of the mistakes that it knows, and
what it survives.
"""

import re
import tempfile
import threading
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper

from formatlab import graphs, loading, numerics
from formatlab_exercises.dropout.judge import case_facts, case_models
from formatlab_exercises.dropout.judge import cases as dropout_cases
from nbjudge.asking import ask
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from tests.mutants import answers, cases_of, grade_few, mutants, reference_functions
from tests.seeds import seeds

EXERCISE = get("dropout")
# On the worker that grades the stored answers.
pytestmark = pytest.mark.xdist_group("mutants-dropout")
STORED = {mutant.name: mutant for mutant in mutants("dropout")}
EDGES = (
    "graph-input-to-output",
    "two-graph-outputs",
    "mask",
    "mask-is-graph-output",
    "if-branch",
    "if-branch-output",
    "loop-body",
)


def reference(model):
    return reference_functions("dropout")["remove_dropout"](model)


def verdict(function, cases):
    """The ladder on some cases only."""
    return grade_few("dropout", {"remove_dropout": function}, cases)


def case(name, seed=3):
    return next(case for case in cases_of("dropout", seed) if case.name == name)


def after_reference(edit):
    """The reference's model, spoilt."""

    def remove_dropout(model):
        new = reference(model)
        edit(new)
        return new

    return remove_dropout


@seeds(200)
def test_the_reference_is_right_on_two_hundred_seeds(seeds):
    for seed in seeds:
        cases = EXERCISE.cases(seed)
        given = answers(EXERCISE, {"remove_dropout": reference}, cases)
        found = climb(
            EXERCISE,
            cases,
            given,
            {one.name: EXERCISE.digest(one, given[one.name]) for one in cases},
        )
        assert found.score == found.max_score == 4.0, (seed, found.broken)


@seeds(20)
def test_cases_are_valid_models_that_run_and_hold_dropouts(seeds):
    for seed in seeds:
        for one in EXERCISE.graded_cases(seed):
            data = one.files["model.onnx"]
            loading.validate(data)
            numerics.run(
                data, numerics.feeds(loading.parse(data), one.seed, one.parameters["integers"])
            )
            assert any(node.op_type == "Dropout" for node in graphs.nodes(loading.parse(data)))
            assert not graphs.constant_outputs(loading.parse(data))


def test_structures_vary_with_the_seed():
    shapes = {}
    for seed in range(12):
        for one in EXERCISE.cases(seed):
            operators = tuple(
                node.op_type for node in graphs.nodes(loading.parse(one.files["model.onnx"]))
            )
            shapes.setdefault(one.name, set()).add(operators)
    assert all(len(shapes[name]) > 3 for name in case_models.HIDDEN), shapes


def test_every_form_of_dropout_and_every_place_for_it_occur():
    models = [
        loading.parse(one.files["model.onnx"]) for seed in range(12) for one in EXERCISE.cases(seed)
    ]
    dropouts = [
        node for model in models for node in graphs.nodes(model) if node.op_type == "Dropout"
    ]
    assert {len(node.input) for node in dropouts} == {1, 2, 3}
    assert {"" in node.input for node in dropouts} == {True, False}
    assert {len(node.output) for node in dropouts} == {1, 2}
    assert {node.name == "" for node in dropouts} == {True, False}
    assert {attribute.name for node in dropouts for attribute in node.attribute} == {
        "ratio",
        "seed",
    }
    opsets = {graphs.opset(model) for model in models}
    assert opsets & {7, 9, 10, 11} and opsets >= {13, 20}


def test_an_old_opset_is_old_in_public_too():
    """There the ratio is an attribute."""
    [shown] = [one for one in EXERCISE.public_cases() if one.name == "older-opset"]
    hidden = [one for seed in range(4) for one in EXERCISE.cases(seed) if one.name == "old-opset"]
    for one in (shown, *hidden):
        assert graphs.opset(loading.parse(one.files["model.onnx"])) < 12


def test_the_berts_weights_differ_between_seeds_everywhere():
    weights = []
    for seed in (1, 2):
        model = loading.parse(case("bert-new-weights", seed).files["model.onnx"])
        floats = [
            tensor
            for tensor in model.graph.initializer
            if tensor.data_type == TensorProto.FLOAT and np.prod(tensor.dims) > 1
        ]
        weights.append({tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in floats})
    assert weights[0].keys() == weights[1].keys() and len(weights[0]) > 30
    assert not any(np.array_equal(weights[0][name], weights[1][name]) for name in weights[0])


@pytest.mark.parametrize(
    "name", [*case_models.PUBLIC, *case_models.HIDDEN, "bert", "bert-new-weights"]
)
def test_a_dropout_left_as_it_is_breaks_every_case(name):
    found = verdict(STORED["unchanged"].functions["remove_dropout"], [case(name)])
    assert found.broken.name == "structure"


@pytest.mark.parametrize("name", EDGES)
def test_each_edge_case_kills_somebody_and_spares_the_valid(name):
    wrong = [mutant for mutant in STORED.values() if mutant.rung and mutant.rung != "exists"]
    assert any(
        verdict(mutant.functions["remove_dropout"], [case("chain"), case(name)]).broken
        for mutant in wrong
    )
    for valid in ("valid_ir", "valid_rename", "valid_surgeon"):
        assert verdict(STORED[valid].functions["remove_dropout"], [case(name)]).broken is None


def test_the_source_texts_snippet_fails_as_the_lab_quotes_it():
    function = STORED["source_snippet"].functions["remove_dropout"]
    found = verdict(function, [case("chain")])
    assert (
        found.broken.name == "loads" and "nodes besides the Dropouts are gone" in found.broken.found
    )
    assert "outputs` are the nodes that read it" in found.broken.cause
    with pytest.raises(
        AttributeError, match=re.escape("'Variable' object has no attribute 'subgraphs'")
    ):
        function(ModelProto.FromString(case("mask").files["model.onnx"]))


def test_what_does_not_matter_does_not_matter():
    def rename_everything_inside(model):
        new = reference(model)
        new.producer_name, new.doc_string, new.ir_version = "somebody", "cleaned", 8
        new.graph.name = "other"
        del new.graph.value_info[:]
        outputs = {value.name for value in new.graph.output}
        names = {
            name: f"n/{name}"
            for node in new.graph.node
            for name in node.output
            if name and name not in outputs
        }
        for graph, _ in graphs.walk(new.graph):
            for node in graph.node:
                node.name = ""
                node.metadata_props.add(key="note", value="x")
                node.input[:] = [names.get(name, name) for name in node.input]
                if graph is new.graph:
                    node.output[:] = [names.get(name, name) for name in node.output]
        return new

    found = verdict(rename_everything_inside, EXERCISE.graded_cases(4))
    assert found.score == 4.0, found.broken


def test_constants_may_become_initializers():
    def lift(model):
        new = reference(model)
        for node in [node for node in new.graph.node if node.op_type == "Constant"]:
            tensor = new.graph.initializer.add()
            tensor.CopyFrom(node.attribute[0].t)
            tensor.name = node.output[0]
            new.graph.node.remove(node)
        return new

    assert verdict(lift, EXERCISE.graded_cases(4)).score == 4.0


@pytest.mark.parametrize(
    ("spoil", "rung", "words"),
    [
        (
            lambda new: (
                new.graph.input[0].type.tensor_type.shape.dim[0].__setattr__("dim_value", 2)
            ),
            "contract",
            "keep the graph's own inputs",
        ),
        (
            lambda new: new.opset_import.add(domain="com.microsoft", version=1),
            "loads",
            "an import of one more domain",
        ),
        (lambda new: new.graph.node[0].__setattr__("op_type", "Dropout"), "loads", "onnx.checker"),
        (
            lambda new: new.graph.node[-1].__setattr__("domain", "com.evil"),
            "loads",
            "domain 'com.evil'",
        ),
        (
            lambda new: new.graph.initializer.append(big("extra", 3)),
            "structure",
            "constants have grown",
        ),
        (
            lambda new: new.graph.node[-1].__setattr__("op_type", "Identity"),
            "structure",
            "missing: Relu",
        ),
        (lambda new: bypass(new, "Neg", "Neg"), "structure", "new: Neg (2)"),
        (lambda new: hide_in_function(new), "structure", "in a function"),
        (
            lambda new: new.graph.initializer[0].__setattr__("raw_data", b"\0" * 48),
            "numerics",
            "An initializer has another value",
        ),
        (
            lambda new: new.graph.node.insert(1, helper.make_node("Neg", ["h"], ["dead"])),
            "quality: nodes",
            "unused: Neg (1)",
        ),
    ],
)
def test_spoilt_answers_are_named(spoil, rung, words):
    found = verdict(after_reference(spoil), [toy()])
    assert found.broken.name == rung, found.broken
    assert words in f"{found.broken.expected} {found.broken.found} {found.broken.cause}"


@pytest.mark.parametrize(
    ("result", "found"),
    [
        (None, "NoneType"),
        (b"bytes", "bytes"),
        ("model.onnx", "str"),
        (onnx.GraphProto(), "GraphProto"),
    ],
)
def test_other_types_are_refused_by_name(result, found):
    broken = verdict(lambda model: result, [toy()]).broken
    assert (broken.name, broken.found) == ("type", found)


def test_a_model_far_over_the_size_of_the_argument_is_refused_before_it_is_stored():
    def remove_dropout(model):
        new = ModelProto()
        new.CopyFrom(model)
        new.graph.initializer.append(TensorProto(name="huge", raw_data=b"\0" * (20 << 20)))
        return new

    broken = verdict(remove_dropout, [toy()]).broken
    assert broken.name == "type" and "20 MB" in broken.found


def test_hidden_findings_repeat_no_names_of_the_model():
    """A name is a place where a student's code could write the hidden input."""
    secret = "leaked_secret"

    def leak(model):
        new = ModelProto()
        new.CopyFrom(model)
        for node in new.graph.node:
            if node.op_type == "Dropout":
                node.output[0] = secret
        return new

    def leak_output(model):
        new = reference(model)
        new.graph.output[0].name = secret
        new.graph.node.append(helper.make_node("Identity", [model.graph.output[0].name], [secret]))
        return new

    def leak_domain(model):
        new = reference(model)
        new.graph.node[-1].domain = secret
        return new

    def leak_initializer(model):
        new = reference(model)
        new.graph.initializer.append(big(secret, 1))
        return new

    def leak_read(model):
        new = reference(model)
        new.graph.node[-1].input[0] = secret
        return new

    for function in (leak, leak_read, leak_output, leak_domain, leak_initializer):
        for name in ("series", "two-graph-outputs", "mask", "bert-new-weights"):
            for rung in verdict(function, [case(name)]).rungs:
                assert secret not in f"{rung.expected} {rung.found} {rung.cause}"


def test_hostile_models_become_findings():
    def bomb(model):
        new = reference(model)
        shape = helper.make_node("Constant", [], ["huge_shape"], value_ints=[1_000_000] * 3)
        new.graph.node.extend(
            [shape, helper.make_node("ConstantOfShape", ["huge_shape"], ["huge"])]
        )
        new.graph.node.append(helper.make_node("ReduceMean", ["huge"], ["mean"], keepdims=0))
        writer = next(node for node in new.graph.node if "y" in node.output)
        writer.output[0] = "before"
        new.graph.node.append(helper.make_node("Add", ["before", "mean"], ["y"]))
        return new

    found = verdict(bomb, [toy()])
    assert found.broken.name == "structure"
    assert next(rung for rung in found.rungs if rung.name == "numerics").passed is False


def test_a_report_that_somebody_forged_is_no_answer():
    given = answers(EXERCISE, {"remove_dropout": reference}, [toy()])["training-mode"]
    for report in (
        b"",
        b"[]",
        b'{"argument_changed": 0, "again": "same"}',
        b'{"argument_changed": false}',
        b"\xff",
    ):
        forged = type(given)("returned", {**given.files, "report.json": report})
        found = climb(
            EXERCISE,
            [toy()],
            {"training-mode": forged},
            {"training-mode": EXERCISE.digest(toy(), given)},
        )
        assert found.broken.name == "type"


def test_the_pretrained_case_is_graded_on_request_only(minilm_cache, monkeypatch):
    monkeypatch.setenv("FORMATLAB_CACHE", str(minilm_cache))
    assert "bert-minilm" not in {one.name for one in EXERCISE.graded_cases(1)}
    one = dropout_cases.pretrained_case(1)
    assert (
        sum(node.op_type == "Dropout" for node in loading.parse(one.files["model.onnx"]).graph.node)
        == 19
    )
    assert verdict(reference, [one]).broken is None
    loading.forget()
    case_facts.read.cache_clear()


def test_cases_are_called_side_by_side():
    """Runner boxes are processes, but a student's kernel may have threads."""
    results = {}

    def call(one):
        with tempfile.TemporaryDirectory() as scratch:
            results[one.name] = ask(
                EXERCISE, {"remove_dropout": reference}, one, Path(scratch)
            ).outcome

    threads = [threading.Thread(target=call, args=(one,)) for one in EXERCISE.public_cases()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(results.values()) == {"returned"}


def toy():
    """y = Relu(h + Dropout(h)), as a public case that nearly each rung looks at."""
    model = onnx.parser.parse_model("""
        <ir_version: 10, opset_import: ["" : 20]>
        residual (float[N, 4] x) => (float[N, 3] y) <float ratio = {0.5}, bool training = {1}> {
            h = MatMul(x, w)
            d = Dropout(h, ratio, training)
            s = Add(h, d)
            y = Relu(s)
        }""")
    weight = np.random.default_rng(2).normal(size=(4, 3)).astype(np.float32)
    model.graph.initializer.insert(0, onnx.numpy_helper.from_array(weight, "w"))
    return dropout_cases.Case(
        "training-mode",
        {"model.onnx": model.SerializeToString()},
        {"integers": {}, "again": True},
        public=True,
        seed=9,
    )


def big(name, elements):
    return onnx.numpy_helper.from_array(np.ones(elements, np.float32), name)


def bypass(model, *operators):
    """Operators in a row in front of the last node."""
    last = model.graph.node.pop()
    name = last.input[0]
    for number, operator in enumerate(operators):
        model.graph.node.append(helper.make_node(operator, [name], [f"extra{number}"]))
        name = f"extra{number}"
    last.input[0] = name
    model.graph.node.append(last)


def hide_in_function(model):
    """A Dropout inside a local function of the default domain."""
    body = [helper.make_node("Dropout", ["a"], ["b"])]
    model.functions.append(
        helper.make_function("", "Hidden", ["a"], ["b"], body, [helper.make_opsetid("", 20)])
    )


@pytest.mark.parametrize("seed", range(30))
def test_names_that_collide_do_so_in_every_seed(seed):
    """Nodes in place of two Dropouts without a name, or of one with a name and a mask, must not
    share one: no seed lets that pass.
    """
    models = {
        case.name: onnx.ModelProto.FromString(case.files["model.onnx"])
        for case in EXERCISE.cases(seed)
    }
    dropouts = {
        name: [node for node in model.graph.node if node.op_type == "Dropout"]
        for name, model in models.items()
    }
    outputs = {value.name for value in models["two-graph-outputs"].graph.output}
    assert (
        sum(not node.name and node.output[0] in outputs for node in dropouts["two-graph-outputs"])
        >= 2
    )
    assert all(node.name for node in dropouts["mask-is-graph-output"])
