"""Graphs that nobody writes by mistake: each is one edit of a right answer, for a reader that takes
something for granted.
"""

from __future__ import annotations

from onnx import ModelProto, TensorProto, TypeProto, helper

node = helper.make_node


def goes_in_a_circle(model: ModelProto) -> None:
    """The first node reads what the last one writes."""
    first, last = model.graph.node[0], model.graph.node[-1]
    if first.input and last.output:
        first.input[0] = last.output[0]


def runs_backwards(model: ModelProto) -> None:
    nodes = list(model.graph.node)[::-1]
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def writes_one_name_twice(model: ModelProto) -> None:
    model.graph.node.append(model.graph.node[-1])


def writes_into_its_input(model: ModelProto) -> None:
    if model.graph.input:
        name = model.graph.input[0].name
        model.graph.node.append(node("Identity", [name], [name]))


def has_no_nodes(model: ModelProto) -> None:
    del model.graph.node[:]


def has_nameless_values(model: ModelProto) -> None:
    for each in (*model.graph.input, *model.graph.output):
        each.name = ""


def calls_itself(model: ModelProto) -> None:
    """A function whose only node calls it."""
    _function(model, "Self", [node("Self", ["x"], ["y"], domain="own")])


def calls_in_a_circle(model: ModelProto) -> None:
    _function(model, "One", [node("Two", ["x"], ["y"], domain="own")])
    _function(model, "Two", [node("One", ["x"], ["y"], domain="own")])


def calls_what_doubles(model: ModelProto) -> None:
    """Forty functions, each of which calls the next one twice: 2^40 nodes when they are inlined."""
    for at in range(40):
        name = f"Doubles{at + 1}"
        calls = [
            node(name, ["x"], ["z"], domain="own"),
            node(name, ["z"], ["y"], domain="own"),
        ]
        _function(model, f"Doubles{at}", calls, is_called=at == 0)
    _function(model, "Doubles40", [node("Identity", ["x"], ["y"])], is_called=False)


def redefines_an_operator(model: ModelProto) -> None:
    """A function of the standard domain, with the name of an operator that the graph uses."""
    used = model.graph.node[0]
    names = (
        [f"v{at}" for at in range(len(used.input))],
        [f"w{at}" for at in range(len(used.output))],
    )
    held = [node("Identity", names[0][:1], [name]) for name in names[1]]
    held = held if names[0] else [node("RandomNormal", [], [name], shape=[1]) for name in names[1]]
    model.functions.append(
        helper.make_function("", used.op_type, *names, held, [helper.make_opsetid("", 18)])
    )


def _function(model: ModelProto, name: str, nodes: list, is_called: bool = True) -> None:
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
    model.functions.append(helper.make_function("own", name, ["x"], ["y"], nodes, opsets))
    if not any(entry.domain == "own" for entry in model.opset_import):
        model.opset_import.add(domain="own", version=1)
    last = model.graph.node[-1]
    if is_called and last.output:
        before = f"before_{name}"
        model.graph.node.append(node(name, [before], [last.output[0]], domain="own"))
        last.output[0] = before


def has_odd_types(model: ModelProto) -> None:
    """Tensors of every type that there is, and of some that there are not, which somebody reads."""
    for kind in (*range(0, 30), 99, -1):
        tensor = model.graph.initializer.add(name=f"odd{kind}", dims=[2])
        tensor.data_type, tensor.raw_data = kind, b"\x7f" * 16
        model.graph.node.append(node("Identity", [tensor.name], [f"read{kind}"]))


def has_odd_dims(model: ModelProto) -> None:
    for at, dims in enumerate(([-1], [2**62, 0], [2**31, 2**31, 2**31], [0] * 200, [-(2**63)])):
        model.graph.initializer.add(name=f"dims{at}", data_type=1, dims=dims, raw_data=b"\0" * 4)
        value = helper.make_tensor_value_info(f"declared{at}", TensorProto.FLOAT, dims)
        model.graph.value_info.append(value)


def has_short_weights(model: ModelProto) -> None:
    """Each initializer's bytes are one too few."""
    for tensor in model.graph.initializer:
        if tensor.raw_data:
            tensor.raw_data = tensor.raw_data[:-1]


def has_weights_in_two_places(model: ModelProto) -> None:
    for tensor in model.graph.initializer:
        tensor.float_data.extend([1.0] * 3)
        tensor.int64_data.extend([1] * 3)


