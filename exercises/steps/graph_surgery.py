"""The steps of notebook 05, from a value's readers to the removal of what nothing reads: together, the lab `dropout`."""

import numpy as np
import onnxruntime as ort
from onnx import AttributeProto, ModelProto, checker, helper, numpy_helper, parser

from formatlab.models import make_model
from formatlab_exercises.steps import Slip, Step, Steps, plain

CHAIN = """
    chain (float[N, 3] x) => (float[N, 3] y) {
        h = Neg(x)   d = Dropout(h)   y = Relu(d)
    }"""
RESIDUAL = """
    residual (float[N, 3] x) => (float[N, 3] y) {
        h = Neg(x)   d = Dropout(h)   r = Relu(d)   s = Mul(d, d)   t = Add(r, s)   y = Add(t, h)
    }"""
LAST = "last (float[N, 3] x) => (float[N, 3] y) { h = Neg(x)   y = Dropout(h) }"
DIRECT = "direct (float[N, 3] x) => (float[N, 3] y) { y = Dropout(x) }"
MASKED = """
    masked (float[N, 3] x) => (float[N, 3] y) {
        h = Neg(x)   d, mask = Dropout(h)   lost = Not(mask)   off = Cast <to = 1> (lost)   y = Sub(d, off)
    }"""
INNER = """
    inner (bool c, float[N, 3] x) => (float[N, 3] y) {
        d = Neg(x)
        y = If (c) <
            then_branch = minus () => (float[N, 3] t) { t = Neg(d) },
            else_branch = deeper () => (float[N, 3] e) {
                e = If (c) <
                    then_branch = same () => (float[N, 3] a) { a = Identity(d) },
                    else_branch = twice () => (float[N, 3] b) { b = Add(d, d) }>
            }>
    }"""
LOOPED = """
    looped (int64 n, float[N, 3] x) => (float[N, 3] y) {
        d = Neg(x)
        go = Constant <value = bool {1}> ()
        y = Loop (n, go, x) <body = step (int64 i, bool keep, float[N, 3] state) => (bool again, float[N, 3] next) {
            again = Identity(keep)   next = Add(state, d)
        }>
    }"""
# A Dropout as exporters write it: with a ratio and a mode, and with a mask that nobody reads.
WHOLE = """
    whole (float[N, 3] x) => (float[N, 3] y) <float ratio = {0.5}, bool mode = {0}> {
        h = Neg(x)   y, unread = Dropout(h, ratio, mode)
    }"""
# A value has the name that a tool would take first for the shape.
NAMED = """
    named (float[N, 3] x) => (float[N, 3] y) {
        shape = Neg(x)   d, mask = Dropout(shape)   lost = Not(mask)   off = Cast <to = 1> (lost)   y = Sub(d, off)
    }"""
MASKED_ALONE = """
    alone (float[N, 3] x) => (bool[N, 3] y, float[N, 3] z) {
        d, mask = Dropout(x)   y = Not(mask)   z, unread = Dropout(x)
    }"""
# The writer of the source is not the first node, what it writes has another shape than the input
# of the graph, and the reader of the mask is the next node.
LATER = """
    later (float[N, 3] x) => (float[M, K] y) {
        a = Abs(x)   h = Transpose(a)   d, kept = Dropout(h)   lost = Not(kept)   off = Cast <to = 1> (lost)   y = Sub(d, off)
    }"""
SEEDED = "seeded (float[N, 3] x) => (float[N, 3] y) { h = Neg(x)   y = Dropout <seed = 7> (h) }"
TWO = """
    two (float[N, 3] x) => (float[N, 3] z, float[N, 3] y) { z = Dropout(x)   h = Neg(z)   y = Dropout(h) }"""
DEAD = """
    dead (float[N, 3] x) => (float[N, 3] y) {
        unused = Neg(x)   also = Abs(unused)   last = Exp(also)   y = Relu(x)
    }"""
X = np.array([[1, -2, 3], [0.5, 0, -4]], np.float32)


def graph(text):
    return parser.parse_graph(text)


def listed():
    """A node with a list of graphs in one attribute, of which each reads `d`."""
    made = graph(CHAIN)
    held = made.node[0].attribute.add(name="parts", type=AttributeProto.GRAPHS)
    held.graphs.extend(
        graph(f"g () => (float a) {{ a = {operator}(d) }}") for operator in ("Abs", "Exp")
    )
    return made


