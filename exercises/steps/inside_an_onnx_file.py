"""The steps of notebook 02, from one key of a message to every node of a file: together, the lab `inspect`."""

from math import prod

import numpy as np
from onnx import AttributeProto, TensorProto, helper, numpy_helper, parser

from formatlab.models import make_model
from formatlab_exercises.steps import Slip, Step, Steps, plain

NESTED = """
    nested (bool c, float[2] x) => (float[2] y) <float[2] w = {1, -2}> {
        h = Mul(x, w)
        y = If (c) <
            then_branch = one () => (float[2] t) { t = Neg(h) },
            else_branch = two () => (float[2] e) {
                e = If (c) <
                    then_branch = three () => (float[2] a) <float[2] v = {3, 4}> { s = Neg(h)   a = Add(s, v) },
                    else_branch = four () => (float[2] b) { b = Abs(h) }>
            }>
    }"""


LOOP = """
    loop (int64 n, float x) => (float y) {
        go = Constant <value = bool {1}> ()
        y = Loop (n, go, x) <body = step (int64 i, bool keep, float state) => (bool again, float next) {
            again = Identity(keep)   next = Neg(state)
        }>
    }"""


def loop():
    return (parser.parse_graph(LOOP),)


def listed():
    """A node of a domain of its own, with a list of graphs in one attribute."""
    graph = flat()[0]
    held = graph.node[0].attribute.add(name="parts", type=AttributeProto.GRAPHS)
    held.graphs.extend(
        parser.parse_graph(f"g () => (float a) {{ a = {operator}(h) }}")
        for operator in ("Abs", "Exp")
    )
    graph.node[0].domain, graph.node[0].op_type = "com.acme", "Parts"
    return (graph,)


def nested():
    return (parser.parse_graph(NESTED),)


def flat():
    return (parser.parse_graph("flat (float[N] x) => (float[N] y) { h = Neg(x)   y = Neg(h) }"),)


def with_domains(*imports):
    model = make_model(flat()[0])
    del model.opset_import[:]
    model.opset_import.extend(helper.make_opsetid(domain, version) for domain, version in imports)
    return (model,)


def with_default():
    graph = parser.parse_graph(
        "g (float[3] x, float[3] b) => (float[3] y) <float[3] b = {1, 2, 3}> { y = Add(x, b) }"
    )
    return (graph,)


def tensors(*shapes):
    graph = flat()[0]
    graph.initializer.extend(
        numpy_helper.from_array(np.zeros(shape, np.float32), f"t{i}")
        for i, shape in enumerate(shapes)
    )
    return (graph,)


def other_numbers():
    graph = flat()[0]
    graph.initializer.append(numpy_helper.from_array(np.zeros((3, 2), np.int64), "shape"))
    graph.initializer.append(helper.make_tensor("w", TensorProto.FLOAT, [5], [0.5] * 5))
    return (graph,)


def default_in_the_middle():
    """Its second input has a default, and one of its initializers is no input."""
    return (
        parser.parse_graph("""
        g (float[3] x, float[3] b, float[3] z) => (float[3] y)
        <float[3] w = {1, 2, 3}, float[3] b = {1, 2, 3}> {
            h = Add(x, b)   s = Mul(h, w)   y = Add(s, z)
        }"""),
    )


def back_inside():
    """The data of its second tensor are in the model again, and the entries were left behind."""
    graph = external("w.data", "gone.data")[0]
    graph.initializer[1].data_location = TensorProto.DEFAULT
    graph.initializer[1].raw_data = bytes(8)
    return (graph,)


def external(*files):
    graph = tensors(*[(2,)] * (len(files) + 1))[0]
    for tensor, file in zip(graph.initializer, files, strict=False):
        tensor.data_location = TensorProto.EXTERNAL
        tensor.ClearField("raw_data")
        for key, value in (("offset", "0"), ("location", file), ("length", "8")):
            tensor.external_data.add(key=key, value=value)
    return (graph,)


def split_key(byte):
    return byte >> 3, byte & 7


def swapped(byte):
    return byte & 7, byte >> 3


def half_bytes(byte):
    return byte >> 4, byte & 15


