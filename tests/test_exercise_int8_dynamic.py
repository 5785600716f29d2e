"""The exercise int8_dynamic: its cases, what it accepts, what it says of the mistakes that it
knows, and what it survives.
"""

import re

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto, helper, numpy_helper, parser
from transformers import AutoTokenizer

from formatlab import loading, numerics, quantized, quantized_operators
from formatlab.models import fixtures, make_model, minilm, texts
from formatlab_exercises.int8_dynamic.judge import case_facts, case_models, cases, rungs
from nbjudge.contract import View, case_seed
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from tests.mutants import answers, mutants, reference_functions
from tests.seeds import seeds

EXERCISE = get("int8_dynamic")
# On the worker that grades the stored answers.
pytestmark = pytest.mark.xdist_group("mutants-int8_dynamic")
STORED = {mutant.name: mutant.functions["quantize_bert"] for mutant in mutants("int8_dynamic")}
SMALL = [*case_models.PUBLIC, *case_models.HIDDEN]


def reference(model):
    return reference_functions("int8_dynamic")["quantize_bert"](model)


def small(name="small", seed=3):
    """A case without MiniLM's 18 MB."""
    known = (
        EXERCISE.public_cases()[: len(case_models.PUBLIC)]
        if name in case_models.PUBLIC
        else EXERCISE.cases(seed)
    )
    return next(case for case in known if case.name == name)


def verdict(function, given=None):
    given = given or [small()]
    references = {case.name: EXERCISE.digest(case, None) for case in given}
    return climb(EXERCISE, given, answers(EXERCISE, {"quantize_bert": function}, given), references)


def after_reference(edit):
    def quantize_bert(model):
        new = reference(model)
        edit(new)
        return new

    return quantize_bert


@pytest.fixture(autouse=True)
def forget_large_models():
    yield
    loading.forget()
    case_facts.read.cache_clear()


@seeds(15, 2)
def test_the_reference_is_right_on_many_small_models(seeds):
    for seed in seeds:
        given = [small_case(name, seed) for name in case_models.HIDDEN]
        found = verdict(reference, given)
        assert found.score == found.max_score == EXERCISE.points, (seed, found.broken)


def small_case(name, seed):
    return cases._case(name, seed)


@pytest.mark.parametrize("seed", [7, 20, 109])
def test_one_scale_per_weight_costs_quality_alone_where_the_seed_makes_the_most_of_it(seed):
    """In the cases of these seeds, three or four of twelve sentences are nearer to another."""
    case = small_case("rescaled", case_seed(seed, "int8_dynamic", "rescaled"))
    assert verdict(STORED["per_tensor"], [case]).broken.name == "quality"


@seeds(5, 1)
def test_cases_are_valid_berts_that_run(seeds):
    for name in SMALL:
        for seed in seeds:
            case = small_case(name, seed)
            loading.validate(case.files["model.onnx"])
            numerics.run(case.files["model.onnx"], cases.feeds(case))


def test_structures_vary_with_the_seed():
    shapes = {name: set() for name in SMALL}
    for name in SMALL:
        for seed in range(12):
            model = loading.parse(small_case(name, seed).files["model.onnx"])
            shapes[name].add(
                (
                    len(model.graph.node),
                    model.opset_import[0].version,
                    *(d for t in model.graph.initializer for d in t.dims),
                )
            )
    assert all(len(found) > 6 for found in shapes.values())


@pytest.mark.parametrize("name", ["pooler", "pooler-new-weights"])
def test_a_bert_is_written_in_the_other_ways_of_the_text_too(name):
    graph = loading.parse(small(name).files["model.onnx"]).graph
    stored = {tensor.name for tensor in graph.initializer}
    assert any(node.op_type == "Constant" for node in graph.node)
    assert {node.op_type == "Add" and node.input[0] in stored for node in graph.node} == {
        True,
        False,
    }
    assert stored - {each for node in graph.node for each in node.input} == {"position_ids"}


def test_the_feeds_have_padding_and_a_short_sentence_alone():
    for case in (small(), EXERCISE.public_cases()[-1]):
        batch, alone = cases.feeds(case)
        assert batch["attention_mask"].min() == 0 and len(batch["input_ids"]) > 10
        assert alone["attention_mask"].min() == 1 and alone["input_ids"].shape[0] == 1
        assert not (batch["input_ids"] * (1 - batch["attention_mask"])).any()


