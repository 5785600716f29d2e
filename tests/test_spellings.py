"""Solution and judge of the exercises that edit a graph, on graphs that no case draws: every legal
way of writing a thing is the same thing to both of them, and what only looks like it is left alone
by both.
"""

from itertools import count

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto, helper, numpy_helper, parser

from formatlab import graphs, numerics
from formatlab.models import make_model, to_bytes
from formatlab_exercises.shared.judge.models import edited_initializers
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Case
from nbjudge.exercises import get
from tests.mutants import answers, grade_few, group_of, reference_functions

FLOAT, FLOAT16, INT64, BOOL = (
    TensorProto.FLOAT,
    TensorProto.FLOAT16,
    TensorProto.INT64,
    TensorProto.BOOL,
)


class Drawing:
    """A graph under construction, every choice of which a test draws."""

    def __init__(self, data: st.DataObject, least_opset: int, most_opset: int = 20):
        self.data = data
        self.opset = self.one_of("opset", *range(least_opset, most_opset + 1))
        self.names = count()
        self.nodes, self.inputs, self.outputs, self.initializers = [], [], [], []
        self.functions = []

    def one_of(self, what: str, *choices):
        return self.data.draw(st.sampled_from(choices), label=what)

    def maybe(self, what: str) -> bool:
        return self.data.draw(st.booleans(), label=what)

    def name(self) -> str:
        return f"v{next(self.names)}"

    def node(self, op: str, inputs, outputs=1, **attributes) -> str:
        """Append a node, with or without a name of its own; its first output."""
        made = [self.name() for _ in range(outputs)] if isinstance(outputs, int) else outputs
        label = self.one_of("label", "", f"n{next(self.names)}")
        self.nodes.append(helper.make_node(op, list(inputs), made, name=label, **attributes))
        return made[0]

    def input(self, *shape, kind: int = FLOAT, name: str = "") -> str:
        name = name or self.name()
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name: str, kind: int = FLOAT, shape=None) -> str:
        self.outputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def constant(self, values, forms=("initializer", "value", "list")) -> str:
        """A constant in one of its forms: an initializer, a tensor or a list in a Constant."""
        values = np.asarray(values)
        lists = values.dtype in (np.float32, np.int64) and values.ndim < 2 and values.size > 0
        form = self.one_of("form", *(form for form in forms if form != "list" or lists))
        if form == "value":
            return self.node("Constant", [], value=numpy_helper.from_array(values))
        if form == "list":
            kind = {"f": "float", "i": "int"}[values.dtype.kind]
            key = f"value_{kind}{'s' * values.ndim}"
            return self.node("Constant", [], **{key: values.tolist()})
        name = self.name()
        self.initializers.append(numpy_helper.from_array(values, name))
        if form == "default":
            self.input(*values.shape, kind=self.initializers[-1].data_type, name=name)
        return name

    def unread(self, *names: str) -> None:
        """Now and then, parts that nothing reads: they were there before, and stay."""
        if self.maybe("unread parts"):
            self.node("Abs", [self.one_of("unread reads", *names)])
            self.constant(np.float32([1, 2]))

    def model(self) -> ModelProto:
        graph = helper.make_graph(self.nodes, "drawn", self.inputs, self.outputs, self.initializers)
        domains = {node.domain: 1 for node in self.nodes if node.domain}
        model = declared(make_model(graph, self.opset, domains=domains))
        if self.maybe("the default domain is imported twice"):
            model.opset_import.add(domain="ai.onnx", version=self.opset)
        if self.maybe("the whole graph is inside an If"):
            wrapped(model)
        return model


def declared(model: ModelProto) -> ModelProto:
    """The model, with the shapes of its outputs, which the checker asks for."""
    known = onnx.shape_inference.infer_shapes(model)
    for value, inferred in zip(model.graph.output, known.graph.output, strict=True):
        if not value.type.tensor_type.HasField("shape"):
            value.type.tensor_type.shape.CopyFrom(inferred.type.tensor_type.shape)
    return model


