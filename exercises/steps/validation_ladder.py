"""The steps of notebook 04: names that are not written, sizes of windows, kinds of shapes. Together, the labs `diagnose` and `shapes`."""

from onnx import TensorProto, helper, parser

from formatlab_exercises.steps import Slip, Step, Steps

GOOD = "g (float[N, 3] x) => (float[N, 3] y) <float[3] w = {1, 2, 3}> { h = Add(x, w)   y = Mul(h, x) }"
GONE = "g (float[N, 3] x) => (float[N, 3] y) <float[3] w = {1, 2, 3}> { h = Add(x, w)   y = Mul(gone, x) }"
LATER = "g (float[N, 3] x) => (float[N, 3] y) <float[3] w = {1, 2, 3}> { y = Mul(h, x)   h = Add(x, w) }"


def graph(text):
    return parser.parse_graph(text)


def omitted():
    made = graph(GOOD)
    made.node[1].input.append("")  # an optional input that is left out
    return (made,)


TWO = "g (float[3] x) => (float[3] y) { h = Mul(zeta, zeta)   s = Add(h, alpha)   y = Mul(s, x) }"


def unwritten(graph):
    written = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    written |= {name for node in graph.node for name in node.output}
    return sorted(
        {name for node in graph.node for name in node.input if name and name not in written}
    )


def without_initializers(graph):
    written = {value.name for value in graph.input} | {
        name for node in graph.node for name in node.output
    }
    return sorted(
        {name for node in graph.node for name in node.input if name and name not in written}
    )


def without_inputs(graph):
    written = {tensor.name for tensor in graph.initializer} | {
        name for node in graph.node for name in node.output
    }
    return sorted(
        {name for node in graph.node for name in node.input if name and name not in written}
    )


def each_time(graph):
    missing = unwritten(graph)
    return sorted(name for node in graph.node for name in node.input if name in missing)


def in_graph_order(graph):
    missing = unwritten(graph)
    read = [name for node in graph.node for name in node.input]
    return [name for name in dict.fromkeys(read) if name in missing]


def in_order(graph):
    written = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    found = set()
    for node in graph.node:
        found |= {name for name in node.input if name and name not in written}
        written |= set(node.output)
    return sorted(found)


def with_empty(graph):
    written = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    written |= {name for node in graph.node for name in node.output}
    return sorted({name for node in graph.node for name in node.input if name not in written})


