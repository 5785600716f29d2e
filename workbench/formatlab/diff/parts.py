"""Parts of a model as models of their own: a few nodes, the weights that they read, and as inputs the
values at which the part was cut out.

`onnx.utils.extract_model` is not used: it infers the whole file for every part, and loses what only a
branch of an If reads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field

import onnx
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper
from onnx.inliner import inline_local_functions

from formatlab import graphs
from formatlab.measure.float64 import write_defaults


def flat(model: ModelProto) -> ModelProto:
    """Return a copy whose functions are inlined, whose Constants are initializers, and whose nodes each
    come after what they read, without the annotations that nothing runs on.
    """
    new = ModelProto.FromString(model.SerializeToString())
    if new.functions:
        write_defaults(new)
        new = inline_local_functions(new)
    kept = []
    for node in new.graph.node:
        tensor = _constant(node)
        if tensor is None:
            kept.append(NodeProto.FromString(node.SerializeToString()))
        else:
            tensor.name = node.output[0]
            new.graph.initializer.append(tensor)
    del new.graph.node[:]
    new.graph.node.extend(in_order(kept))
    del new.graph.value_info[:]
    stored = {tensor.name for tensor in new.graph.initializer}
    inputs = [value for value in new.graph.input if value.name not in stored]
    copies = [ValueInfoProto.FromString(value.SerializeToString()) for value in inputs]
    del new.graph.input[:]
    new.graph.input.extend(copies)
    return new


def _constant(node: NodeProto) -> TensorProto | None:
    if node.op_type != "Constant" or graphs.domain(node.domain) or len(node.attribute) != 1:
        return None
    [attribute] = node.attribute
    if attribute.name == "value":
        return TensorProto.FromString(attribute.t.SerializeToString())
    kinds = {
        "value_float": (TensorProto.FLOAT, attribute.f),
        "value_int": (TensorProto.INT64, attribute.i),
        "value_floats": (TensorProto.FLOAT, list(attribute.floats)),
        "value_ints": (TensorProto.INT64, list(attribute.ints)),
    }
    if attribute.name not in kinds:
        return None
    kind, numbers = kinds[attribute.name]
    if isinstance(numbers, list):
        return helper.make_tensor("", kind, [len(numbers)], numbers)
    return helper.make_tensor("", kind, [], [numbers])


def in_order(nodes: Sequence[NodeProto]) -> list[NodeProto]:
    """Return the nodes in their own order, as far as each comes after what it reads."""
    written = {name for node in nodes for name in node.output if name}
    left = list(nodes)
    have: set[str] = set()
    found: list[NodeProto] = []
    while left:
        waiting = []
        for node in left:
            if all(name in have or name not in written for name in reads(node)):
                found.append(node)
                have.update(node.output)
            else:
                waiting.append(node)
        if len(waiting) == len(left):  # a circle: ONNX Runtime will say so
            return found + waiting
        left = waiting
    return found


def reads(node: NodeProto) -> list[str]:
    """Return the names that a node reads, and those that its subgraphs take from outside."""
    found = [name for name in node.input if name]
    for graph in graphs.subgraphs(node):
        found.extend(captured(graph))
    return found


def captured(graph: GraphProto) -> list[str]:
    """Return the names that a subgraph takes from the graphs around it."""
    own = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    found = []
    for node in graph.node:
        found += [name for name in reads(node) if name not in own]
        own.update(node.output)
    return found + [value.name for value in graph.output if value.name not in own]


@dataclass(eq=False, kw_only=True)
class Part:
    """Nodes of a model between values: `inputs` are those at which it was cut and the inputs of the
    model that it reads; `outputs` what it gives.
    """

    nodes: list[NodeProto]
    inputs: list[str]
    outputs: list[str]
    stored: list[TensorProto] = field(default_factory=list)
    opsets: list[onnx.OperatorSetIdProto] = field(default_factory=list)
    ir_version: int = 8

    def model(self, types: Mapping[str, int]) -> ModelProto:
        """Return the part as a model; `types` has the element type of each input. Sizes are not
        declared, because some fusions of a session depend on that.
        """
        inputs = [helper.make_tensor_value_info(name, types[name], None) for name in self.inputs]
        outputs = [ValueInfoProto(name=name) for name in self.outputs]
        graph = helper.make_graph(self.nodes, "part", inputs, outputs, self.stored)
        return helper.make_model(
            graph, opset_imports=self.opsets, ir_version=self.ir_version, producer_name="formatlab"
        )


@dataclass(eq=False)
class Whole:
    """A model from which parts are taken. It has to be `flat`."""

    proto: ModelProto
    _: KW_ONLY
    writers: dict[str, NodeProto] = field(init=False)
    places: dict[str, int] = field(init=False)
    readers: dict[str, list[NodeProto]] = field(init=False)
    stored: dict[str, TensorProto] = field(init=False)

    def __post_init__(self) -> None:
        graph = self.proto.graph
        self.writers = {name: node for node in graph.node for name in node.output if name}
        self.places = {
            name: at for at, node in enumerate(graph.node) for name in node.output if name
        }
        self.stored = {tensor.name: tensor for tensor in graph.initializer}
        self.readers = {}
        for node in graph.node:
            for name in dict.fromkeys(reads(node)):
                self.readers.setdefault(name, []).append(node)

    @property
    def inputs(self) -> list[str]:
        return [value.name for value in self.proto.graph.input]

    @property
    def outputs(self) -> list[str]:
        return [value.name for value in self.proto.graph.output]

    @property
    def types(self) -> dict[str, int]:
        """The element types of its inputs."""
        return {value.name: value.type.tensor_type.elem_type for value in self.proto.graph.input}

    def part(self, outputs: Sequence[str], cut: Collection[str]) -> Part:
        """Return what gives `outputs` from the values `cut` and the model's inputs."""
        found: set[int] = set()
        inputs: dict[str, None] = {}
        stored: dict[str, None] = {}
        stack = list(outputs)
        while stack:
            name = stack.pop()
            is_cut = name in cut and name not in outputs
            if name in self.stored:
                stored[name] = None
            elif is_cut or name not in self.writers:
                inputs[name] = None
            elif self.places[name] not in found:
                found.add(self.places[name])
                stack.extend(reads(self.writers[name]))
        return Part(
            nodes=[self.proto.graph.node[at] for at in sorted(found)],
            inputs=sorted(inputs),
            outputs=list(outputs),
            stored=[self.stored[name] for name in sorted(stored)],
            opsets=list(self.proto.opset_import),
            ir_version=self.proto.ir_version,
        )

    def between(self, output: str, cut: Collection[str]) -> Part:
        """Return the part that gives one value from those of `cut`, itself apart."""
        return self.part([output], cut)


def named(nodes: Iterable[NodeProto]) -> dict[str, NodeProto]:
    """Return nodes by the first name that they write, by which edits find them."""
    return {next(filter(None, node.output), node.name): node for node in nodes}
