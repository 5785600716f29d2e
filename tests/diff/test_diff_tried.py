"""'Both compute the same function' is said of what was tried alone: inputs that reach what a model may be
asked for, and a word on what none of them reached.
"""

import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper, parser
from typer.testing import CliRunner

import formatlab
from formatlab.cli import app
from formatlab.diff import agreement, inputs, running

SAME = "both compute the same function"


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """What the process of its own answers, without the seconds that it takes to begin."""
    monkeypatch.setattr(
        agreement, "_apart", lambda path: running.answer(json.loads(path.read_text()))
    )


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def model(text, **weights):
    made = parser.parse_model(f'<ir_version: 10, opset_import: ["" : 20]> g {text}')
    made.graph.initializer.extend(
        numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()
    )
    return made


def said(a, b, **options):
    return formatlab.diff(a, b, **options).agreement.text


ATTENTION = """(int64[N,L] ids, int64[N,L] {mask}) => (float[N,L,2] y) {{ e=Gather(table,ids) q=MatMul(e,wq)
    k=Transpose<perm=[0,2,1]>(e) s=MatMul(q,k) {masked} p=Softmax(t) c=MatMul(p,e) y=MatMul(c,wo) }}"""
WHERE = "b=Cast<to=9>({mask}) m=Unsqueeze(b,one) a=Where(m,zero,low) t=Add(s,a)"
SUBTRACTED = (
    "f=Cast<to=1>({mask}) u=Unsqueeze(f,one) v=Sub(unit,u) a=Mul(v,large) {more} t=Add(s,{a})"
)


def attention(masked, mask="attention_mask", change=1.0):
    weights = {
        "table": numbers(30, 8),
        "wq": numbers(8, 8, seed=1) * np.float32(0.3 * change),
        "wo": numbers(8, 2, seed=2),
        "one": np.int64([1]),
        "zero": np.float32(0),
        "low": np.float32(np.finfo(np.float32).min),
        "unit": np.float32(1),
        "large": np.float32(-10000),
    }
    masked = masked.format(mask=mask, more="i=Identity(a)" if "{more}" in masked else "", a="{a}")
    return model(ATTENTION.format(mask=mask, masked=masked), **weights)


def subtracted(more="", a="a", **options):
    return attention(SUBTRACTED.replace("{more}", more).replace("{a}", a), **options)


@pytest.mark.parametrize("mask", ["attention_mask", "padding"])
def test_a_mask_that_nothing_reads_any_more_is_found(mask):
    text = said(attention(WHERE, mask), attention("t=Identity(s)", mask))
    assert "the outputs differ" in text
    assert f"No output of B depends on the input `{mask}`, and those of A do." in text


@pytest.mark.parametrize("mask", ["attention_mask", "padding"])
def test_a_mask_of_0_and_1_makes_no_sound_model_ill_conditioned(mask):
    before = subtracted(mask=mask)
    text = said(before, subtracted("i=Identity(a)", "i", mask=mask))
    assert SAME in text
    assert "ill-conditioned" not in text
    assert "the outputs differ" in said(before, subtracted(mask=mask, change=1.001))


@pytest.mark.parametrize("mask", ["attention_mask", "padding_mask"])
def test_a_row_that_is_masked_as_a_whole_is_tried_for_nan(mask):
    """Rows of padding are: -inf gives NaN there, where the lowest number gives their mean."""
    infinite = attention(WHERE.replace("low)", "never)"), mask)
    infinite.graph.initializer.append(numpy_helper.from_array(np.float32(-np.inf), "never"))
    text = said(attention(WHERE, mask), infinite)
    assert "NaN or infinity" in text and SAME not in text
    assert f"As long as no row of `{mask}` is 0 throughout, they agree." in text
    # What such a row gives means nothing, so other numbers there are no other function.
    lower = attention(WHERE.replace("low)", "large)"), mask)
    assert SAME in said(attention(WHERE, mask), lower)
    assert SAME in said(infinite, attention(WHERE, mask))


def remainder(fmod, back="Neg(n)"):
    return model(
        f"(int64[N] x) => (float[N] y) {{ n=Neg(x) b={back} m=Mod<fmod={fmod}>(b,k) f=Cast<to=1>(m) y=Mul(f,s) }}",
        k=np.int64(3),
        zero=np.int64(0),
        s=np.float32(0.3),
    )


def test_integers_below_0_are_drawn_where_nothing_forbids_them():
    text = said(remainder(0), remainder(1))
    assert "the outputs differ" in text
    assert "As long as `x` is not below 0, they agree." in text
    assert SAME in said(remainder(0), remainder(0, "Sub(zero,n)"))