def wrapped(model: ModelProto) -> None:
    """The graph's nodes move into both branches of an If."""
    names = [value.name for value in model.graph.output]
    written = {name for node in model.graph.node for name in node.output}
    if not written.issuperset(names):
        return
    held = helper.make_graph(list(model.graph.node), "held", [], list(model.graph.output))
    for value in held.output:
        own = f"{value.name}_inner"
        for node in held.node:
            for part in (node.input, node.output):
                part[:] = [own if name == value.name else name for name in part]
        value.name = own
    del model.graph.node[:]
    model.graph.node.append(
        helper.make_node("If", ["which"], names, then_branch=held, else_branch=held)
    )
    model.graph.input.append(helper.make_tensor_value_info("which", BOOL, []))


def asked(exercise: str, model: ModelProto, runs: bool = True) -> tuple[ModelProto, list]:
    """What the solution makes of a model, and what the judge finds wrong with that: rungs and their
    findings, without those that run it where the model itself does not run.
    """
    parameters = {"integers": {}, "again": True}
    case = Case("drawn", {MODEL: to_bytes(model)}, parameters, False, 1)
    answer = answers(get(exercise), reference_functions(exercise), [case])["drawn"]
    assert answer.outcome == "returned", answer.error
    known = get(exercise).digest(case, answer) if runs else {}
    view = get(exercise).view(case, answer, known)
    wrong = [
        (rung.name, finding)
        for rung in get(exercise).rungs
        if runs or rung.name not in ("loads", "numerics")
        if (finding := rung.inspect(view)) is not None
    ]
    return ModelProto.FromString(answer.files[MODEL]), wrong


def operators(model: ModelProto) -> list[str]:
    return sorted(f"{node.domain}::{node.op_type}" for node in graphs.nodes(model))


def outputs_of(model: ModelProto, feeds) -> list[np.ndarray]:
    [[found]] = numerics.run(to_bytes(model), [feeds])
    return found


def grouped(exercise: str):
    return pytest.mark.xdist_group(group_of(exercise))


# What a number may be in, as a constant of one element; a default may be another number.
NUMBERS = ("initializer", "value", "list", "default")


def axes_spelled(d: Drawing, axes: tuple[int, ...], rank: int) -> list[int]:
    """The axes in any order, each counted from either end."""
    order = d.data.draw(st.permutations(axes), label="order of the axes")
    return [axis - rank * d.maybe("counted from the end") for axis in order]


def mean(d: Drawing, value: str, axes: tuple[int, ...]) -> str:
    spelled, keep = axes_spelled(d, axes, 3), d.one_of("keepdims", {}, {"keepdims": 1})
    if d.opset < 18:
        return d.node("ReduceMean", [value], axes=spelled, **keep)
    return d.node("ReduceMean", [value, d.constant(np.array(spelled))], **keep)


def number(d: Drawing, value: float, kinds=(np.float32,)) -> tuple[str, bool]:
    """A number in any form, and whether it is a constant."""
    shape = d.one_of("shape of a number", (), (1,), (1, 1), (1, 1, 1))
    kind, form = d.one_of("type of a number", *kinds), d.one_of("form of a number", *NUMBERS)
    forms = ("value", form) if form == "list" else (form,)
    return d.constant(np.full(shape, value, kind), forms), form != "default"