def has_weights_elsewhere(model: ModelProto) -> None:
    """In attributes too, where fewer look."""
    for at, place in enumerate(("", ".", "..", "/dev/zero", "/proc/self/mem", "x\0y", "\u202e")):
        tensor = TensorProto(data_type=1, dims=[1], name=f"far{at}")
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=place)
        model.graph.node.append(node("Constant", [], [f"far{at}"], value=tensor))


def has_types_that_are_no_tensors(model: ModelProto) -> None:
    kinds = TypeProto(), TypeProto(), TypeProto(), TypeProto()
    kinds[0].map_type.key_type = TensorProto.STRING
    kinds[1].optional_type.elem_type.sequence_type.elem_type.tensor_type.elem_type = 1
    kinds[2].sparse_tensor_type.elem_type = 1
    for at, kind in enumerate(kinds):
        for values in (model.graph.value_info, model.graph.output):
            values.add(name=f"kind{at}").type.CopyFrom(kind)


def has_subgraphs_without_an_end(model: ModelProto) -> None:
    inner = helper.make_graph([], "inner", [], [])
    for _ in range(60):
        inner = helper.make_graph([node("If", ["c"], ["c"], then_branch=inner)], "g", [], [])
    model.graph.node.append(node("If", ["c"], ["deep"], then_branch=inner, else_branch=inner))


def has_odd_attributes(model: ModelProto) -> None:
    """Without a type, with two values, of a name that is there twice, referring to no function."""
    for each in model.graph.node:
        each.attribute.add(name="axis")
        each.attribute.add(name="axis", i=1, f=1.0, s=b"\xff", type=2)
        each.attribute.add(name="to", ref_attr_name="nothing", type=2)
        each.attribute.add(name="", type=5)


def has_odd_versions(model: ModelProto) -> None:
    model.ir_version = 2**62
    for version in (-1, 0, 2**62, 10**9):
        model.opset_import.add(domain="", version=version)


def trains(model: ModelProto) -> None:
    info = model.training_info.add()
    info.algorithm.CopyFrom(model.graph)
    info.initialization.CopyFrom(model.graph)
    info.update_binding.add(key="a", value="b")


def is_annotated(model: ModelProto) -> None:
    """What few models have: annotations, device settings, properties of nodes, names without end."""
    annotation = model.graph.quantization_annotation.add(tensor_name="x" * 10_000)
    annotation.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="missing")
    for each in model.graph.node:
        each.metadata_props.add(key="\u202e", value="\x1b[2J" * 1000)
        each.overload = each.doc_string = each.name = "same"
    model.metadata_props.add(key="twice", value="1")
    model.metadata_props.add(key="twice", value="2")


def gives_its_input_out(model: ModelProto) -> None:
    for value in model.graph.output:
        value.name = model.graph.input[0].name if model.graph.input else value.name


def gives_one_output_twice(model: ModelProto) -> None:
    model.graph.output.append(model.graph.output[0])


def shadows(model: ModelProto) -> None:
    """A branch's value, an initializer and an input bear one name."""
    name = model.graph.output[0].name
    inner = helper.make_graph([node("Identity", ["flag"], [name])], "b", [], [])
    inner.output.add(name=name)
    model.graph.initializer.add(name="flag", data_type=TensorProto.BOOL, raw_data=b"\1")
    model.graph.initializer.add(name=name, data_type=1, dims=[1], raw_data=b"\0" * 4)
    model.graph.input.append(helper.make_tensor_value_info("flag", TensorProto.BOOL, []))
    model.graph.node.append(
        node("If", ["flag"], ["shadowed"], then_branch=inner, else_branch=inner)
    )


def of_graph(data: bytes, name: str) -> bytes:
    model = ModelProto.FromString(data)
    if model.graph.node:
        EDITS[name](model)
    return model.SerializeToString()


_ALL = (
    goes_in_a_circle,
    runs_backwards,
    writes_one_name_twice,
    writes_into_its_input,
    has_no_nodes,
    has_nameless_values,
    calls_itself,
    calls_in_a_circle,
    calls_what_doubles,
    redefines_an_operator,
    has_odd_types,
    has_odd_dims,
    has_short_weights,
    has_weights_in_two_places,
    has_weights_elsewhere,
    has_types_that_are_no_tensors,
    has_subgraphs_without_an_end,
    has_odd_attributes,
    has_odd_versions,
    trains,
    is_annotated,
    gives_its_input_out,
    gives_one_output_twice,
    shadows,
)
EDITS = {edit.__name__: edit for edit in _ALL}