def test_the_stored_tokens_are_those_of_the_tokenizer():
    tokenizer = AutoTokenizer.from_pretrained(minilm.installed())
    for sentences in (texts.PUBLIC, texts.HIDDEN):
        assert len(sentences) == 16
        assert {
            sentence: tuple(tokenizer(sentence)["input_ids"]) for sentence in sentences
        } == sentences


def test_the_first_layer_computes_what_it_computes_in_minilm():
    whole, case = ModelProto.FromString(minilm.evaluation_mode_onnx()), EXERCISE.public_cases()[-1]
    end = "bert.encoder.layer.0.output.LayerNorm.weight"
    [inner] = [node.output[0] for node in whole.graph.node if end in node.input]
    del whole.graph.output[:]
    whole.graph.output.append(helper.make_tensor_value_info(inner, TensorProto.FLOAT, None))
    feeds = cases.feeds(case)[0]
    sentences = [list(tokens) for tokens in texts.PUBLIC.values()]
    tokens = {**feeds, "input_ids": cases._batch(sentences)["input_ids"]}
    [[[wanted]]] = numerics.run(whole.SerializeToString(), [tokens])
    [[[found]]] = numerics.run(case.files["model.onnx"], [feeds])
    kept = feeds["attention_mask"].astype(bool)
    assert np.array_equal(found[kept], wanted[kept])
    table = next(t for t in loading.parse(case.files["model.onnx"]).graph.initializer)
    assert table.name == cases.WORD_TABLE and 2 * len(table.raw_data) > len(
        case.files["model.onnx"]
    )


def test_rescaling_keeps_the_function_and_changes_every_query_and_key():
    data = minilm.evaluation_mode_onnx()
    other = cases.rescaled(data, 5)
    case = EXERCISE.public_cases()[-1]
    before, after = (numerics.run(which, cases.feeds(case)[1:])[0][0][0] for which in (data, other))
    assert numerics.relative_error(before, after) < 1e-4
    tensors = [
        {t.name: t.raw_data for t in ModelProto.FromString(which).graph.initializer}
        for which in (data, other)
    ]
    changed = {name for name in tensors[0] if tensors[0][name] != tensors[1][name]}
    assert len(changed) == 6 * 4
    assert all(
        f"bert.encoder.layer.{n}.attention.self.{which}.bias" in changed
        for n in range(6)
        for which in ("query", "key")
    )


@seeds(12, 2)
def test_one_scale_per_weight_is_far_from_enough_where_channels_differ_and_one_per_channel_is_far_enough(
    seeds,
):
    """The threshold lies between two bands with room on both sides."""
    for seed in seeds:
        case = small_case("rescaled", seed)
        assert agreement(reference, case) > 0.995
        assert agreement(STORED["per_tensor"], case) < 0.965


def agreement(function, case):
    answer = answers(EXERCISE, {"quantize_bert": function}, [case])[case.name]
    pairs = rungs._pairs(View(case, answer, EXERCISE.digest(case, None)))
    return np.mean(
        [(rungs._unit(want) * rungs._unit(have)).sum(axis=1).mean() for want, have in pairs]
    )


def test_padding_does_not_count():
    inputs = {"attention_mask": np.array([[1, 1, 0]]), "input_ids": np.zeros((1, 3), np.int64)}
    states = np.float32([[[1, 2], [3, 4], [100, -100]]])
    whole = np.float32([[7, 8]])
    assert [value.tolist() for value in rungs.embeddings(inputs, [states, whole])] == [
        [[2, 3]],
        [[7, 8]],
    ]


def test_the_exporter_s_descriptions_stop_the_quantizer_as_the_lab_quotes_it():
    broken = verdict(STORED["as_exported"], [small("pooler")]).broken
    assert (
        broken.name == "type"
        and "Inferred shape and existing shape differ in dimension 0" in broken.found
    )
    hidden = verdict(STORED["as_exported"], [small("pooler-new-weights")]).broken
    assert "Inferred shape" not in hidden.found and "transposes a Gemm's weight" in hidden.cause