@grouped("layernorm")
@given(st.data())
def test_a_layernorm_of_several_nodes_is_one_in_every_spelling(data):
    d = Drawing(data, 13)
    width = d.one_of("width", 4, 1, 0, "width")
    x = d.input("batch", 3, width)
    axes = d.one_of("axes", (2,), (2,), (1, 2), (1,), (0, 2))
    others = d.one_of("axes of the variance", axes, axes, (2,))
    m = mean(d, x, axes)
    c = d.node("Sub", [x, m])
    power = d.one_of("power", 2, 2, 4)
    exponent, is_constant = "", True
    if d.maybe("a Mul is the square"):
        s, power = d.node("Mul", [c, c]), 2
    else:
        kinds = (np.float32, np.float64, np.int32, np.int64)
        exponent, is_constant = number(d, power, kinds)
        s = d.node("Pow", [c, exponent])
    v = mean(d, s, others)
    epsilon, is_number = number(d, 1e-5)
    if d.one_of("epsilon is computed", False, False, True):
        epsilon, is_number = d.node("Abs", [epsilon]), False
    e = d.node("Add", data.draw(st.permutations([v, epsilon])))
    q = d.node("Div", [c, d.node("Sqrt", [e])])
    sizes = d.one_of("shape of the scale", None, (4,), (1,), (1, 4))
    sizes = (0,) if width == 0 and sizes == (4,) else sizes
    if sizes is not None:
        scale = d.constant(np.full(sizes, 3, np.float32), NUMBERS[:3])
        q = d.node("Mul", data.draw(st.permutations([q, scale])))
    taken = d.one_of("a name that is taken", "", f"{q}/unread")
    if taken:
        d.output(d.node("Abs", [d.input("batch", name=taken)]))
    d.output(q if d.maybe("at the output") else d.node("Tanh", [q]))
    d.unread(x, c, q)
    is_norm = (
        axes in ((2,), (1, 2))
        and set(axes) == set(others)
        and power == 2
        and is_constant
        and is_number
    )
    # The mean of no numbers is NaN, and a scale of another width does not fit.
    runs = is_norm or width != 0
    runs = runs and (sizes is None or sizes == (1,) or sizes[-1:] == (width,))
    model = d.model()
    result, wrong = asked("layernorm", model, runs)
    assert not wrong, wrong
    assert ("::Div" not in operators(result)) == is_norm
    assert is_norm or result == model
    is_scale = sizes is not None and sizes == (width,)
    assert ("::Mul" in operators(result)) == (
        (sizes is not None and not (is_norm and is_scale)) or (not is_norm and not exponent)
    )


@grouped("layernorm")
@given(st.data())
def test_only_onnxs_own_operators_are_a_layernorm(data):
    """One node of the nine, or the fused one, is of another domain."""
    d = Drawing(data, 18)
    x = d.input("batch", 4)
    if d.maybe("fused"):
        y = d.node("LayerNormalization", [x, d.constant(np.ones(4, np.float32))], domain="my")
    else:
        axes, at = [d.constant(np.array([-1])) for _ in range(2)], len(d.nodes)
        c = d.node("Sub", [x, d.node("ReduceMean", [x, axes[0]])])
        s = d.node("Mul", [c, c])
        v = d.node("ReduceMean", [s, axes[1]])
        e = d.node("Add", [v, d.constant(np.float32(1e-5), ("initializer",))])
        y = d.node("Div", [c, d.node("Sqrt", [e])])
        d.one_of("of another domain", *d.nodes[at:]).domain = "my"
    d.output(y)
    model = d.model()
    result, wrong = asked("layernorm", model, runs=False)
    assert (wrong, result) == ([], model)


@grouped("gemm")
@given(st.data())
def test_a_pair_may_be_fused_or_not_in_every_spelling(data):
    d = Drawing(data, 13)
    kind = d.one_of("type", FLOAT, FLOAT16, TensorProto.DOUBLE, TensorProto.INT32)
    dtype = helper.tensor_dtype_to_np_dtype(kind)
    rows, inner, columns = (d.one_of(f"size of {at}", 3, 0, 1, at) for at in ("N", "K", "M"))
    lead = d.one_of("factor of three dimensions", (), (), (2,))
    x = d.input(*lead, rows, inner, kind=kind)
    w = d.input(inner, columns, kind=kind)
    target = (*lead, rows, columns)
    rank = d.one_of("rank of the bias", 0, 1, 2, 3)
    shape = tuple(
        d.one_of("size of the bias", 1, size, size, "Q")
        for size in (5, 5, 5, *target)[len(target) + 3 - rank :]
    )
    stated = all(isinstance(size, int) for size in shape)
    if stated and d.maybe("the bias is constant"):
        bias = d.constant(np.ones(shape, dtype), ("initializer", "value", "list", "default"))
    else:
        bias = d.input(*shape, kind=kind)
    product = d.node("MatMul", [x, w])
    total = d.node("Add", data.draw(st.permutations([product, bias])))
    again = d.one_of("read again", "", "", "by a node", "as an output")
    if again == "by a node":
        d.output(d.node("Neg", [product]), kind)
    elif again:
        d.output(product, kind)
    elif d.maybe("a namesake inside, before"):
        inside(d, product, kind)
    y = d.node("Abs", [total])
    d.output(y, kind)
    d.unread(total)
    fits = all(have in (1, want) for have, want in zip(shape[::-1], target[::-1], strict=False))
    legal = not lead and rank < 3 and fits and not again and kind != TensorProto.INT32
    model = d.model()
    # ONNX Runtime makes a Reshape that it then refuses where a factor has three dimensions.
    runs = stated and 5 not in shape and "Q" not in shape and not (lead and 0 in target)
    result, wrong = asked("gemm", model, runs)
    assert not wrong, wrong
    assert operators(result).count("::Gemm") == legal * operators(model).count("::MatMul")
    assert legal or result == model


