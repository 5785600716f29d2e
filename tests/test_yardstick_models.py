"""The yardstick on models: the float64 run is one, correct conversions pass, and every change of the
function is refused.
"""

import copy

import numpy as np
import onnx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, parser
from scipy import special
from torch import nn

from formatlab import numerics
from formatlab.measure import controls, float64
from formatlab.measure.float64 import NoFloat64
from formatlab.measure.yardstick import error, judge
from formatlab.models import fixtures, minilm

HEAD = '<ir_version: 10, opset_import: ["" : 20]>'


def by_torch(module, *inputs):
    with torch.no_grad():
        return module(*inputs).numpy()


def exported(module, *inputs):
    program = torch.onnx.export(module, inputs, dynamo=True, verbose=False)
    return program.model_proto


def by_session(model, *inputs, level="ORT_ENABLE_ALL"):
    feeds = dict(zip([value.name for value in model.graph.input], inputs, strict=True))
    [[outputs]] = numerics.run(model.SerializeToString(), [feeds], level)
    return outputs


@pytest.fixture(scope="module")
def bert():
    from transformers import AutoModel

    return AutoModel.from_pretrained(minilm.installed()).eval()


@pytest.fixture(scope="module")
def sentences():
    rng = np.random.default_rng(0)
    return [torch.from_numpy(rng.integers(1000, 20000, (2, length))) for length in (7, 12)]


@pytest.fixture(scope="module")
def of_minilm(bert, sentences):
    """(float32 original, float64) of MiniLM, two runs."""
    original = [[states(bert, ids)] for ids in sentences]
    return original, [[float64.of_torch(bert, ids)[0]] for ids in sentences]


def states(network, ids):
    with torch.no_grad():
        return network(ids)[0].numpy()


def tanh_gelu(bert):
    for layer in bert.encoder.layer:
        layer.intermediate.intermediate_act_fn = nn.GELU(approximate="tanh")


def other_epsilon(bert):
    for module in bert.modules():
        if isinstance(module, nn.LayerNorm):
            module.eps = 1e-5


def one_matrix_in_float16(bert):
    weight = bert.encoder.layer[3].output.dense.weight
    weight.copy_(weight.half())


def feed_forward_in_float16(bert):
    for layer in bert.encoder.layer:
        layer.output.dense.weight.copy_(layer.output.dense.weight.half())


def all_in_float16(bert):
    bert.half().float()


def all_in_bfloat16(bert):
    bert.bfloat16().float()


def one_bias_off(bert):
    bert.encoder.layer[0].output.dense.bias[3] += 0.05


def one_bias_hardly_off(bert):
    bert.encoder.layer[5].output.dense.bias[3] += 1e-4


CHANGES = [
    tanh_gelu,
    other_epsilon,
    one_matrix_in_float16,
    feed_forward_in_float16,
    all_in_float16,
    all_in_bfloat16,
    one_bias_off,
    one_bias_hardly_off,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_minilm_with_a_change_is_another_function(bert, sentences, of_minilm, change):
    other = copy.deepcopy(bert)
    with torch.no_grad():
        change(other)
    verdict = judge([[states(other, ids)] for ids in sentences], *of_minilm)
    assert not verdict
    assert verdict.reason == "value"
    assert verdict.units > 10


def test_a_correct_file_of_minilm_is_the_same_function(sentences, of_minilm):
    model = minilm.evaluation_mode()
    for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_ALL"):
        runs = [
            [by_session(model, ids.numpy(), np.ones_like(ids), level=level)[0]] for ids in sentences
        ]
        verdict = judge(runs, *of_minilm)
        assert verdict, verdict
        assert not verdict.ill_conditioned


def test_the_float64_of_the_file_and_of_the_module_agree(sentences, of_minilm):
    model = minilm.evaluation_mode()
    names = [value.name for value in model.graph.input]
    feeds = [dict(zip(names, (ids.numpy(), np.ones_like(ids)), strict=True)) for ids in sentences]
    found = float64.of_onnx(model, feeds)
    assert found.lacking == ("Erf",)
    noise = max(error(run[0], true[0]) for run, true in zip(*of_minilm, strict=True))
    for run, [true] in zip(found.runs, of_minilm[1], strict=True):
        assert error(run[0], true) < noise / 4


class Standardized(nn.Sequential):
    """A correct model whose own float32 error is some thousand times epsilon."""

    def __init__(self):
        convolution, norm = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        super().__init__(convolution, norm, nn.ReLU(), nn.Flatten(), nn.Linear(512, 4))
        with torch.no_grad():
            convolution.bias.fill_(2000)
            norm.running_mean.fill_(2000)
            norm.running_var.fill_(0.3)


class Amplifier(nn.Sequential):
    def __init__(self):
        layers = [layer for _ in range(24) for layer in (nn.Linear(32, 32), nn.Tanh())]
        super().__init__(*layers)
        with torch.no_grad():
            for layer in layers[::2]:
                layer.weight.normal_(0, 3 / 32**0.5)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("kind", "shape"), [(Standardized, (2, 3, 8, 8)), (Amplifier, (16, 32))])