def listed_behind():
    """As `listed`; what the graphs read is read by no node of the main graph, and has a writer."""
    made = graph("g (float[N, 3] x) => (float[N, 3] y) { d = Neg(x)   y = Relu(x) }")
    held = made.node[1].attribute.add(name="parts", type=AttributeProto.GRAPHS)
    held.graphs.append(graph("g () => (float a) { a = Abs(d) }"))
    return made


def last_dropout(text):
    made = graph(text)
    return made, [node for node in made.node if node.op_type == "Dropout"][-1]


def dropout_of(of):
    return next(node for node in of.node if node.op_type == "Dropout")


def nodes(arguments, result):
    """The nodes after the call, at every depth."""
    return [*_texts(arguments[0])]


def _texts(of):
    for node in of.node:
        yield plain(node)
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                yield from _texts(inner)


def behaviour(arguments, result):
    """What the graph computes after the call, and with which operators, whatever the new names are.

    Raises what the checker or a session says where the graph is no valid one: a session alone takes
    nodes in any order.
    """
    changed = arguments[0]
    model = ModelProto.FromString(make_model(changed).SerializeToString())
    checker.check_model(model, full_check=True)
    options = ort.SessionOptions()
    options.log_severity_level = 4
    session = ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    outputs = session.run(None, {"x": X})
    writers = {name: node.op_type for node in changed.node for name in node.output}
    return {
        "operators": sorted(node.op_type for node in changed.node),
        "outputs": {value.name: writers.get(value.name) for value in changed.output},
        "results": [plain(output) for output in outputs],
    }


def consumers(graph, name):
    return [node for node in graph.node if name in node.input]


def first_only(graph, name):
    return consumers(graph, name)[:1]


def by_first_input(graph, name):
    return [node for node in graph.node if node.input[0] == name]


def writers(graph, name):
    return [node for node in graph.node if name in node.output]


def rewire(graph, old, new):
    for node in graph.node:
        node.input[:] = [new if name == old else name for name in node.input]


def rewire_first_reader(graph, old, new):
    node = consumers(graph, old)[0]
    node.input[:] = [new if name == old else name for name in node.input]


def rewire_one_place(graph, old, new):
    for node in consumers(graph, old):
        node.input[list(node.input).index(old)] = new


def rename_output(graph, old, new):
    for node in graph.node:
        node.output[:] = [new if name == old else name for name in node.output]


def keep_output(graph, dropout):
    dropout.CopyFrom(helper.make_node("Identity", dropout.input[:1], dropout.output[:1]))


def rename_operator(graph, dropout):
    dropout.op_type = "Identity"


def attributes_left(graph, dropout):
    dropout.op_type = "Identity"
    del dropout.input[1:], dropout.output[1:]


def first_found(graph, dropout):
    keep_output(graph, dropout_of(graph))


def only_remove(graph, dropout):
    graph.node.remove(dropout)


def rename_graph_output(graph, dropout):
    graph.output[0].name = dropout.input[0]
    graph.node.remove(dropout)


def add_mask(graph, source, mask):
    true = numpy_helper.from_array(np.array([True]))
    shape = helper.make_node("Shape", [source], [f"{mask}_shape"])
    filled = helper.make_node("ConstantOfShape", [f"{mask}_shape"], [mask], value=true)
    at = [source in node.output for node in graph.node].index(True) + 1
    for node in (filled, shape):
        graph.node.insert(at, node)


def add_mask_second(graph, source, mask):
    """Behind the first node, whichever writes the source."""
    add_mask(graph, source, mask)
    made = [node for node in graph.node if node.op_type in ("Shape", "ConstantOfShape")]
    for node in made:
        graph.node.remove(node)
    for node in reversed(made):
        graph.node.insert(1, node)


def add_mask_of_the_input(graph, source, mask):
    add_mask(graph, source, mask)
    next(node for node in graph.node if node.op_type == "Shape").input[0] = "x"


def add_mask_last(graph, source, mask):
    add_mask(graph, source, mask)
    made = [node for node in graph.node if node.op_type in ("Shape", "ConstantOfShape")]
    for node in made:
        graph.node.remove(node)
    graph.node.extend(made)


def add_shape_by_its_name(graph, source, mask):
    add_mask(graph, source, mask)
    for node in graph.node:
        for names in (node.input, node.output):
            names[:] = ["shape" if name == f"{mask}_shape" else name for name in names]


def add_false_mask(graph, source, mask):
    add_mask(graph, source, mask)
    node = next(node for node in graph.node if node.op_type == "ConstantOfShape")
    node.attribute[0].t.CopyFrom(numpy_helper.from_array(np.array([False])))