def inside(d: Drawing, name: str, kind: int) -> None:
    """An If before every node, whose branches have a value of their own called `name`."""
    z = d.input(2, kind=kind)
    held = helper.make_graph(
        [helper.make_node("Abs", [z], [name]), helper.make_node("Neg", [name], ["last"])],
        "inside",
        [],
        [helper.make_tensor_value_info("last", kind, None)],
    )
    chosen = d.name()
    flag = d.input(kind=BOOL)
    node = helper.make_node("If", [flag], [chosen], then_branch=held, else_branch=held)
    d.nodes.insert(0, node)
    d.output(chosen, kind)


@grouped("gemm")
@pytest.mark.parametrize("operator", ["MatMul", "Add"])
def test_only_onnxs_own_operators_are_a_pair(operator):
    matmul = helper.make_node("MatMul", ["x", "w"], ["p"])
    add = helper.make_node("Add", ["p", "b"], ["y"])
    next(node for node in (matmul, add) if node.op_type == operator).domain = "my"
    shapes = {"x": ["N", 3], "w": [3, 2], "b": [2]}
    inputs = [helper.make_tensor_value_info(name, FLOAT, shape) for name, shape in shapes.items()]
    outputs = [helper.make_tensor_value_info("y", FLOAT, None)]
    model = make_model(helper.make_graph([matmul, add], "g", inputs, outputs), domains={"my": 1})
    result, wrong = asked("gemm", model, runs=False)
    assert (wrong, result) == ([], model)


@grouped("dropout")
@given(st.data())
def test_a_dropout_goes_in_every_spelling(data):
    d = Drawing(data, 12)
    is_own = d.one_of("of ONNX's own domain", True, True, True, False)
    x = d.input("batch", d.one_of("width", 3, 0, "width"))
    h = d.node("Softplus", [x]) if d.maybe("a value before it") else x
    forms = ("initializer", "value", "default")
    settings = ["", ""]
    if d.maybe("with a ratio"):
        settings[0] = d.constant(np.float32(0.5), forms)
    training = d.maybe("in training mode")
    if training or d.maybe("says that it is not"):
        settings[1] = d.constant(np.array(training), forms)
    while settings and not settings[-1]:
        settings.pop()
    mask = d.one_of("mask", "none", "unread", "read", "output")
    names = [d.name(), *([d.name()] if mask != "none" else [])]
    more = {} if is_own else {"domain": "my"}
    dropped = d.node("Dropout", [h, *settings], names, **more)
    if d.maybe("a name that is taken") and mask != "none":
        d.output(d.node("Abs", [d.input("batch", name=f"{names[1]}/shape")]))
    if mask == "read":
        d.output(d.node("Cast", [names[1]], to=FLOAT))
    elif mask == "output":
        d.output(names[1], BOOL)
    if settings and settings[0] and d.maybe("the ratio is read again"):
        d.output(d.node("Neg", [settings[0]]))
    d.output(dropped if d.maybe("at the output") else d.node("Neg", [dropped]))
    d.unread(x, h, dropped)
    model = d.model()
    result, wrong = asked("dropout", model, runs=is_own)
    assert not wrong, wrong
    assert is_own or result == model
    assert not is_own or not any("Dropout" in name for name in operators(result))
    if is_own and not training:
        [feeds, *_] = numerics.feeds(model, 3)
        feeds = {name: spoilt(value) for name, value in feeds.items()}
        for want, have in zip(outputs_of(model, feeds), outputs_of(result, feeds), strict=True):
            np.testing.assert_array_equal(want, have)


