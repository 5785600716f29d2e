"""The exercise layernorm: its cases, the relatives that stay, the reference, what it accepts, and
what it says of hidden models.
"""

from collections import Counter
from functools import cache

import numpy as np
import onnx_ir as ir
import pytest
import torch
from onnx import ModelProto, helper, numpy_helper, parser

from formatlab import graphs, loading, numerics
from formatlab.models import make_model
from formatlab.models.build import small_bert
from formatlab_exercises.layernorm.judge import case_facts, case_models
from formatlab_exercises.shared.judge import models, ruler
from nbjudge.contract import Case
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from tests.mutants import answers, cases_of, grade_few, mutants, reference_functions
from tests.seeds import seeds

EXERCISE = get("layernorm")
# On the worker that grades the stored answers.
pytestmark = pytest.mark.xdist_group("mutants-layernorm")
STORED = {mutant.name: mutant for mutant in mutants("layernorm")}
EDGES = (
    "numbers",
    "series",
    "graph-output",
    "statistics",
    "inner-readers",
    "other-affine",
    "rms-norm",
    "four-dimensions",
    "two-axes",
    "relatives",
    "branch-output",
    "loop-body",
)


def reference(model):
    return reference_functions("layernorm")["remove_layernorm"](model)


def verdict(function, cases):
    """The ladder on some cases only."""
    return grade_few("layernorm", {"remove_layernorm": function}, cases)


def case(name, seed=3):
    return next(case for case in cases_of("layernorm", seed) if case.name == name)


def after_reference(edit):
    """The reference's model, spoilt."""

    def remove_layernorm(model):
        new = reference(model)
        edit(new)
        return new

    return remove_layernorm


@seeds(60)
def test_the_reference_is_right_on_many_seeds(seeds):
    for seed in seeds:
        cases = EXERCISE.cases(seed)
        given = answers(EXERCISE, {"remove_layernorm": reference}, cases)
        found = climb(
            EXERCISE,
            cases,
            given,
            {one.name: EXERCISE.digest(one, given[one.name]) for one in cases},
        )
        assert found.score == found.max_score == EXERCISE.points, (seed, found.broken)


def test_the_reference_of_the_bert_is_the_bert_with_identity_for_layernorm():
    module = small_bert().eval()
    for name, child in list(module.named_modules()):
        if isinstance(child, torch.nn.LayerNorm):
            module.set_submodule(name, torch.nn.Identity())
    one = case("bert")
    given = answers(EXERCISE, {"remove_layernorm": reference}, [one])["bert"]
    found = []
    for inputs in models.inputs_of(one):
        with torch.no_grad():
            expected = module(
                *(torch.from_numpy(inputs[name]) for name in ("input_ids", "attention_mask"))
            )
        found.append([expected.numpy()])
    assert ruler.difference(EXERCISE.digest(one, given), found, ["the output"]) is None


@seeds(12)
def test_every_case_is_valid_runs_and_holds_a_layernorm(seeds):
    for seed in seeds:
        for one in EXERCISE.graded_cases(seed):
            data = one.files["model.onnx"]
            loading.validate(data)
            numerics.run(data, models.inputs_of(one))
            assert case_facts.read(data).norms, one.name


def test_a_width_with_a_name_may_be_one_and_a_default_session_refuses_it():
    """What the lab says of such a model: its Mul widens x, ONNX Runtime's fusion takes it for a
    scale, and the answer runs at both levels.
    """
    one = case("width-by-name")
    model = ModelProto.FromString(one.files["model.onnx"])
    [narrow] = [value.name for value in model.graph.input if value.name in one.parameters["shapes"]]
    feeds = {**models.inputs_of(one)[0], narrow: np.ones((2, 3, 1), np.float32)}
    [[[_, found]]] = numerics.run(one.files["model.onnx"], [feeds], "ORT_DISABLE_ALL")
    assert found.shape == (2, 3, one.parameters["shapes"][narrow][0][-1])
    with pytest.raises(Exception, match="LayerNormFusion"):
        numerics.run(one.files["model.onnx"], [feeds], "ORT_ENABLE_ALL")
    for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_ALL"):
        [[[_, after]]] = numerics.run(reference(model).SerializeToString(), [feeds], level)
        assert after.shape == found.shape