def opset(model):
    return next(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx"))


def first_opset(model):
    return model.opset_import[0].version


def empty_domain(model):
    return next(entry.version for entry in model.opset_import if entry.domain == "")


def highest(model):
    return max(entry.version for entry in model.opset_import)


def parameters(graph):
    return sum(prod(tensor.dims) for tensor in graph.initializer)


def count_tensors(graph):
    return len(graph.initializer)


def first_dimension(graph):
    return sum(tensor.dims[0] if tensor.dims else 1 for tensor in graph.initializer)


def no_scalars(graph):
    return sum(prod(tensor.dims) for tensor in graph.initializer if tensor.dims)


def four_bytes_each(graph):
    return sum(len(tensor.raw_data) // 4 for tensor in graph.initializer)


def listed_numbers(graph):
    return sum(len(tensor.float_data) for tensor in graph.initializer)


def needed_inputs(graph):
    stored = {tensor.name for tensor in graph.initializer}
    return [value.name for value in graph.input if value.name not in stored]


def every_input(graph):
    return [value.name for value in graph.input]


def by_place(graph):
    needed = len(graph.input) - len(graph.initializer)
    return [value.name for value in graph.input[:needed]]


def data_files(graph):
    outside = [
        tensor for tensor in graph.initializer if tensor.data_location == TensorProto.EXTERNAL
    ]
    return {
        entry.value
        for tensor in outside
        for entry in tensor.external_data
        if entry.key == "location"
    }


def first_entry(graph):
    return {tensor.external_data[0].value for tensor in graph.initializer if tensor.external_data}


def by_their_entries(graph):
    return {
        entry.value
        for tensor in graph.initializer
        for entry in tensor.external_data
        if entry.key == "location"
    }


def every_entry(graph):
    return {entry.value for tensor in graph.initializer for entry in tensor.external_data}


def walk(graph):
    found = []
    for node in graph.node:
        found.append(node.op_type)
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                found += walk(inner)
    return found


def only_in_if(graph):
    found = []
    for node in graph.node:
        found.append(node.op_type)
        if node.op_type == "If":
            for attribute in node.attribute:
                found += only_in_if(attribute.g)
    return found


def one_graph_each(graph):
    found = []
    for node in graph.node:
        found.append(node.op_type)
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                found += one_graph_each(attribute.g)
    return found


def top_level(graph):
    return [node.op_type for node in graph.node]


def one_level(graph):
    found = []
    for node in graph.node:
        found.append(node.op_type)
        for attribute in node.attribute:
            found += [inner.op_type for inner in attribute.g.node]
    return found


def without_outer(graph):
    found = []
    for node in graph.node:
        inner = [
            op
            for attribute in node.attribute
            if attribute.type == AttributeProto.GRAPH
            for op in without_outer(attribute.g)
        ]
        found += inner or [node.op_type]
    return found


def in_any_order(arguments, result):
    found = plain(result)
    return sorted(found, key=repr) if type(found) is list else found


step = Steps(
    "day-50/02-inside-an-onnx-file",
    key=Step(
        "bytes",
        split_key,
        {"0x08": lambda: (0x08,), "0x12": lambda: (0x12,), "0x7d": lambda: (0x7D,)},
        (
            Slip(
                swapped,
                "The two numbers are in the wrong order: first the field's number, then the wire type.",
            ),
            Slip(
                half_bytes,
                "The wire type takes the lowest three bits, not four: `byte & 7`, and `byte >> 3` for the rest.",
            ),
        ),
    ),
    opset=Step(
        "opset-imports",
        opset,
        {
            "default domain second": lambda: with_domains(("com.microsoft", 1), ("", 20)),
            "default domain first": lambda: with_domains(("", 13), ("com.microsoft", 1)),
            "written ai.onnx": lambda: with_domains(("ai.onnx.ml", 5), ("ai.onnx", 17)),
            "a vendor's higher number": lambda: with_domains(("com.acme", 99), ("", 18)),
        },
        (
            Slip(
                first_opset,
                "You read the first entry. The list has no order: search for the default domain.",
            ),
            Slip(
                empty_domain, "The default domain has two spellings: the empty text, and `ai.onnx`."
            ),
            Slip(
                highest,
                "You return the highest version. Versions of different domains have nothing to do with each other.",
            ),
        ),
    ),
    parameters=Step(
        "initializers",
        parameters,
        {
            "a matrix and a vector": lambda: tensors((4, 3), (3,)),
            "a scalar": lambda: tensors((), (2, 3)),
            "none": lambda: tensors(),
            "an empty tensor": lambda: tensors((0, 5), (7,)),
            "numbers of eight bytes, and a list": other_numbers,
        },
        (
            Slip(
                count_tensors,
                "You count tensors. Parameters are the numbers in them: multiply the `dims` of each tensor.",
            ),
            Slip(
                first_dimension,
                "You count the first dimension only. Multiply all `dims`; `math.prod` does.",
            ),
            Slip(
                no_scalars,
                "A tensor without dims is a scalar. It holds one number, and the product of no numbers is 1.",
            ),
            Slip(
                listed_numbers,
                "You count the numbers in `float_data`, one of several places for them. The `dims` say how many there are.",
            ),
            Slip(
                four_bytes_each,
                "You divide the bytes in `raw_data`. A number may take more than four, or stand elsewhere. The `dims` say how many there are.",
            ),
        ),
    ),
    inputs=Step(
        "initializers",
        needed_inputs,
        {
            "one with a default": with_default,
            "no defaults": flat,
            "a default in the middle": default_in_the_middle,
        },
        (
            Slip(
                every_input,
                "An input with an initializer of the same name has a default. The caller need not pass it.",
            ),
            Slip(
                by_place,
                "Neither the order of the inputs nor the number of initializers says which input has a default. Compare the names.",
            ),
        ),
    ),
    files=Step(
        "external-data",
        data_files,
        {
            "two tensors in one file": lambda: external("w.data", "w.data"),
            "two files": lambda: external("w.data", "sub/v.data"),
            "no external data": lambda: external(),
            "entries that were left behind": back_inside,
        },
        (
            Slip(
                first_entry,
                "The entries have no order. Search for the one whose key is `location`.",
            ),
            Slip(
                every_entry,
                "You return offsets and lengths too. Take only the entries whose key is `location`.",
            ),
            Slip(
                by_their_entries,
                "The data of a tensor can be in the model although entries were left behind. Ask `data_location`.",
            ),
        ),
    ),
    walk=Step(
        "subgraphs",
        walk,
        {
            "an If inside an If": nested,
            "no subgraphs": flat,
            "a Loop": loop,
            "a list of graphs": listed,
        },
        (
            Slip(
                top_level,
                "You read the main graph only. The branches of If are graphs in its attributes.",
            ),
            Slip(
                one_level,
                "You go down one level. A branch can hold another If: let the function call itself.",
            ),
            Slip(
                only_in_if,
                "You enter the graphs of If alone. A Loop has a body, and any node may hold graphs: look at the attributes of every node.",
            ),
            Slip(
                one_graph_each,
                "You enter `attribute.g` alone. An attribute can also hold a list of graphs, in `attribute.graphs`.",
            ),
            Slip(without_outer, "You leave out the nodes that hold graphs. An If is a node too."),
        ),
        in_any_order,
    ),
)