def spoilt(values: np.ndarray) -> np.ndarray:
    """With a NaN and infinities among the floats."""
    if values.dtype == np.float32 and values.size > 2:
        values = values.copy()
        values.reshape(-1)[:3] = np.nan, np.inf, -np.inf
    return values


@grouped("fp16")
@given(st.data())
def test_a_model_is_converted_in_every_spelling(data):
    d = Drawing(data, 18)
    x = d.input("batch", 3, name=d.one_of("name of the input", "x", "w/half"))
    values = [x]
    special = d.one_of("a number", 0.25, 7e4, np.inf, 1e-9)
    shape = d.one_of("shape of the numbers", (), (3,), (1, 3))
    w = d.constant(np.full(shape, special, np.float32), NUMBERS)
    # Such that no output is infinite: those are not compared.
    operator = {0.25: d.one_of("operator", "Mul", "Min", "Div"), 7e4: "Div", 1e-9: "Mul"}
    values.append(d.node(operator.get(special, "Min"), [x, w]))
    if d.maybe("a name like those that are made"):
        made = d.one_of(
            "which", f"{values[-1]}/half", f"{x}/half", f"{x}/full", f"{values[-1]}/raw"
        )
        if made != x:
            values.append(d.node("Abs", [x], [made]))
    if d.maybe("an operator of float32"):
        rows = d.node("Size", [x])
        stop = d.node("Cast", [rows], to=FLOAT)
        one = d.constant(np.float32(1), ("initializer", "value", "list"))
        count = d.node("Range", [d.constant(np.float32(0), ("initializer",)), stop, one])
        values.append(d.node("Add", [values[-1], d.node("ReduceSum", [count], keepdims=0)]))
    if d.maybe("a second output that nothing reads"):
        k = d.constant(np.array([1]), ("initializer",))
        values.append(d.node("TopK", [values[-1], k], outputs=2))
    d.output(values[-1] if d.maybe("at the output") else d.node("Tanh", [values[-1]]))
    if special != np.inf and d.maybe("the numbers are an output"):
        d.output(w, shape=shape)
    if d.maybe("the input is an output"):
        d.output(x, shape=("batch", 3))
    if d.maybe("an input that nothing reads"):
        d.input("batch", 3)
    d.unread(x, values[-1])
    graph = helper.make_graph(d.nodes, "drawn", d.inputs, d.outputs, d.initializers)
    model = declared(make_model(graph, d.opset))
    result, wrong = asked("fp16", model)
    assert not wrong, wrong
    assert [value.name for value in result.graph.output] == [v.name for v in model.graph.output]


@grouped("fp16")
def test_a_name_that_was_taken_is_explained_as_that():
    """And not as two nodes that stay float32 and read one value."""
    model = make_model(
        parser.parse_graph("""g (float[N, 3] x) => (float[N, 3] y) {
            "x/half" = Abs(x)
            y = Add("x/half", x)
        }""")
    )

    def takes_the_name(model):
        half = reference_functions("fp16")["to_fp16"](model)
        for node in half.graph.node:
            for names in (node.input, node.output):
                names[:] = ["x/half" if name == "x/half_" else name for name in names]
        return half

    parameters = {"integers": {}, "again": False}
    case = Case("chain", {MODEL: to_bytes(model)}, parameters, True, 1)
    broken = grade_few("fp16", {"to_fp16": takes_the_name}, [case]).broken
    assert (broken.name, broken.found) == ("loads", "a name that two nodes write")
    assert "A name that you make has to be new" in broken.cause


# All of a LayerNorm but the Div, of x in the graph that it is put in.
PARTS = "m = ReduceMean(x, last) d = Sub(x, m) s = Mul(d, d) v = ReduceMean(s, last) e = Add(v, eps) r = Sqrt(e)"
NUMBERS_OF_PARTS = "int64[1] last = {-1}, float eps = {0.00001}, float[4] scale = {1, 2, 3, 4}"