@seeds(20)
def test_what_is_spelt_out_computes_what_the_operator_does(seeds):
    rng = np.random.default_rng(1)
    for seed in seeds:
        s = case_models.Sketch(np.random.default_rng(seed), 18)
        x = s.input()
        s.output(case_models.decomposed(s, x, affine="scale and bias"))
        scale, bias = (
            numpy_helper.to_array(t) if (t := stored(s, node)) else None for node in ("Mul", "Add")
        )
        values = rng.normal(size=(3, 4, s.width[x])).astype(np.float32)
        [[[found]]] = numerics.run(s.model().SerializeToString(), [{x: values}])
        centred = values - values.mean(-1, keepdims=True)
        expected = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale + bias
        assert numerics.relative_error(expected, found) < 1e-5


def stored(s, operator):
    """The vector that the last node of that operator reads, wherever it is stored."""
    node = [node for node in s.nodes if node.op_type == operator][-1]
    tensors = {tensor.name: tensor for tensor in s.weights}
    tensors |= {
        other.output[0]: other.attribute[0].t for other in s.nodes if other.op_type == "Constant"
    }
    return next(tensors[name] for name in node.input if name in tensors)


def test_every_form_of_layernorm_occurs():
    forms = Counter()
    for seed in range(12):
        for one in EXERCISE.cases(seed):
            model = loading.parse(one.files["model.onnx"])
            places = case_facts.places(model)
            forms.update(
                ("fused",) if place.fused else (place.square, place.axes) for place in places
            )
            forms.update("nested" for place in places if place.nested)
            for node in graphs.nodes(model):
                if node.op_type == "ReduceMean":
                    forms[
                        "attribute" if any(a.name == "axes" for a in node.attribute) else "input"
                    ] += 1
                if node.op_type == "LayerNormalization":
                    forms[f"{len(node.input)} inputs, {len(node.output)} outputs"] += 1
    assert {
        ("fused",),
        ("Mul", 1),
        ("Pow", 1),
        ("Pow", 2),
        "attribute",
        "input",
    } <= forms.keys()
    assert {"2 inputs, 1 outputs", "3 inputs, 1 outputs", "3 inputs, 3 outputs"} <= forms.keys()


def test_an_answer_that_removes_nothing_breaks_every_case():
    function = STORED["unchanged"].functions["remove_layernorm"]
    found = {one.name: verdict(function, [one]).broken for one in cases_of("layernorm", 3)}
    assert {name for name, broken in found.items() if "structure" not in broken.name} == set()


@cache
def rung_on_plain_graphs(name):
    """The rung that a wrong answer breaks on graphs with nothing special, None if it breaks none."""
    broken = verdict(
        STORED[name].functions["remove_layernorm"], [case("operator"), case("decomposed")]
    ).broken
    return broken and broken.name


@pytest.mark.parametrize("name", EDGES)
def test_each_edge_case_stops_somebody_and_spares_the_valid(name):
    wrong = [mutant for mutant in STORED.values() if mutant.rung not in (None, "exists")]
    found = (
        (mutant.name, verdict(mutant.functions["remove_layernorm"], [case(name)]).broken)
        for mutant in wrong
    )
    assert any(broken and broken.name != rung_on_plain_graphs(mutant) for mutant, broken in found)
    for valid in ("valid_ir", "valid_surgeon"):
        assert verdict(STORED[valid].functions["remove_layernorm"], [case(name)]).broken is None


def test_relatives_stay():
    """An RMSNorm; each of the other kinds once, and three of another square. Of those whose epsilon
    is none, one that is computed, and one or an exponent of more dimensions than x.
    """
    for name, stay in (("rms-norm", 1), ("relatives", 10), ("computed-epsilon", 3)):
        subject = case_facts.read(case(name).files["model.onnx"])
        assert subject.remaining["Div"] == stay, name