def pooled(ceil_mode, last="Relu(p)"):
    return model(
        "(float[N,2,L] x) => (float[N,2,K] y) {"
        f"p=MaxPool<kernel_shape=[3],strides=[2],ceil_mode={ceil_mode}>(x) y={last} }}"
    )


def test_sizes_in_a_row_show_what_becomes_of_the_last_window():
    """The sizes of the other runs leave nothing for it."""
    text = said(pooled(0), pooled(1))
    assert (
        SAME not in text and "They agree at some sizes of `L`, and at others they do not." in text
    )
    assert SAME in said(pooled(1), pooled(1, "LeakyRelu<alpha=0.0>(p)"))


def sized(change):
    return model(f"(float[N,6] x) => (float[K,3] y) {{ h=MatMul(x,w) {change} }}", w=numbers(6, 3),
                 zero=np.int64([0]), end=np.int64([2**63 - 1]), short=np.int64([8]))  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b"),
    [
        # One row alone, and more than seven.
        ("q=Unsqueeze(h,zero) y=Squeeze(q,zero)", "q=Unsqueeze(h,zero) y0=Squeeze(q) y=Identity(y0)"),
        ("y=Slice(h,zero,end)", "y=Slice(h,zero,short)"),
    ],
)  # fmt: skip
def test_one_row_and_a_hundred_are_drawn(a, b):
    assert "the outputs differ" in said(sized(a), sized(b))
    assert SAME in said(sized(a), sized(a.replace("y=", "z=") + " y=Identity(z)"))


def detector(v):
    return model(
        """(float[N,6] x) => (float[N,3] score, float[M,4] boxes) { score=MatMul(x,w) none=Greater(score,high)
        at=NonZero(none) t=Transpose(at) n=Slice(t,z,o,o) f=Cast<to=1>(n) boxes=MatMul(f,v) }""",
        w=numbers(6, 3), v=v, high=np.float32(1e6), z=np.int64([0]), o=np.int64([1]),
    )  # fmt: skip


def test_an_output_that_was_empty_in_every_run_is_not_called_the_same():
    found = formatlab.diff(detector(numbers(1, 4)), detector(numbers(1, 4, seed=9))).agreement
    assert found.verdict == "undecided"
    assert "`boxes` was empty in each, so nothing of it was compared" in found.text
    assert SAME not in found.text


def branches(limit, change=1.0):
    return model(
        """(float[N,6] x) => (float[N,3] y) { s=ReduceSum<keepdims=0>(x) c=Greater(s,limit)
        y=If(c) <then_branch = t () => (float[N,3] p) { p=MatMul(x,v) }, else_branch = e () => (float[N,3] q) { q=MatMul(x,w) }> }""",
        w=numbers(6, 3), v=numbers(6, 3, seed=1) * np.float32(change), limit=np.float32(limit),
    )  # fmt: skip


def test_a_branch_that_was_not_taken_is_named():
    text = said(branches(1e6), branches(1e6, 1.5))
    assert "No input took the then_branch of `y` in both: what is inside was not compared." in text
    assert SAME not in text
    assert "the outputs differ" in said(branches(-1e6), branches(-1e6, 1.5))


def sequence(operator, last="a,c"):
    return model(
        f"""(float[N,6] x) => (seq(float[N,3]) y) {{ a,b=Split<axis=1,num_outputs=2>(x) c={operator}(b)
        y=SequenceConstruct({last}) }}"""
    )


def test_sequences_are_compared():
    assert "the outputs differ" in said(sequence("Relu"), sequence("Abs"))
    assert "2 parts expected in y" in said(sequence("Relu"), sequence("Relu", "a,c,c"))
    control = sequence("Relu")
    control.graph.node.insert(2, helper.make_node("Identity", ["c"], ["d"]))
    control.graph.node[3].input[1] = "d"
    assert SAME in said(sequence("Relu"), control)


def test_integers_beyond_0_and_1_are_judged_by_themselves():
    square, plain = (
        model(
            f"(int64[N,6] n, float[N,6] x) => (float[N,6] y) {{ m=Cast<to=1>(n) {q} y=Add(x,q) }}"
        )
        for q in ("q=Mul(m,m)", "q=Identity(m)")
    )
    assert "As long as `n` is 0 or 1, they agree." in said(square, plain)
    text = said(square, plain, ranges={"n": (0, 2)})
    assert SAME in text