def conv_size(size, kernel, stride, pad, dilation):
    return (size + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1


def one_pad(size, kernel, stride, pad, dilation):
    return (size + pad - dilation * (kernel - 1) - 1) // stride + 1


def no_dilation(size, kernel, stride, pad, dilation):
    return (size + 2 * pad - kernel) // stride + 1


def one_short(size, kernel, stride, pad, dilation):
    return (size + 2 * pad - dilation * (kernel - 1) - 1) // stride


def cut_towards_zero(size, kernel, stride, pad, dilation):
    return int((size + 2 * pad - dilation * (kernel - 1) - 1) / stride) + 1


def pool_size(size, kernel, stride, pad):
    count = -(-(size + 2 * pad - kernel) // stride) + 1
    return count - 1 if (count - 1) * stride >= size + pad else count


def rounded_up(size, kernel, stride, pad):
    return -(-(size + 2 * pad - kernel) // stride) + 1


def pad_forgotten(size, kernel, stride, pad):
    count = rounded_up(size, kernel, stride, pad)
    return count - 1 if (count - 1) * stride >= size else count


def rounded_down(size, kernel, stride, pad):
    return (size + 2 * pad - kernel) // stride + 1


def always_one_less(size, kernel, stride, pad):
    return -(-(size + 2 * pad - kernel) // stride)


def value(dims):
    return (helper.make_tensor_value_info("v", TensorProto.FLOAT, dims),)


def dims(value):
    kind = value.type.tensor_type
    if not kind.HasField("shape"):
        return None
    return [
        dim.dim_value if dim.HasField("dim_value") else dim.dim_param or "?"
        for dim in kind.shape.dim
    ]


def numbers_only(value):
    return [dim.dim_value for dim in value.type.tensor_type.shape.dim]


def no_missing(value):
    kind = value.type.tensor_type
    return [
        dim.dim_value if dim.HasField("dim_value") else dim.dim_param or "?"
        for dim in kind.shape.dim
    ]


def falsy(value):
    kind = value.type.tensor_type
    if not kind.HasField("shape"):
        return None
    return [dim.dim_value or dim.dim_param or "?" for dim in kind.shape.dim]


def kind(shape):
    if shape is None:
        return "missing"
    names = [dim for dim in shape if isinstance(dim, str)]
    if any(name == "?" or name.startswith("unk__") for name in names):
        return "unknown"
    return "named" if names else "static"


def invented_are_names(shape):
    if shape is None:
        return "missing"
    names = [dim for dim in shape if isinstance(dim, str)]
    return "unknown" if "?" in names else "named" if names else "static"


def any_unk(shape):
    names = [dim for dim in shape or [] if isinstance(dim, str)]
    return "unknown" if any(name.startswith("unk") for name in names) else kind(shape)


def named_first(shape):
    if shape is None:
        return "missing"
    names = [dim for dim in shape if isinstance(dim, str)]
    if any(name != "?" and not name.startswith("unk__") for name in names):
        return "named"
    return "unknown" if names else "static"


def empty_is_missing(shape):
    return kind(shape or None)


step = Steps(
    "day-50/04-validation-ladder",
    unwritten=Step(
        "checker",
        unwritten,
        {
            "one name is missing": lambda: (graph(GONE),),
            "written further down": lambda: (graph(LATER),),
            "nothing is missing": lambda: (graph(GOOD),),
            "an input is left out": omitted,
            "two, one of them read twice": lambda: (graph(TWO),),
        },
        (
            Slip(
                without_initializers,
                "Initializers give names too: add the names in `graph.initializer`.",
            ),
            Slip(
                without_inputs,
                "The caller gives the graph's inputs: add the names in `graph.input`.",
            ),
            Slip(
                in_order,
                "You stop at the node's place. A name that a later node writes is in the wrong order, but not missing.",
            ),
            Slip(
                with_empty,
                "An empty name means that an optional input is left out. It is not a missing value.",
            ),
            Slip(
                each_time, "A name that is read twice is one missing name. Collect them in a set."
            ),
            Slip(in_graph_order, "The order of the list is that of the nodes. Sort it."),
        ),
    ),
    conv=Step(
        "conv-formula",
        conv_size,
        {
            "plain": lambda: (8, 3, 2, 0, 1),
            "padding": lambda: (7, 3, 1, 2, 1),
            "dilation": lambda: (12, 3, 2, 1, 3),
            "a window one position too wide": lambda: (4, 5, 2, 0, 1),
        },
        (
            Slip(one_pad, "The padding is added at both ends: add it twice."),
            Slip(
                no_dilation,
                "With a dilation the window spans `dilation * (kernel - 1) + 1` positions, not `kernel`.",
            ),
            Slip(
                one_short,
                "You count the moves of the window. There is one window more, the one at the start.",
            ),
            Slip(
                cut_towards_zero,
                "`int` cuts towards 0, and floor goes down: a window that is one position too wide fits 0 times, not once. Use `//`.",
            ),
        ),
    ),
    pool=Step(
        "conv-formula",
        pool_size,
        {
            "last window in the padding": lambda: (6, 3, 4, 2),
            "last window counts": lambda: (6, 3, 2, 0),
            "nothing to round": lambda: (7, 3, 2, 0),
            "last window begins just before the end": lambda: (6, 3, 3, 1),
        },
        (
            Slip(
                rounded_up,
                "Rounding up is not enough: do not count a last window that starts in the padding at the end.",
            ),
            Slip(
                rounded_down, "You round down. With `ceil_mode` the number of moves is rounded up."
            ),
            Slip(
                pad_forgotten,
                "Places count from the padding in front: a window begins in the padding at the end from `size + pad` on.",
            ),
            Slip(
                always_one_less,
                "You always take one away. Do so only if the last window starts at `size + pad` or later.",
            ),
        ),
    ),
    dims=Step(
        "four-kinds-of-shape",
        dims,
        {
            "numbers": lambda: value([2, 4]),
            "a name": lambda: value(["batch", 4]),
            "a gap": lambda: value([2, None]),
            "an empty tensor": lambda: value([0, 4]),
            "no shape": lambda: value(None),
        },
        (
            Slip(
                numbers_only,
                "A dimension without a number reads as 0. Ask `dim.HasField('dim_value')` first.",
            ),
            Slip(
                no_missing,
                "A value without a shape is not a scalar. Ask `kind.HasField('shape')` and return None.",
            ),
            Slip(falsy, "A size of 0 is a number. `or` treats it as if the field were not set."),
        ),
    ),
    kind=Step(
        "four-kinds-of-shape",
        kind,
        {
            "numbers": lambda: ([2, 4],),
            "a name": lambda: (["batch", 4],),
            "an invented name": lambda: ([2, "unk__0"],),
            "a name that begins alike": lambda: (["unknown_rows", 4],),
            "a name and a gap": lambda: (["batch", "?"],),
            "a scalar": lambda: ([],),
            "no shape": lambda: (None,),
        },
        (
            Slip(
                invented_are_names,
                "Shape inference invents names such as `unk__0`. They tell you nothing: count them as unknown.",
            ),
            Slip(
                named_first,
                "One dimension is unknown, so the shape is unknown, even if another dimension has a name.",
            ),
            Slip(any_unk, "An author's name may begin with `unk`, too. Look for `unk__`."),
            Slip(
                empty_is_missing,
                "An empty list is the shape of a scalar: static. Only None means that there is no shape.",
            ),
        ),
    ),
)