def test_what_does_not_matter_does_not_matter():
    def renamed(new):
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
                node.input[:] = [names.get(name, name) for name in node.input]
                if graph is new.graph:
                    node.output[:] = [names.get(name, name) for name in node.output]
        del new.graph.value_info[:]
        new.producer_name = "somebody"

    found = verdict(after_reference(renamed), EXERCISE.graded_cases(4))
    assert found.score == EXERCISE.points, found.broken


def test_the_producer_may_take_over_an_outputs_name():
    """Instead of an Identity, where the LayerNorm's input is written by a node of the same graph
    and is no output itself.
    """

    def taken_over(new):
        for identity in [node for node in new.graph.node if node.op_type == "Identity"]:
            source, target = identity.input[0], identity.output[0]
            writer = next((node for node in new.graph.node if source in node.output), None)
            nested = any(
                source in node.input
                for graph, depth in graphs.walk(new.graph)
                if depth
                for node in graph.node
            )
            if writer is None or nested or source in {value.name for value in new.graph.output}:
                continue
            for node in new.graph.node:
                node.input[:] = [target if name == source else name for name in node.input]
                node.output[:] = [target if name == source else name for name in node.output]
            new.graph.node.remove(identity)

    models = [ModelProto.FromString(one.files["model.onnx"]) for one in EXERCISE.graded_cases(4)]
    before, after = (
        sum(node.op_type == "Identity" for model in models for node in function(model).graph.node)
        for function in (reference, after_reference(taken_over))
    )
    assert after < before
    assert verdict(after_reference(taken_over), EXERCISE.graded_cases(4)).score == EXERCISE.points


@pytest.mark.parametrize(
    ("spoil", "rung", "words"),
    [
        (
            lambda new: new.opset_import.add(domain="com.microsoft", version=1),
            "loads",
            "an import of one more domain",
        ),
        (
            lambda new: new.graph.node.append(helper.make_node("Neg", ["y"], ["dead"])),
            "quality: nodes",
            "unused: Neg (1)",
        ),
        (lambda new: behind(new, "Identity"), "structure", "1 Identity node stands"),
        (lambda new: behind(new, "Neg"), "structure", "new: Neg (1)"),
        (
            lambda new: new.graph.node[0].__setattr__("op_type", "Neg"),
            "structure",
            "missing: Relu (1)",
        ),
        (
            lambda new: new.graph.node[0].__setattr__("op_type", "LayerNormalization"),
            "loads",
            "onnx.checker",
        ),
    ],
)
def test_spoilt_answers_are_named(spoil, rung, words):
    broken = verdict(after_reference(spoil), [toy()]).broken
    assert broken.name == rung, broken
    assert words in f"{broken.expected} {broken.found} {broken.cause}"


def test_outputs_of_another_size_are_told_apart_by_their_relative_error():
    """The same answer, wrong by one part in a hundred, on outputs a million times as large and as
    small.
    """
    for factor in (1e6, 1e-6):

        def scaled(model, by=1.0, factor=factor):
            new = ModelProto.FromString(model.SerializeToString())
            new.graph.initializer.append(numpy_helper.from_array(np.float32(factor * by), "factor"))
            new.graph.node[-1].output[0] = "before"
            new.graph.node.append(helper.make_node("Mul", ["before", "factor"], ["y"]))
            return new

        one = toy(scaled)
        assert verdict(reference, [one]).broken is None

        def slightly_wrong(model):
            new = reference(model)
            tensor = next(tensor for tensor in new.graph.initializer if tensor.name == "factor")
            tensor.CopyFrom(
                numpy_helper.from_array(numpy_helper.to_array(tensor) * np.float32(1.01), "factor")
            )
            return new

        assert verdict(slightly_wrong, [one]).broken.name == "numerics"


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

    def one_more(new):
        new.graph.initializer.append(numpy_helper.from_array(np.float32([1]), secret))

    for edit in (reads_nowhere, other_output, one_more):
        for name in ("series", "graph-output", "statistics"):
            for rung in verdict(after_reference(edit), [case(name)]).rungs:
                assert secret not in f"{rung.expected} {rung.found} {rung.cause}"