def test_a_correct_export_of_an_ill_conditioned_model_passes_and_is_named(kind, shape, seed):
    torch.manual_seed(seed)
    module, x = kind().eval(), torch.randn(*shape)
    model = exported(module, x)
    [exact] = float64.of_torch(module, x)
    verdict = judge(by_session(model, x.numpy())[0], by_torch(module, x), exact)
    assert verdict, verdict
    assert verdict.ill_conditioned
    assert "ill-conditioned" in verdict.text


@pytest.mark.parametrize("name", ["bert", "digits-cnn"])
def test_of_a_file_alone_the_runtime_agrees_and_controls_are_refused(name):
    model = onnx.load_from_string(fixtures.read(name))
    feeds = numerics.feeds(model, 0)
    exact = float64.of_onnx(model, feeds).runs
    original = runs_of(model, feeds)
    assert judge(runs_of(model, feeds, "ORT_ENABLE_ALL"), original, exact)
    bias = next(t.name for t in model.graph.initializer if t.data_type == 1 and len(t.dims) == 1)
    for control in (controls.rounded(model), controls.shifted(model, bias, 0.01)):
        assert not judge(runs_of(control, feeds), original, exact)


def runs_of(model, feeds, level="ORT_DISABLE_ALL"):
    return [outputs for [outputs] in numerics.run(model.SerializeToString(), feeds, level)]


def test_a_control_that_changes_nothing_is_no_control():
    model = parser.parse_model(
        f"{HEAD} g (float[2] x) => (float[2] y) <float[2] w = {{1, 2}}> {{ y = Mul(x, w) }}"
    )
    with pytest.raises(ValueError, match="exactly"):
        controls.rounded(model)
    with pytest.raises(KeyError, match="w"):
        controls.shifted(model, "v", 1)