def add_float_mask(graph, source, mask):
    add_mask(graph, source, mask)
    node = next(node for node in graph.node if node.op_type == "ConstantOfShape")
    node.attribute[0].t.CopyFrom(numpy_helper.from_array(np.array([1], np.float32)))


def without_dropout(text):
    """The graph with the Dropout gone and its first output rewired; the mask is what is missing."""
    made = graph(text)
    dropout = dropout_of(made)
    rewire(made, dropout.output[0], dropout.input[0])
    made.node.remove(dropout)
    return made


def rewire_everywhere(graph, old, new):
    rewire(graph, old, new)
    for node in graph.node:
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                rewire_everywhere(inner, old, new)


def rewire_in_if(graph, old, new):
    rewire(graph, old, new)
    for node in graph.node:
        if node.op_type == "If":
            for attribute in node.attribute:
                rewire_in_if(attribute.g, old, new)


def rewire_one_graph_each(graph, old, new):
    rewire(graph, old, new)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                rewire_one_graph_each(attribute.g, old, new)


def rewire_one_level(graph, old, new):
    rewire(graph, old, new)
    for node in graph.node:
        for attribute in node.attribute:
            rewire(attribute.g, old, new)


def sweep(graph):
    _remove(graph, names_read, lambda node, read: not read & set(node.output))


def _remove(graph, names, is_dead):
    """Remove nodes until `is_dead(node, names(graph))` holds for none of them."""
    while dead := [node for node in graph.node if is_dead(node, names(graph))]:
        for node in dead:
            graph.node.remove(node)


def names_read(graph):
    """By nodes at any depth, and by whoever takes the outputs of a graph."""
    read = {value.name for value in graph.output}
    for node in graph.node:
        read.update(node.input)
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                read |= names_read(inner)
    return read


def sweep_main_graph(graph):
    _remove(graph, main_graph_read, lambda node, read: not read & set(node.output))


def main_graph_read(graph):
    read = {name for node in graph.node for name in node.input}
    return read | {value.name for value in graph.output}


def sweep_one_graph_each(graph):
    _remove(graph, one_graph_read, lambda node, read: not read & set(node.output))


def one_graph_read(graph):
    read = {value.name for value in graph.output}
    for node in graph.node:
        read.update(node.input)
        for attribute in node.attribute:
            read |= one_graph_read(attribute.g)
    return read


def sweep_any_unread(graph):
    _remove(graph, names_read, lambda node, read: not read >= set(node.output))


def sweep_first_output(graph):
    _remove(graph, names_read, lambda node, read: node.output[0] not in read)


def sweep_once(graph):
    read = names_read(graph)
    for node in [node for node in graph.node if not read & set(node.output)]:
        graph.node.remove(node)


def sweep_outputs(graph):
    """As if the caller read nothing."""
    kept = [value.name for value in graph.output]
    del graph.output[:]
    sweep(graph)
    graph.output.extend(helper.make_empty_tensor_value_info(name) for name in kept)


