"""The exercise gemm: its cases, what keeps a pair apart in each, what it accepts, and what it says
of hidden models.
"""

from collections import Counter
from functools import cache

import numpy as np
import onnx
import pytest
from onnx import ModelProto, helper, numpy_helper, parser

from formatlab import graphs, loading, numerics
from formatlab.models import make_model
from formatlab_exercises.gemm.judge import case_facts, misconceptions
from formatlab_exercises.gemm.judge import cases as gemm_cases
from formatlab_exercises.shared.judge import models
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from tests.mutants import answers, cases_of, grade_few, mutants, reference_functions
from tests.seeds import seeds

EXERCISE = get("gemm")
# On the worker that grades the stored answers.
pytestmark = pytest.mark.xdist_group("mutants-gemm")
STORED = {mutant.name: mutant for mutant in mutants("gemm")}
# What each case holds besides pairs that may be fused.
OBSTACLES = {
    "unknown-sizes": {"unknown size"},
    "declared-product": {"declared"},
    "other-ranks": {"rank"},
    "vector-and-stack": {"factors"},
    "same-names": {"namesake"},
    "branch-in-branch": {"shared"},
    "bias-too-large": {"widens", "bias rank"},
    "other-names": {"unproven", "position"},
    "unknown-rank": {"unknown rank"},
    "product-is-output": {"output"},
    "added-to-itself": {"twice"},
    "integers": {"type"},
    "add-in-if": {"other graph"},
    "two-readers-new": {"shared"},
    "in-branches-new": {"shared"},
    "bert-new-weights": {"rank"},
}


def reference(model):
    return reference_functions("gemm")["fuse_matmul_add"](model)


def verdict(function, cases):
    """The ladder on some cases only."""
    return grade_few("gemm", {"fuse_matmul_add": function}, cases)


def case(name, seed=3):
    return next(case for case in cases_of("gemm", seed) if case.name == name)


def after_reference(edit):
    """The reference's model, spoilt."""

    def fuse_matmul_add(model):
        new = reference(model)
        edit(new)
        return new

    return fuse_matmul_add


@seeds(40)
def test_the_reference_is_right_on_many_seeds(seeds):
    for seed in seeds:
        cases = EXERCISE.cases(seed)
        given = answers(EXERCISE, {"fuse_matmul_add": reference}, cases)
        found = climb(
            EXERCISE,
            cases,
            given,
            {one.name: EXERCISE.digest(one, given[one.name]) for one in cases},
        )
        assert found.score == found.max_score == 4.0, (seed, found.broken)


@seeds(12)
def test_every_case_is_valid_runs_and_holds_what_its_name_says(seeds):
    for seed in seeds:
        for one in EXERCISE.graded_cases(seed):
            data = one.files["model.onnx"]
            loading.validate(data)
            numerics.run(data, models.inputs_of(one))
            subject = case_facts.read(data)
            assert subject.legal, one.name
            obstacles = set(subject.pairs.values()) - {""}
            if not one.public:
                assert obstacles == OBSTACLES.get(one.name, set()), one.name
    assert set().union(*OBSTACLES.values()) == set(misconceptions.OBSTACLES)


def test_both_orders_and_all_kinds_of_factors_occur():
    orders, kinds = Counter(), Counter()
    for seed in range(6):
        for one in EXERCISE.cases(seed):
            model = loading.parse(one.files["model.onnx"])
            subject = case_facts.read(one.files["model.onnx"])
            stored = {tensor.name for tensor in model.graph.initializer}
            writers = {name: node.op_type for node in graphs.nodes(model) for name in node.output}
            for node in graphs.nodes(model):
                if node.op_type == "Add" and node.output[0] in subject.legal:
                    position = 1 if node.input[1] in subject.products[node.output[0]] else 0
                    orders[position] += 1
                    bias = node.input[1 - position]
                    kinds["initializer" if bias in stored else writers.get(bias, "input")] += 1
    assert min(orders[0], orders[1]) >= 12
    assert {"initializer", "Constant", "input", "Squeeze", "MatMul"} <= kinds.keys()


def test_an_answer_that_fuses_nothing_breaks_every_case():
    function = STORED["unchanged"].functions["fuse_matmul_add"]
    found = {one.name: verdict(function, [one]).broken.name for one in cases_of("gemm", 3)}
    assert set(found.values()) == {"structure"}, found


@cache
def wrong_on_something_special():
    """The wrong answers that are right on graphs without an obstacle."""
    wrong = [
        mutant.functions["fuse_matmul_add"]
        for mutant in STORED.values()
        if mutant.rung and mutant.functions
    ]
    return [function for function in wrong if verdict(function, [case("chain")]).broken is None]


@pytest.mark.parametrize("name", OBSTACLES)
def test_each_obstacle_stops_somebody_and_spares_the_valid(name):
    assert any(verdict(function, [case(name)]).broken for function in wrong_on_something_special())
    for valid in ("valid_ir", "valid_proto", "valid_surgeon"):
        assert verdict(STORED[valid].functions["fuse_matmul_add"], [case(name)]).broken is None