class Casts(nn.Module):
    """Casts to float32 and makes tensors of the usual type, as LLaMA's normalization does."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        wide = self.linear(x).to(torch.float32)
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return (wide + torch.linspace(0, 1, 8) + torch.arange(8, dtype=torch.float32).sin()).float()


def test_a_module_that_casts_to_float32_is_run_in_float64():
    torch.manual_seed(0)
    module, x = Casts(), torch.randn(4, 8)
    [exact] = float64.of_torch(module, x)
    assert exact.dtype == np.float64
    w, b = (value.detach().double().numpy() for value in module.linear.parameters())
    h = x.double().numpy() @ w.T + b
    h = h / np.sqrt((h**2).mean(-1, keepdims=True) + 1e-6)
    expected = h + np.linspace(0, 1, 8) + np.sin(np.arange(8))
    assert np.abs(exact - expected).max() < 1e-14
    assert module.linear.weight.dtype == torch.float32
    assert torch.get_default_dtype() == torch.float32


def test_a_module_that_rounds_on_purpose_has_no_float64_run():
    class Half(nn.Module):
        def forward(self, x):
            return x.half() * 2

    with pytest.raises(NoFloat64, match="SQNR"):
        float64.of_torch(Half(), torch.ones(3))
    assert torch.get_default_dtype() == torch.float32


def test_inputs_and_outputs_may_be_nested():
    class Nested(nn.Module):
        def forward(self, pair, *, scale):
            return {"sum": pair[0] + pair[1], "parts": [pair[0] * scale, pair[1].argmax()]}

    found = float64.of_torch(Nested(), (torch.ones(2), torch.ones(2)), scale=torch.tensor(3.0))
    assert [value.dtype for value in found] == [np.float64, np.float64, np.int64]


ACTIVATIONS = [
    "Erf",
    "Gelu",
    "Tanh",
    "Sigmoid",
    "Exp",
    "Softplus",
    "Elu",
    "Celu",
    "Mish",
    "HardSwish",
    "Selu",
    "Sqrt",
    "Reciprocal",
    "Softsign",
]


@pytest.mark.parametrize("operator", ACTIVATIONS)
def test_a_float64_run_of_an_operator_is_one(operator):
    """ONNX's reference evaluator computes Erf in float32, whatever it is given, and looks up what
    defines an operator when it runs. The operator reads a computed value.
    """
    body = f"h = Identity(x) y = {operator}(h)"
    model = parser.parse_model(f"{HEAD} g (float[50] x) => (float[50] y) {{ {body} }}")
    low = 0.1 if operator in ("Sqrt", "Reciprocal") else -2
    x = np.random.default_rng(0).uniform(low, 2, 50).astype(np.float32)
    [[found]] = float64.of_onnx(model, [{"x": x}]).runs
    expected = OF_TORCH[operator](torch.from_numpy(x.astype(np.float64))).numpy()
    assert np.abs(found - expected).max() < 1.2e-7, "an attribute is a float32"
    assert np.unique(found - found.astype(np.float32)).size > 10


@pytest.mark.parametrize("size", [1, 3, 5])
def test_a_float64_run_of_an_lrn_goes_through_all_channels(size):
    """ONNX's reference evaluator goes through as many as there are pictures (`upstream/`)."""
    body = f"h = Identity(x) y = LRN <size: int = {size}, alpha: float = 0.5> (h)"
    model = parser.parse_model(f"{HEAD} g (float[2,6,3,3] x) => (float[2,6,3,3] y) {{ {body} }}")
    x = np.random.default_rng(0).normal(size=(2, 6, 3, 3)).astype(np.float32)
    [[found]] = float64.of_onnx(model, [{"x": x}]).runs
    [[single]] = numerics.run(model.SerializeToString(), [{"x": x}])
    assert 0 < np.abs(found - single).max() < 1e-6 and found.dtype == np.float64


OF_TORCH = {
    "Erf": torch.erf,
    "Gelu": nn.functional.gelu,
    "Tanh": torch.tanh,
    "Sigmoid": torch.sigmoid,
    "Exp": torch.exp,
    "Softplus": nn.functional.softplus,
    "Elu": nn.functional.elu,
    "Celu": nn.functional.celu,
    "Mish": nn.functional.mish,
    "HardSwish": nn.functional.hardswish,
    "Selu": nn.functional.selu,
    "Sqrt": torch.sqrt,
    "Reciprocal": torch.reciprocal,
    "Softsign": nn.functional.softsign,
}