step = Steps(
    "day-50/05-graph-surgery",
    readers=Step(
        "what-a-graph-is",
        consumers,
        {
            "one reader": lambda: (graph(CHAIN), "d"),
            "two readers": lambda: (graph(RESIDUAL), "h"),
            "read twice by one node": lambda: (graph(RESIDUAL), "d"),
            "second input": lambda: (graph(RESIDUAL), "s"),
            "no reader": lambda: (graph(CHAIN), "y"),
        },
        (
            Slip(
                first_only,
                "You return the first reader only. A value can have any number of readers.",
            ),
            Slip(
                by_first_input,
                "You look at the first input of each node. A node can read a name at any place in its list of inputs.",
            ),
            Slip(
                writers,
                "You look at what nodes write (`output`). Readers have the name in `input`.",
            ),
        ),
    ),
    rewire=Step(
        "rewiring",
        rewire,
        {
            "one reader": lambda: (graph(CHAIN), "d", "h"),
            "two readers, one of them twice": lambda: (graph(RESIDUAL), "d", "h"),
        },
        (
            Slip(
                rewire_first_reader,
                "You change one reader. The others still read the old name: change every node that reads it.",
            ),
            Slip(
                rewire_one_place,
                "A node can read one name twice, as Mul(d, d) does. Change every place in its list of inputs.",
            ),
            Slip(
                rename_output,
                "You change the node that writes the name. Change the nodes that read it, and leave the writer alone.",
            ),
        ),
        nodes,
        edits=True,
    ),
    mask=Step(
        "masks",
        add_mask,
        {
            "a mask that is read": lambda: (without_dropout(MASKED), "h", "mask"),
            "a value that is called shape": lambda: (without_dropout(NAMED), "shape", "mask"),
            "a writer further down, and a mask of another name": lambda: (
                without_dropout(LATER),
                "h",
                "kept",
            ),
        },
        (
            Slip(
                add_mask_last,
                "The two nodes stand behind the node that reads the mask. Insert them behind the node that writes `source`.",
            ),
            Slip(
                add_mask_second,
                "You insert behind a fixed place. Look for the node that writes `source`, and insert behind that one.",
            ),
            Slip(
                add_mask_of_the_input,
                "The mask has the shape of `source`, which need not be that of the graph's input.",
            ),
            Slip(
                add_shape_by_its_name,
                "A value of this graph is called `shape` already. Make the new name of one that is new, for example of the mask's.",
            ),
            Slip(
                add_false_mask,
                "The mask is false everywhere. In inference Dropout keeps every element, so it has to be true.",
            ),
            Slip(
                add_float_mask,
                "The mask holds float numbers. `value=` decides the type: give it a Boolean tensor.",
            ),
        ),
        behaviour,
        edits=True,
    ),
    output=Step(
        "graph-outputs",
        keep_output,
        {
            "behind a node": lambda: (made := graph(LAST), dropout_of(made)),
            "between input and output": lambda: (made := graph(DIRECT), dropout_of(made)),
            "with a ratio and a mask": lambda: (made := graph(WHOLE), dropout_of(made)),
            "with an attribute": lambda: last_dropout(SEEDED),
            "the second of two": lambda: last_dropout(TWO),
        },
        (
            Slip(
                only_remove,
                "After this edit no node writes the graph's output. The name has to stay, so a node has to write it.",
            ),
            Slip(
                rename_operator,
                "An Identity has one input and one output, and this Dropout has a ratio, a mode and a mask as well. Make a new node.",
            ),
            Slip(
                attributes_left,
                "An Identity has no attributes, and this Dropout has one. Make a new node, or delete them.",
            ),
            Slip(
                first_found,
                "You look for a Dropout yourself. Turn the one that you are given.",
            ),
            Slip(
                rename_graph_output,
                "You renamed the graph's output. Callers ask for the old name: keep it, and let a node write it.",
            ),
        ),
        behaviour,
        edits=True,
    ),
    inner=Step(
        "subgraphs",
        rewire_everywhere,
        {
            "two branches, one with an If inside": lambda: (graph(INNER), "d", "x"),
            "no branches": lambda: (graph(CHAIN), "d", "h"),
            "a Loop": lambda: (graph(LOOPED), "d", "x"),
            "a list of graphs": lambda: (listed(), "d", "h"),
        },
        (
            Slip(
                rewire,
                "You change the main graph only. The readers are nodes inside the branches of If.",
            ),
            Slip(
                rewire_one_level,
                "You go down one level. A branch can hold another If: let the function call itself on each inner graph.",
            ),
            Slip(
                rewire_in_if,
                "You enter the graphs of If alone. A Loop has a body that reads names of the graph around it, too.",
            ),
            Slip(
                rewire_one_graph_each,
                "You enter `attribute.g` alone. An attribute can also hold a list of graphs, in `attribute.graphs`.",
            ),
        ),
        nodes,
        edits=True,
    ),
    sweep=Step(
        "dead-ends",
        sweep,
        {
            "three nodes in a row": lambda: (graph(DEAD),),
            "nothing to remove": lambda: (graph(CHAIN),),
            "readers in the branches": lambda: (graph(INNER),),
            "a reader in the body of a Loop": lambda: (graph(LOOPED),),
            "readers in a list of graphs": lambda: (listed_behind(),),
            "one output of two is read": lambda: (graph(MASKED_ALONE),),
        },
        (
            Slip(
                sweep_once,
                "You go over the nodes once. A node that is removed may have been the only reader of another: repeat.",
            ),
            Slip(
                sweep_outputs,
                "The graph's outputs are read by the caller. A node that writes one of them has to stay.",
            ),
            Slip(
                sweep_main_graph,
                "Nodes inside branches and loop bodies read names of the main graph. Look into every graph that a node holds.",
            ),
            Slip(
                sweep_one_graph_each,
                "You enter `attribute.g` alone. An attribute can also hold a list of graphs, in `attribute.graphs`.",
            ),
            Slip(
                sweep_first_output,
                "You look at the first output of a node. It has to stay if any of its outputs is read.",
            ),
            Slip(
                sweep_any_unread,
                "A node has to stay if one of its outputs is read, even if nothing reads another one.",
            ),
        ),
        nodes,
        edits=True,
    ),
)