@grouped("layernorm")
@pytest.mark.parametrize(
    ("outside", "inside", "stay"),
    [
        (PARTS, "o = Div(d, r)", {"Div", "Sub"}),
        (PARTS.replace("r = Sqrt(e)", ""), "r = Sqrt(e) o = Div(d, r)", {"Div", "Sqrt"}),
        (f"{PARTS} q = Div(d, r)", "o = Mul(q, scale)", {"Mul"}),
        ("", f"{PARTS} q = Div(d, r) o = Mul(scale, q)", set()),
    ],
    ids=["Div inside", "Sqrt and Div inside", "Mul inside", "all inside"],
)
def test_a_layernorm_is_in_one_graph(outside, inside, stay):
    model = make_model(
        parser.parse_graph(f"""
        g (float[N, 3, 4] x, bool c) => (float[N, 3, 4] y) <{NUMBERS_OF_PARTS}> {{
            {outside}
            z = If (c) <
                then_branch = t () => (float[N, 3, 4] o) {{ {inside} }},
                else_branch = f () => (float[N, 3, 4] other) {{ other = Relu(x) }}
            >
            y = Tanh(z)
        }}"""),
        18,
    )
    result, wrong = asked("layernorm", model)
    assert not wrong, wrong
    found = {node.op_type for node in graphs.nodes(result)}
    assert found & {"Div", "Sub", "Sqrt", "Mul"} >= stay
    assert ("Div" in found) == ("Div" in stay)


@grouped("layernorm")
def test_a_layernorm_of_an_initializer_is_one():
    """Shape inference does not list the shapes of initializers."""
    model = make_model(
        parser.parse_graph(f"""
        g (float[2, 4] z) => (float[2, 4] y) <{NUMBERS_OF_PARTS}, float[2, 4] x = {{1, 2, 3, 4, 5, 6, 7, 9}}> {{
            {PARTS} q = Div(d, r) y = Add(q, z)
        }}"""),
        18,
    )
    result, wrong = asked("layernorm", model)
    assert (wrong, operators(result)) == ([], ["::Add"])


@grouped("gemm")
def test_an_output_that_the_argument_lists_twice_is_no_fault():
    model = make_model(
        parser.parse_graph("""g (float[3, 3] x) => (float[3, 3] y, float[3, 3] y) {
            h = MatMul(x, x)
            y = Add(x, h)
        }""")
    )
    result, wrong = asked("gemm", model)
    assert (wrong, operators(result)) == ([], ["::Gemm"])


def with_texts(model: ModelProto, form: str) -> ModelProto:
    """The model, with texts that are no UTF-8, whose number is one more output."""
    new = ModelProto.FromString(model.SerializeToString())
    texts = helper.make_tensor("texts", TensorProto.STRING, [2], [b"\xff\xfe", b"plain"])
    if form == "initializer":
        new.graph.initializer.append(texts)
    else:
        new.graph.node.append(helper.make_node("Constant", [], ["texts"], value=texts))
    new.graph.node.append(helper.make_node("Shape", ["texts"], ["length"]))
    new.graph.output.append(helper.make_tensor_value_info("length", INT64, [1]))
    return new


@pytest.mark.parametrize("form", ["initializer", "Constant"])
@pytest.mark.parametrize(
    "exercise",
    [pytest.param(name, marks=grouped(name)) for name in ("dropout", "layernorm", "gemm")],
)
def test_texts_of_any_bytes_do_not_matter(exercise, form):
    one = next(one for one in get(exercise).public_cases() if one.name != "bert")
    result, wrong = asked(exercise, with_texts(ModelProto.FromString(one.files[MODEL]), form))
    assert not wrong, wrong
    assert "length" in [value.name for value in result.graph.output]


def test_texts_that_were_edited_are_found():
    """And not decoded: the argument's and the answer's may be any bytes."""
    before = make_model(parser.parse_graph("g (float[2] x) => (float[2] y) { y = Relu(x) }"))
    before, after = (with_texts(before, "initializer") for _ in range(2))
    assert not edited_initializers(before, after)
    after.graph.initializer[-1].string_data[0] = b"\xff"
    assert edited_initializers(before, after) == {"texts"}