def test_what_does_not_matter_does_not_matter():
    def rename(new):
        new.producer_name, new.doc_string, new.graph.name, new.ir_version = (
            "somebody",
            "smaller",
            "other",
            8,
        )
        del new.graph.value_info[:]
        names = {
            name: f"n/{name}"
            for node in new.graph.node
            for name in node.output
            if name not in ("last_hidden_state", "pooled")
        }
        names |= {tensor.name: f"w/{tensor.name}" for tensor in new.graph.initializer}
        for tensor in new.graph.initializer:
            tensor.name = names[tensor.name]
        for node in new.graph.node:
            node.name = ""
            node.input[:] = [names.get(name, name) for name in node.input]
            node.output[:] = [names.get(name, name) for name in node.output]

    def lift(new):
        for tensor in list(new.graph.initializer):
            new.graph.node.insert(0, helper.make_node("Constant", [], [tensor.name], value=tensor))
        del new.graph.initializer[:]

    for edit in (rename, lift):
        found = verdict(after_reference(edit), [small(), small("pooler"), small("shared-layers")])
        assert found.broken is None


def test_queries_keys_and_values_may_become_one_product():
    """One wide product instead of three holds as many numbers."""

    def quantize_bert(model):
        new = ModelProto.FromString(model.SerializeToString())
        weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in new.graph.initializer}
        readers = {}
        for node in new.graph.node:
            if node.op_type == "MatMul" and node.input[1] in weights:
                readers.setdefault(node.input[0], []).append(node)
        for x, nodes in readers.items():
            if len(nodes) == 3:
                wide = np.concatenate([weights[node.input[1]] for node in nodes], axis=1)
                new.graph.initializer.append(numpy_helper.from_array(wide, f"{x}/wide"))
                place = list(new.graph.node).index(nodes[0])
                outputs = [node.output[0] for node in nodes]
                for node in nodes:
                    new.graph.node.remove(node)
                new.graph.node.insert(
                    place,
                    helper.make_node("MatMul", [x, f"{x}/wide"], [f"{x}/y"], name=f"{x}/wide"),
                )
                new.graph.node.insert(
                    place + 1,
                    helper.make_node("Split", [f"{x}/y"], outputs, axis=-1, num_outputs=3),
                )
        used = {name for node in new.graph.node for name in node.input}
        kept = [tensor for tensor in new.graph.initializer if tensor.name in used]
        del new.graph.initializer[:], new.graph.value_info[:]
        new.graph.initializer.extend(kept)
        return reference(new)

    drawn = [small_case("small", seed) for seed in range(9)]
    # Split has num_outputs from opset 18 on.
    case = next(
        case
        for case in drawn
        if loading.parse(case.files["model.onnx"]).opset_import[0].version > 17
    )
    assert verdict(quantize_bert, [case]).broken is None


@pytest.mark.parametrize(
    ("spoil", "rung", "words"),
    [
        (lambda new: new.graph.input[1].__setattr__("name", "mask"), "loads", "onnx.checker"),
        (
            lambda new: (
                new.graph.output[0].type.tensor_type.shape.dim[1].__setattr__("dim_value", 7)
            ),
            "contract",
            "fixed",
        ),
        (
            lambda new: new.graph.node[-1].__setattr__("domain", "com.evil"),
            "loads",
            "domain 'com.evil'",
        ),
        (lambda new: spoil_scales(new, 0), "numerics", "another function"),
        (lambda new: spoil_scales(new, np.nan), "numerics", "NaN or infinity"),
        (
            lambda new: new.graph.initializer.append(big(new)),
            "quality: size",
            "initializers that no node reads",
        ),
    ],
)
def test_spoilt_answers_are_named(spoil, rung, words):
    found = verdict(after_reference(spoil))
    assert found.broken.name == rung, found.broken
    assert words in f"{found.broken.expected} {found.broken.found} {found.broken.cause}"


def test_a_constant_output_is_worth_nothing():
    def quantize_bert(model):
        new = reference(model)
        width = model.graph.output[0].type.tensor_type.shape.dim[2].dim_value
        new.graph.node[-1].CopyFrom(
            helper.make_node(
                "Constant",
                [],
                ["last_hidden_state"],
                value=numpy_helper.from_array(np.ones((1, 1, width), np.float32)),
            )
        )
        return new

    found = verdict(quantize_bert)
    assert found.broken.name in ("loads", "structure: most") and found.score == 0