def test_what_onnx_defines_by_other_operators_is_run_as_those():
    """Inside of a branch too, and where the operator itself takes no float64."""
    model = parser.parse_model(
        """<ir_version: 10, opset_import: ["" : 23]>
        g (float[2, 3, 4, 8] x, float[2, 4, 4] c, float[2, 4, 4] s, bool flag)
          => (float[2, 3, 4, 8] y, float[2, 3, 4, 8] z) {
          h = Relu(x)
          y = RotaryEmbedding(h, c, s)
          n = MeanVarianceNormalization(h)
          z = If (flag) <then_branch = t () => (float[2, 3, 4, 8] a) { k = Sigmoid(n) a = Gelu(k) },
            else_branch = e () => (float[2, 3, 4, 8] b) { b = Gelu<approximate = "tanh">(n) }>
        }"""
    )
    rng = np.random.default_rng(0)
    shapes = {"x": (2, 3, 4, 8), "c": (2, 4, 4), "s": (2, 4, 4)}
    feeds = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    feeds["flag"] = np.array(True)
    [[y, z]] = float64.of_onnx(model, [feeds]).runs
    x, c, s = (
        torch.from_numpy(feeds[name].astype(np.float64)[:, None] if name != "x" else feeds[name])
        for name in "xcs"
    )
    h = x.double().relu()
    real, imaginary = h.chunk(2, dim=-1)
    turned = torch.cat([real * c - imaginary * s, imaginary * c + real * s], dim=-1)
    assert np.abs(y - turned.numpy()).max() < 1e-14
    centred = h - h.mean((0, 2, 3), keepdim=True)
    deviation = centred.pow(2).mean((0, 2, 3), keepdim=True).sqrt()
    normalized = centred / (deviation + np.float32(1e-9).item())
    assert np.abs(z - nn.functional.gelu(normalized.sigmoid()).numpy()).max() < 1e-12


def test_everything_in_a_graph_becomes_float64():
    model = parser.parse_model(
        f"""{HEAD}
        g (float[N, 3] x, bool[1] flag) => (float[N, 3] y, float[2] z)
          <float third = {{0.3333333}}, float[2] w = {{0.1, 0.2}}> {{
          half = Constant <value_float: float = 0.5>()
          list = Constant <value_floats: floats = [0.1, 0.2, 0.3]>()
          narrow = Cast <to: int = 1>(third)
          size = Constant <value_ints: ints = [2]>()
          zeros = ConstantOfShape(size)
          z = Add(zeros, w)
          one = Squeeze(flag)
          chosen = If (one) <then_branch = t () => (float[] a) {{
              c = Constant <value_float: float = 1.5>() a = Mul(c, third) }},
            else_branch = e () => (float[] b) {{ b = Mul(half, third) }}>
          scaled = Mul(x, chosen)
          moved = Add(scaled, list)
          y = Div(moved, narrow)
        }}"""
    )
    x = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    feeds = [{"x": x, "flag": np.array([flag])} for flag in (True, False)]
    found = float64.of_onnx(model, feeds)
    third = np.float64(np.float32(0.3333333))
    for factor, (y, _) in zip((1.5, 0.5), found.runs, strict=True):
        list_ = np.float32([0.1, 0.2, 0.3]).astype(np.float64)
        assert np.abs(y - (x * (factor * third) + list_) / third).max() < 1e-15
    assert model.graph.input[0].type.tensor_type.elem_type == TensorProto.FLOAT


def test_a_loop_without_a_condition_runs_as_often_as_it_is_told():
    """ONNX's reference evaluator runs it where ONNX Runtime has no float64 kernel for its body, and
    would take a condition that is left out for one that does not hold.
    """
    model = onnx.parser.parse_model("""
        <ir_version: 10, opset_import: ["" : 18]>
        loop (int64 times, float[N] x) => (float[N] y) {
            y = Loop(times, , x) <body = body (int64 at, bool go, float[N] before) => (bool on, float[N] after) {
                on = Identity(go)   after = Erf(before)
            }>
        }""")
    feeds = {"times": np.array(3), "x": np.linspace(-2, 2, 9, dtype=np.float32)}
    found = float64.of_onnx(model, [feeds])
    expected = feeds["x"].astype(np.float64)
    for _ in range(3):
        expected = special.erf(expected)
    assert found.lacking == ("Erf",)
    np.testing.assert_allclose(found.runs[0][0], expected, rtol=1e-14)