def test_indices_reach_both_ends_of_a_table_wherever_it_stands():
    table = np.random.default_rng(0).integers(-127, 127, (2, 6)).astype(np.int8)
    text = """(int64[N,L] kinds, float[N,L,6] x) => (float[N,L,6] y) { t=DequantizeLinear(codes,s)
        e=Gather(t,kinds) y=Add(x,e) }"""
    other = table * np.int8([[1], [-1]])
    a, b = (model(text, codes=each, s=np.float32(0.01)) for each in (table, other))
    assert "the outputs differ" in said(a, b)
    shifted = "(int64[N] ids) => (float[N,4] y) { p=Add(ids,two) y=Gather(t,p) }"
    last = numbers(7, 4)
    last[6] += 1
    a, b = (model(shifted, t=each, two=np.int64(2)) for each in (numbers(7, 4), last))
    assert "the outputs differ" in said(a, b)


PAST = """(float[N,S,6] x, float[N,P,6] past, int64[N,{total}] attention_mask) => (float[N,S,T] y) {{
    k=MatMul(x,w) all=Concat<axis=1>(past,k) t=Transpose<perm=[0,2,1]>(all) s=MatMul(k,t)
    m=Cast<to=1>(attention_mask) u=Unsqueeze(m,one) y=Mul(s,u) }}"""


def past(total, change):
    made = model(PAST.format(total="T"), w=numbers(6, 6) * np.float32(change), one=np.int64([1]))
    made.graph.input[2].type.tensor_type.shape.dim[1].dim_param = total
    return made


@pytest.mark.parametrize("total", ["T", "P + S"])
def test_sizes_that_hang_together_are_found(total):
    assert "the outputs differ" in said(past(total, 1), past(total, 1.01))


def unfit(operator):
    text = f"(float[N,6] x, float[K,6] z) => (float[N,6] y) {{ r=Reshape(z,s) y={operator}(x,r) }}"
    return model(text, s=np.int64([50, 1]))


def test_sizes_that_do_not_fit_are_the_drawings_fault_and_can_be_given():
    text = said(unfit("Add"), unfit("Sub"))
    assert "with the sizes drawn (`N` = " in text
    assert "A refuses them" in text
    assert "--dim N=SIZE --dim K=SIZE" in text
    # 25 * 6 numbers do not fit 50 rows either; nothing does but 50 rows of 1.
    fits = model("(float[N,6] x) => (float[N,6] y) { r=Reshape(x,s) y=Neg(r) }", s=np.int64([9, 6]))
    other = model(
        "(float[N,6] x) => (float[N,6] y) { r=Reshape(x,s) y=Abs(r) }", s=np.int64([9, 6])
    )
    assert "the outputs differ" in said(fits, other, sizes={"N": 9})
    with pytest.raises(formatlab.diff.CannotDiff, match="no free dimension `Q`"):
        said(fits, other, sizes={"Q": 9})
    with pytest.raises(formatlab.diff.CannotDiff, match="no input `q`"):
        said(fits, other, ranges={"q": (0, 9)})


def test_a_b_that_fails_where_a_runs_is_another_function():
    a, b = (
        model(
            f"(float[N,6] x) => (float[K] y) {{ s=ReduceSum<keepdims=0>(x,one) {more} y=Neg(s) }}",
            one=np.int64([1]), at=np.int64(1),
        )
        for more in ("", "z=Gather(s,at)")
    )  # fmt: skip
    assert "with `N` = 1 A runs and B does not" in said(a, b)


def quantized(scale, end=""):
    text = f"""(float[N,6] x) => (float[K,M] y) {{ q=QuantizeLinear(x,s,z) d=DequantizeLinear(q,s,z)
        w=DequantizeLinear(codes,t) {"y=MatMul(d,w)" if not end else f"h=MatMul(d,w) {end}"} }}"""
    codes = np.random.default_rng(0).integers(-127, 127, (6, 4)).astype(np.int8)
    return model(text, codes=codes, s=np.float32(0.02), z=np.int8(0), t=np.float32(scale))


@pytest.mark.parametrize(
    ("b", "words"),
    [
        (quantized(np.nan), "NaN or infinity in y"),
        (quantized(0.01, "y=Transpose(h)"), "expected in y"),
        (quantized(0.0), "the SQNR of y is below 10 dB"),
    ],
)
def test_two_quantized_files_are_decided_where_no_rounding_explains_it(b, words):
    text = said(quantized(0.01), b)
    assert "the outputs differ" in text
    assert words in text
    assert "nothing was decided" in said(quantized(0.01), quantized(0.0101))


def mixed(change):
    w = numbers(16, 6)
    w[:, :4] *= 300
    w[:, 4:] *= np.float32(change)
    return model(
        "(float[N,16] x) => (float[N,6] y) { h=MatMul(x,w) b,c=Split<axis=1>(h,p) s=Sigmoid(c) y=Concat<axis=1>(b,s) }",
        w=w, p=np.int64([4, 2]),
    )  # fmt: skip


