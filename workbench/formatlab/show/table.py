"""A graph as a text table: one line a node, in the order of the file."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, helper

from formatlab.graphs import domain, named_subgraphs

COLUMNS = ("operator", "inputs", "outputs", "attributes")


def table(model: ModelProto | GraphProto) -> str:
    """The nodes of a model or graph as text. `[w]` marks an initializer, `-` an input that is left
    out.

    The graphs inside If, Loop and Scan follow their node, indented, under the name of the attribute
    that holds them.
    """
    graph = model.graph if isinstance(model, ModelProto) else model
    rows = [COLUMNS, *_rows(graph, frozenset(), "")]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def operator(node: NodeProto) -> str:
    """The operator's name, with its domain unless that is the default one: `Relu`,
    `com.microsoft::FusedMatMul`.
    """
    return f"{domain(node.domain)}::{node.op_type}".removeprefix("::")


def _rows(graph: GraphProto, outer: frozenset[str], indent: str) -> Iterator[tuple[str, ...]]:
    stored = outer | {tensor.name for tensor in graph.initializer}
    for node in graph.node:
        inputs = ", ".join(f"[{name}]" if name in stored else name or "-" for name in node.input)
        outputs = ", ".join(name or "-" for name in node.output)
        yield indent + operator(node), inputs, outputs, _attributes(node)
        for name, body in named_subgraphs(node):
            gives = f"gives {', '.join(value.name for value in body.output)}"
            yield f"{indent}  {name}:", "", gives, ""
            yield from _rows(body, stored, indent + "    ")


def _attributes(node: NodeProto) -> str:
    shown = (attribute for attribute in node.attribute if not _holds_graph(attribute))
    return ", ".join(f"{attribute.name}={_value(attribute)}" for attribute in shown)


def _holds_graph(attribute: AttributeProto) -> bool:
    return attribute.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS)


def _value(attribute: AttributeProto) -> str:
    if attribute.ref_attr_name:
        return f"@{attribute.ref_attr_name}"
    value = helper.get_attribute_value(attribute)
    if isinstance(value, TensorProto):
        return f"{helper.tensor_dtype_to_string(value.data_type).removeprefix('TensorProto.')}{list(value.dims)}"
    if isinstance(value, float):
        return f"{value:.7g}"  # the attribute is a float32
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