def test_functions_and_settings_in_float32_stay_what_they_are():
    model = parser.parse_model(
        """<ir_version: 10, opset_import: ["" : 20, "own" : 1]>
        g (float[1, 1, 4, 4] x) => (float[1, 1, 8, 8] y) <float[4] scales = {1, 1, 2, 2}> {
          t = own.twice(x)
          y = Resize <mode = "linear">(t, , scales)
        }
        <domain: "own", opset_import: ["" : 20]> twice (a) => (b) { two = Constant <value_float: float = 2.0>() b = Mul(a, two) }"""
    )
    x = np.random.default_rng(0).normal(size=(1, 1, 4, 4)).astype(np.float32)
    [[found]] = float64.of_onnx(model, [{"x": x}]).runs
    [[[original]]] = numerics.run(model.SerializeToString(), [{"x": x}])
    assert found.dtype == np.float64
    assert error(original, found) < 1e-6


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("y = RandomNormalLike(x)", "random"),
        ("t = Constant<value = bool {1}>() y = Dropout(x, , t)", "Dropout in training mode"),
        ("s = ReduceSum<keepdims = 0>(x) z = Less(s, s) t = Not(z) y = Dropout(x, , t)", "random"),
        ("h = Cast<to: int = 10>(x) y = Cast<to: int = 1>(h)", "SQNR"),
        ("q, s, z = DynamicQuantizeLinear(x) y = DequantizeLinear(q, s, z)", "SQNR"),
    ],
)
def test_what_has_no_float64_run_says_why(body, says):
    model = parser.parse_model(f"{HEAD} g (float[64] x) => (float[64] y) {{ {body} }}")
    with pytest.raises(NoFloat64, match=says) as caught:
        float64.of_onnx(model, [{"x": np.ones(64, np.float32)}])
    assert caught.value.operators


@pytest.mark.parametrize(
    "body",
    [
        "t = Constant<value = bool {0}>() y = Dropout(x, , t)",
        "r = Constant<value_float: float = 0.0>() t = Constant<value = bool {1}>() y = Dropout(x, r, t)",
        "s = ReduceSum<keepdims = 0>(x) t = Less(s, s) y = Dropout(x, , t)",
    ],
)
def test_a_dropout_that_drops_nothing_is_not_random(body):
    model = parser.parse_model(f"{HEAD} g (float[64] x) => (float[64] y) {{ {body} }}")
    x = np.ones(64, np.float32)
    [[found]] = float64.of_onnx(model, [{"x": x}]).runs
    assert np.array_equal(found, x)


def test_an_operator_that_nobody_runs_in_float64_is_named():
    model = parser.parse_model(
        """<ir_version: 10, opset_import: ["" : 20, "com.microsoft" : 1]>
        g (float[1, 1, 4, 4] x) => (float[1, 1, 4, 4] y) <float[1, 1, 1, 1] w = {0.5}> {
          y = com.microsoft.FusedConv(x, w)
        }"""
    )
    with pytest.raises(NoFloat64, match=r"com\.microsoft\.FusedConv"):
        float64.of_onnx(model, [{"x": np.ones((1, 1, 4, 4), np.float32)}])


def test_inputs_that_do_not_fit_are_no_matter_of_float64():
    model = parser.parse_model(f"{HEAD} g (float[4] x) => (float[4] y) {{ y = Relu(x) }}")
    with pytest.raises(Exception, match=r"(?i)dimension") as caught:
        float64.of_onnx(model, [{"x": np.ones(5, np.float32)}])
    assert not isinstance(caught.value, NoFloat64)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(2, 200), st.floats(0.1, 4))
def test_any_order_of_addition_is_the_same_function_and_a_rounded_weight_is_not(
    seed, depth, width, gain
):
    """Layers whose sums are added in another order, by permuting the hidden units."""
    rng = np.random.default_rng(seed)
    shapes = [(width, width)] * depth
    weights = [(gain * rng.normal(size=s) / np.sqrt(width)).astype(np.float32) for s in shapes]
    x = rng.normal(size=(16, width)).astype(np.float32)

    def forward(weights, kind=np.float32):
        h = x.astype(kind)
        for w in weights:
            h = np.maximum(h @ w.astype(kind), 0).astype(kind) + h
        return h

    order = rng.permutation(width)
    moved = [w[order][:, order] for w in weights]
    candidate = x[:, order]
    for w in moved:
        candidate = np.maximum(candidate @ w, 0) + candidate
    original, exact = forward(weights), forward(weights, np.float64)
    verdict = judge(candidate[:, np.argsort(order)], original, exact)
    assert verdict, verdict
    half = forward([w.astype(np.float16).astype(np.float32) for w in weights])
    assert not judge(half, original, exact)