def test_small_numbers_beside_large_ones_have_a_noise_of_their_own():
    assert "in column 4 of y" in said(mixed(1), mixed(1.0003))


def test_a_folded_batch_normalization_is_called_that():
    w = {
        "w": numbers(4, 3, 3, 3),
        "b": numbers(4),
        "g": numbers(4, seed=1),
        "s": numbers(4, seed=2),
    }
    w |= {"m": numbers(4, seed=3), "v": np.abs(numbers(4, seed=4)) * 0.01 + np.float32(1e-3)}
    before = "(float[N,3,8,8] x) => (float[N,4,6,6] y) { c=Conv(x,w,b) n=BatchNormalization(c,g,s,m,v) y=Relu(n) }"
    after = "(float[N,3,8,8] x) => (float[N,4,6,6] y) { n=Conv(x,w,b) y=Relu(n) }"

    def folded(epsilon):
        by = w["g"].astype(np.float64) / np.sqrt(w["v"] + epsilon)
        bias = (w["b"] - w["m"]) * by + w["s"]
        kernel = w["w"] * by[:, None, None, None]
        return model(after, w=kernel.astype(np.float32), b=bias.astype(np.float32))

    for epsilon, words in (
        (1e-5, "hold its scale and shift now"),
        (0, "are not what A's numbers give"),
    ):
        found = formatlab.diff(model(before, **w), folded(epsilon))
        [change] = found.changes
        assert change.kind.value == "fused"
        assert "BatchNormalization `n` was folded into Conv `n`" in change.text
        assert words in change.text
        assert (SAME in found.agreement.text) == bool(epsilon)


TWO = "(float[N,4] x, int64[N] ids) => (float[N,3] y, int64[N] z) { h=MatMul(x,w) y=Relu(h) z=Add(ids,ids) }"


def two(change=1.0, operator="Relu"):
    return model(TWO.replace("Relu", operator), w=numbers(4, 3) * np.float32(change))


def written(tmp_path, kind, arrays):
    if kind == "npz":
        np.savez(tmp_path / "f.npz", **arrays)
        return tmp_path / "f.npz"
    if kind == "safetensors":
        from safetensors.numpy import save_file

        save_file(arrays, tmp_path / "f.safetensors")
        return tmp_path / "f.safetensors"
    folder = tmp_path / "test_data_set_0"
    folder.mkdir(exist_ok=True)
    for noun, names in (("input", ("x", "ids")), ("output", ("y", "z"))):
        for at, name in enumerate(each for each in names if each in arrays):
            tensor = numpy_helper.from_array(arrays[name], name)
            (folder / f"{noun}_{at}.pb").write_bytes(tensor.SerializeToString())
    return tmp_path


X, IDS = numbers(5, 4), np.arange(5)


@pytest.mark.parametrize("kind", ["npz", "safetensors", "pb"])
def test_inputs_and_expected_outputs_are_read(kind, tmp_path):
    h = X.astype(np.float64) @ numbers(4, 3).astype(np.float64)
    outputs = {"z": 2 * IDS, "y": np.maximum(h, 0)}  # in another order, and in float64
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    feeds = written(tmp_path / "in", kind, {"x": X, "ids": IDS})
    expected = written(tmp_path / "out", kind, outputs)
    text = said(two(), two(1.01), feeds=feeds, expected=expected)
    assert "On one given input the outputs differ" in text
    assert "A gives what was expected" in text
    assert "B does not give what was expected" in text
    assert "`y` is float64 in " in text
    path = tmp_path / "m.onnx"
    for change, status, words in ((1.0, 0, "gives what"), (1.01, 1, "does not give what")):
        path.write_bytes(two(change).SerializeToString())
        options = ["--feeds", str(feeds), "--expected", str(expected)]
        done = CliRunner().invoke(app, ["diff", str(path), str(path), *options])
        assert done.exit_code == status, done.output
        for side in "AB":
            assert f"{side} {words} was expected" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"x": X}, "the inputs are `x` and `ids`"),
        ({"x": X, "ids": IDS, "more": X}, "has the arrays"),
        ({"x": X[:, :3], "ids": IDS}, "has the shape [5, 3]; the input takes [any, 4]"),
        ({"x": X, "ids": IDS + 0.5}, "change it with .astype"),
        ({"x": np.array(["a"], object), "ids": IDS}, "is no .npz file of arrays"),
    ],
)
def test_files_of_inputs_that_do_not_fit_are_trouble(arrays, words, tmp_path):
    paths = []
    for name, each in (("a", two()), ("b", two(1.01))):
        paths.append(tmp_path / f"{name}.onnx")
        paths[-1].write_bytes(each.SerializeToString())
    np.savez(tmp_path / "f.npz", **arrays)
    done = CliRunner().invoke(app, ["diff", *map(str, paths), "--feeds", str(tmp_path / "f.npz")])
    assert done.exit_code == 2, done.output
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    done = CliRunner().invoke(app, ["diff", *map(str, paths), "--dim", "N"])
    assert done.exit_code == 2
    assert "--dim takes NAME=SIZE" in done.stderr