def test_decoys_do_not_count():
    """Integer products that no output needs, beside the float ones that do the work."""

    def quantize_bert(model):
        new, decoy = ModelProto.FromString(model.SerializeToString()), reference(model)
        for tensor in decoy.graph.initializer:
            new.graph.initializer.add().CopyFrom(tensor)
            new.graph.initializer[-1].name = f"decoy/{tensor.name}"
        for node in decoy.graph.node:
            copy = new.graph.node.add()
            copy.CopyFrom(node)
            copy.name = f"decoy/{node.name}"
            feeds = ("input_ids", "attention_mask")
            copy.input[:] = [
                name if name in feeds or not name else f"decoy/{name}" for name in node.input
            ]
            copy.output[:] = [f"decoy/{name}" for name in node.output]
        return new

    broken = verdict(quantize_bert).broken
    assert (broken.name, broken.found) == ("structure: most", "no product is quantized")


@pytest.mark.parametrize(
    ("result", "found"),
    [
        (None, "NoneType"),
        (b"bytes", "bytes"),
        ("int8.onnx", "str"),
        (onnx.GraphProto(), "GraphProto"),
    ],
)
def test_other_types_are_refused_by_name(result, found):
    broken = verdict(lambda model: result).broken
    assert (broken.name, broken.found) == ("type", found)


def test_hidden_findings_repeat_no_names_of_the_model():
    secret = "leaked_secret"

    def leak_output(new):
        new.graph.output[0].name = secret
        new.graph.node.append(helper.make_node("Identity", ["last_hidden_state"], [secret]))

    def leak_domain(new):
        new.graph.node[-1].domain = secret

    def leak_read(new):
        new.graph.node[-1].input[0] = secret

    def leak_dimension(new):
        new.graph.input[0].type.tensor_type.shape.dim[0].dim_param = secret

    def leak_operator(new):
        new.graph.node[-1].op_type, new.graph.node[-1].domain = secret, "com.microsoft"

    def leak_exception(model):
        raise ValueError(secret)

    for function in (
        *map(after_reference, (leak_output, leak_domain, leak_read, leak_dimension, leak_operator)),
        leak_exception,
    ):
        found = verdict(function, [small("pooler-new-weights")])
        assert found.broken is not None
        for rung in found.rungs:
            assert secret not in f"{rung.expected} {rung.found} {rung.cause}"


def test_native_integer_kernels_never_decide(monkeypatch):
    """The mark stays when every native session answers nonsense for integer operators: none is ever
    opened on them.
    """
    operators = set(quantized_operators.DEFAULT)
    real, seen = numerics.run, []

    def run(data, *arguments, **settings):
        seen.append({node.op_type for node in ModelProto.FromString(data).graph.node})
        return real(data, *arguments, **settings)

    monkeypatch.setattr(numerics, "run", run)
    monkeypatch.setattr(quantized.numerics, "run", run)
    rungs._evaluated.cache_clear()
    assert verdict(reference).broken is None
    assert seen and not any(found & operators for found in seen)


def test_a_report_that_somebody_forged_is_no_answer():
    given = answers(EXERCISE, {"quantize_bert": reference}, [small()])["small"]
    for report in (b"", b"[]", b'{"argument_changed": 0, "again": "same"}', b"\xff"):
        forged = type(given)("returned", {**given.files, "report.json": report})
        found = climb(
            EXERCISE, [small()], {"small": forged}, {"small": EXERCISE.digest(small(), given)}
        )
        assert found.broken.name == "type"


def test_a_graph_fused_by_the_runtime_keeps_its_mark_and_a_layout_of_one_processor_is_refused():
    assert verdict(STORED["valid_fused"]).broken is None

    def foreign(new):
        new.graph.node[-1].op_type, new.graph.node[-1].domain = "QLinearReduceMean", "com.microsoft"
        new.opset_import.add(domain="com.microsoft", version=1)

    broken = verdict(after_reference(foreign)).broken
    assert broken.name == "loads" and re.search("ONNX Runtime|com.microsoft", broken.expected)