def test_layernorms_that_serve_nobody_are_left_overs_and_no_more():
    def with_a_dead_series(new):
        scale = numpy_helper.from_array(np.float32([1, 2, 3, 4]), "dead_scale")
        new.graph.initializer.append(scale)
        for source, target in (("x", "dead"), ("dead", "deader")):
            new.graph.node.append(
                helper.make_node("LayerNormalization", [source, "dead_scale"], [target])
            )

    broken = verdict(after_reference(with_a_dead_series), [toy()]).broken
    assert (broken.name, broken.found) == ("quality: nodes", "unused: LayerNormalization (2)")


def test_matching_survives_any_model():
    """Divisions of constants, by graph inputs, of themselves; a ReduceMean without axes, with none
    of them, of a scalar.
    """
    model = make_model(
        parser.parse_graph("""
        g (float[N, 3] x, float[N, 3] z) => (float[N, 3] y) <float one = {1}, float e = {0.001}, int64[0] none = {}> {
            a = Div(one, x)   b = Div(a, a)   m = ReduceMean(b)   d = Sub(b, m)   s = Mul(d, d)   v = ReduceMean(s)
            t = Add(v, e)   r = Sqrt(t)   c = Div(d, r)   y = Add(c, z)
            m1 = ReduceMean(x, none)   d1 = Sub(x, m1)   s1 = Mul(d1, d1)   v1 = ReduceMean(s1, none)   t1 = Add(v1, e)   r1 = Sqrt(t1)
            c1 = Div(d1, r1)   m2 = ReduceMean(one, none)   d2 = Sub(one, m2)   s2 = Mul(d2, d2)   v2 = ReduceMean(s2, none)
            t2 = Add(v2, e)   r2 = Sqrt(t2)   c2 = Div(d2, r2)
        }""")
    )
    assert case_facts.places(model) == ()
    assert case_facts.find(ir.from_proto(model)) == []


def test_a_layernorm_of_a_value_without_a_shape_is_one_that_is_left():
    """A Reshape to sizes that are computed: inference knows nothing of what it writes, and an Add of a
    constant is one of two readers behind it.
    """

    def remove_layernorm(model):
        new = ModelProto.FromString(model.SerializeToString())
        new.graph.CopyFrom(
            parser.parse_graph("""
            toy (float[N, 4] x) => (float[N, 4] y) <float[4] scale = {1, 2, 0.5, 1}, float[4] bias = {0, 1, 0, -1}, bool[2] both = {1, 1}> {
                dims = Shape(x)   sizes = Compress(dims, both)   same = Reshape(x, sizes)   n = LayerNormalization(same, scale)
                moved = Add(n, bias)   z = Relu(n)   y = Mul(moved, z)
            }""")
        )
        return new

    broken = verdict(remove_layernorm, [toy()]).broken
    assert broken.name.startswith("structure")
    assert "LayerNorm" in broken.found, broken


def toy(edit=lambda model: model):
    """y = Relu(LayerNorm(x)), as a public case that nearly each rung looks at."""
    model = make_model(
        parser.parse_graph("""
        toy (float[N, 4] x) => (float[N, 4] y) <float[4] scale = {1, 2, 0.5, 1}, float[4] bias = {0, 1, 0, -1}> {
            n = LayerNormalization(x, scale, bias)
            y = Relu(n)
        }""")
    )
    return Case(
        "decomposed",
        {"model.onnx": edit(model).SerializeToString()},
        {"integers": {}, "again": True},
        public=True,
        seed=9,
    )


def behind(model, operator):
    """An operator in front of the last node."""
    model.graph.node.insert(0, helper.make_node(operator, ["x"], ["before"]))
    model.graph.node[1].input[0] = "before"