def test_an_archive_that_unpacks_to_more_than_memory_is_not_read(tmp_path, monkeypatch):
    from formatlab.diff import given

    monkeypatch.setattr(given, "MOST_BYTES", 1000)
    np.savez_compressed(tmp_path / "f.npz", x=np.zeros((500, 4), np.float32), ids=np.arange(500))
    with pytest.raises(formatlab.diff.CannotDiff, match="of arrays"):
        said(two(), two(1.01), feeds=tmp_path / "f.npz")


def test_what_is_drawn_has_rows_that_end_begin_and_have_holes():
    a = attention(WHERE)
    masks = [each["attention_mask"] for each in inputs.draw(a, a, runs=6)]
    shapes = {each.shape for each in masks}
    assert {1} < {shape[0] for shape in shapes} and {1} < {shape[1] for shape in shapes}
    assert all(set(np.unique(each)) <= {0, 1} and each.any(axis=1).all() for each in masks)
    assert any(not each.all() for each in masks)
    ids = np.concatenate([each["ids"].reshape(-1) for each in inputs.draw(a, a)])
    assert (ids.min(), ids.max()) == (0, 29)
    again = inputs.draw(a, a)
    assert all(
        np.array_equal(one[n], two[n])
        for one, two in zip(again, inputs.draw(a, a), strict=True)
        for n in one
    )
    other = inputs.draw(a, a, seed=2)
    assert any(
        not np.array_equal(one["ids"], two["ids"]) for one, two in zip(again, other, strict=True)
    )


def test_the_call_shows_its_arguments():
    import inspect

    assert {"feeds", "expected", "sizes"} < set(inspect.signature(formatlab.diff).parameters)


def test_a_name_that_begins_a_sentence_keeps_its_letters():
    before = onnx.parser.parse_model(
        """<ir_version: 10, opset_import: ["" : 20, "my" : 1]> g (float[2] x) => (float[2] y) { h = my.Two(x) y = Neg(h) }
        <domain: "my", opset_import: ["" : 20]> Two (a) => (b) { b = Relu(a) }"""
    )
    after = model("(float[2] x) => (float[2] y) { h=Relu(x) y=Neg(h) }")
    assert "- my::Two `h` became Relu `h`." in formatlab.diff(before, after, inputs=0).text


def test_a_name_of_the_graph_around_is_told():
    def loop(inner):
        kinds = {
            "i": (TensorProto.INT64, []),
            "c": (TensorProto.BOOL, []),
            inner: (TensorProto.FLOAT, ["N"]),
        }
        body = helper.make_graph(
            [helper.make_node("Neg", [inner], ["n"]), helper.make_node("Identity", ["c"], ["o"])],
            "b",
            [helper.make_tensor_value_info(name, *each) for name, each in kinds.items()],
            [helper.make_tensor_value_info("o", TensorProto.BOOL, []), helper.make_tensor_value_info("n", TensorProto.FLOAT, ["N"])],
        )  # fmt: skip
        made = model("(float[N] x) => (float[N] y) { h=Relu(x) }", k=np.int64(3), t=np.bool_(True))
        made.graph.node.append(helper.make_node("Loop", ["k", "t", "h"], ["y"], body=body))
        return made

    found = formatlab.diff(loop("h"), loop("inner"), inputs=0)
    assert "`h` was a name of the graph around as well, which ONNX forbids" in found.text
    assert formatlab.diff(loop("inner"), loop("other"), inputs=0).is_same


def test_operators_that_an_opset_defines_anew_are_named():
    def made(version):
        text = "g (float[2,3] x) => (float[2,3] y) { a=Relu(x) y=Softmax(a) }"
        return parser.parse_model(f'<ir_version: 8, opset_import: ["" : {version}]> {text}')

    found = formatlab.diff(made(12), made(13), inputs=0)
    assert "was 12 and is 13, between which `Softmax` was defined anew" in found.text
    assert "anew" not in formatlab.diff(made(13), made(14), inputs=0).text