def test_the_training_fixture_is_a_bert_like_the_cases():
    """What the lab's functions are called with is not special to our own builder: an exported BERT
    is graded the same way.
    """
    data = fixtures.read("bert")
    assert len(case_facts.read(data).products) == 12
    session = ort.InferenceSession(
        reference(ModelProto.FromString(data)).SerializeToString(),
        providers=["CPUExecutionProvider"],
    )
    assert session.get_outputs()[0].name == "last_hidden_state"


def spoil_scales(new, value):
    """Every scale of a weight's channels becomes `value` (0 leaves the biases alone to speak)."""
    for tensor in new.graph.initializer:
        if tensor.name.endswith("_scale") and tensor.data_type == TensorProto.FLOAT:
            values = numpy_helper.to_array(tensor)
            tensor.CopyFrom(numpy_helper.from_array(np.full_like(values, value), tensor.name))


def big(new):
    return numpy_helper.from_array(np.ones(new.ByteSize() // 4, np.float32), "extra")


@settings(max_examples=20, deadline=None)
@given(
    transposed=st.tuples(st.booleans(), st.booleans()),
    alpha=st.sampled_from([1, 0.25, 3]),
    beta=st.sampled_from([1, 0, -2]),
    shared=st.booleans(),
    twice=st.booleans(),
    seed=st.integers(0, 99),
)
def test_the_solution_keeps_a_gemm_in_every_spelling(transposed, alpha, beta, shared, twice, seed):
    """Also where two Gemms share a weight, and one of them or both transpose it."""
    rng = np.random.default_rng(seed)
    first, second = (
        f"<transB = {int(each)}, alpha = {alpha:.2f}, beta = {beta:.2f}>" for each in transposed
    )
    graph = parser.parse_graph(
        f"""g (float[N, 16] x) => (float[N, 16] y) {{
            h = Gemm {first} (x, w, b)
            y = Gemm {second} (h, {"w" if shared else "v"}, b)
        }}"""
    )
    tensors = {
        "w": rng.normal(size=(16, 16)),
        "v": rng.normal(size=(16, 16)),
        "b": rng.normal(size=16),
    }
    graph.initializer.extend(
        numpy_helper.from_array(value.astype(np.float32), name) for name, value in tensors.items()
    )
    model = make_model(graph, 20)
    if twice:
        model.opset_import.append(helper.make_opsetid("ai.onnx", 20))
    feeds = [{"x": rng.normal(size=(5, 16)).astype(np.float32)}]
    small = reference(ModelProto.FromString(model.SerializeToString()))
    assert not {"Gemm", "MatMul"} & {node.op_type for node in small.graph.node}
    [[wanted]], [[found]] = (
        quantized.evaluate(each.SerializeToString(), feeds) for each in (model, small)
    )
    assert quantized.sqnr(wanted, found) > 25


def test_a_product_that_the_quantizer_leaves_in_float_is_not_handed_on():
    graph = parser.parse_graph(
        """g (float[12, 5] x) => (float[4, 5] y) {
            w = Constant <value = float[4, 12] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6, 7,
                8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}> ()
            y = MatMul(w, x)
        }"""
    )
    with pytest.raises(ValueError, match="left products with a weight in float"):
        reference(make_model(graph, 20))


@settings(max_examples=8, deadline=None)
@given(st.sets(st.sampled_from(["first", "weight", "bias"]), min_size=1), st.booleans())
def test_an_input_with_a_default_is_kept_or_refused(overridable, transposed):
    """What a caller may replace is no constant, though the quantizer takes it for one."""
    graph = parser.parse_graph(
        f"""g (float[n, 8] x) => (float[n, 5] y) {{
            a = MatMul(x, first)
            y = Gemm <transB = {int(transposed)}> (a, weight, bias)
        }}"""
    )
    rng = np.random.default_rng(5)
    shapes = {"first": (8, 6), "weight": (5, 6) if transposed else (6, 5), "bias": (5,)}
    for name, shape in shapes.items():
        array = rng.normal(size=shape).astype(np.float32)
        graph.initializer.append(numpy_helper.from_array(array, name))
        if name in overridable:
            graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
    model = make_model(graph, 20)
    onnx.checker.check_model(model, full_check=True)
    try:
        small = reference(model)
    except ValueError as refused:
        assert "the quantizer took an input away" in str(refused)
    else:
        names = [[value.name for value in each.graph.input] for each in (model, small)]
        assert names[0] == names[1]