def test_either_of_two_products_may_become_the_gemm():
    def other_first(model):
        """The reference on a model whose Adds read their inputs in the other order."""
        new = ModelProto.FromString(model.SerializeToString())
        for graph, _ in graphs.walk(new.graph):
            for node in graph.node:
                if node.op_type == "Add":
                    node.input[:] = list(node.input)[::-1]
        fused = reference(new)
        for graph, _ in graphs.walk(fused.graph):
            for node in graph.node:
                if node.op_type == "Add":
                    node.input[:] = list(node.input)[::-1]
        return fused

    one = case("two-products")
    gemms = [
        [
            list(node.input)
            for node in function(ModelProto.FromString(one.files["model.onnx"])).graph.node
            if node.op_type == "Gemm"
        ]
        for function in (reference, other_first)
    ]
    assert gemms[0] != gemms[1]
    assert verdict(other_first, [one]).broken is None


def test_what_does_not_matter_does_not_matter():
    def transposed_weight(new):
        """A Gemm with transB and a weight to fit, where no other node reads the weight."""
        times_read = Counter(name for node in graphs.nodes(new) for name in node.input)
        weights = {
            tensor.name: tensor for tensor in new.graph.initializer if times_read[tensor.name] == 1
        }
        for node in new.graph.node:
            if node.op_type == "Gemm" and node.input[1] in weights:
                turned = np.ascontiguousarray(numpy_helper.to_array(weights[node.input[1]]).T)
                weights[node.input[1]].CopyFrom(numpy_helper.from_array(turned, node.input[1]))
                node.attribute.append(helper.make_attribute("transB", 1))

    def explicit(new):
        for node in new.graph.node:
            node.name, node.doc_string = "", "edited"
            if node.op_type == "Gemm" and not node.attribute:
                node.attribute.extend(
                    helper.make_attribute(name, value)
                    for name, value in (("alpha", 1.0), ("beta", 1.0), ("transA", 0))
                )
        del new.graph.value_info[:]
        new.producer_name = "somebody"

    def with_shapes(new):
        new.CopyFrom(onnx.shape_inference.infer_shapes(new))

    for edit in (transposed_weight, explicit, with_shapes):
        found = verdict(after_reference(edit), EXERCISE.graded_cases(4))
        assert found.score == 4.0, (edit.__name__, found.broken)


@pytest.mark.parametrize(
    ("spoil", "rung", "words"),
    [
        (
            lambda new: new.opset_import.add(domain="com.microsoft", version=1),
            "loads",
            "an import of one more domain",
        ),
        (
            lambda new: new.graph.node[0].attribute.append(helper.make_attribute("alpha", 0.5)),
            "numerics",
            "alpha, beta",
        ),
        (
            lambda new: new.graph.node.append(helper.make_node("Neg", ["y"], ["dead"])),
            "quality: nodes",
            "unused: Neg (1)",
        ),
        (
            lambda new: new.graph.initializer.append(
                numpy_helper.from_array(np.float32([1]), "more")
            ),
            "structure",
            "constants have grown",
        ),
        (lambda new: behind(new, "Identity"), "structure", "1 Identity node stands"),
        (lambda new: behind(new, "Neg"), "structure", "new: Neg (1)"),
    ],
)
def test_spoilt_answers_are_named(spoil, rung, words):
    broken = verdict(after_reference(spoil), [toy()]).broken
    assert broken.name == rung, broken
    assert words in f"{broken.expected} {broken.found} {broken.cause}"


def test_hidden_findings_repeat_no_names_of_the_model():
    """A name is a place where a student's code could write the hidden input."""
    secret = "leaked_secret"

    def reads_nowhere(new):
        new.graph.node[-1].input[0] = secret

    def other_output(new):
        new.graph.output[0].name = secret
        new.graph.node.append(
            helper.make_node("Identity", [new.graph.node[-1].output[0]], [secret])
        )

    def other_domain(new):
        new.graph.node[-1].domain = secret

    def one_more(new):
        new.graph.initializer.append(numpy_helper.from_array(np.float32([1]), secret))

    for edit in (reads_nowhere, other_output, other_domain, one_more):
        for name in ("other-ranks", "sum-is-output", "product-is-output"):
            for rung in verdict(after_reference(edit), [case(name)]).rungs:
                assert secret not in f"{rung.expected} {rung.found} {rung.cause}"


def test_public_cases_use_seed_zero_and_ship_the_classifiers_pairs_alone():
    assert all(one.public and one.seed == 0 for one in EXERCISE.public_cases())
    assert Counter(case_facts.read(case("bert").files["model.onnx"]).pairs.values()) == {
        "rank": 12,
        "": 2,
    }


def toy():
    """y = x @ w + b, as the public case that each rung looks at."""
    model = make_model(
        parser.parse_graph("""
        layer (float[N, 3] x) => (float[N, 2] y) <float[3, 2] w = {1, -2, 3, 0.5, 1, -1}, float[2] b = {1, -1}> {
            h = MatMul(x, w)
            y = Add(b, h)
        }""")
    )
    return gemm_cases.Case(
        "chain",
        {"model.onnx": model.SerializeToString()},
        {"integers": {}, "again": True},
        public=True,
        seed=9,
    )


def behind(model, operator):
    """An operator between the Gemm and the output."""
    model.graph.node[-1].output[0] = "before"
    model.graph.node.append(helper.make_node(operator, ["before"], ["y"]))
