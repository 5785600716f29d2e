"""A graph as a text table: one line a node, in the order of the file."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    SparseTensorProto,
    TensorProto,
    TypeProto,
    ValueInfoProto,
    helper,
)

from formatlab import graphs
from formatlab.graphs import domain, named_subgraphs
from formatlab.in_words import declared

COLUMNS = ("operator", "inputs", "outputs", "attributes")


def table(model: ModelProto | GraphProto) -> str:
    """The nodes of a model or graph as text. `[w]` marks an initializer, `-` an input that is left
    out.

    The graphs inside If, Loop and Scan follow their node, indented, under the name of the attribute
    that holds them; the functions of a model follow its graph, each under what it is called.
    """
    graph = model.graph if isinstance(model, ModelProto) else model
    found = [*_rows(graph, frozenset(), "")]
    for function in model.functions if isinstance(model, ModelProto) else ():
        overload = f":{function.overload}" if function.overload else ""
        name = f"{domain(function.domain)}::{function.name}{overload}".removeprefix("::")
        gives = f"gives {', '.join(function.output)}"
        found.append((f"{name}:", f"takes {', '.join(function.input) or 'nothing'}", gives, ""))
        found += _rows(function, frozenset(), "  ")
    rows = [COLUMNS, *(tuple(map(in_one_line, row)) for row in found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def in_one_line(text: str) -> str:
    """The text with whatever breaks a line, moves a cursor or turns the reading direction as an
    escape: names come out of files, and XML has no place for most control characters.
    """
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )


def operator(node: NodeProto) -> str:
    """The operator's name, with its domain unless that is the default one: `Relu`,
    `com.microsoft::FusedMatMul`.
    """
    return f"{domain(node.domain)}::{node.op_type}".removeprefix("::")


def _rows(
    graph: GraphProto | FunctionProto, outer: frozenset[str], indent: str
) -> Iterator[tuple[str, ...]]:
    weights = outer
    if isinstance(graph, GraphProto):
        # A name of the graph's own is another value, although it may be spelled like an outer one.
        own = {value.name for value in graph.input} | {
            name for node in graph.node for name in node.output
        }
        weights = outer - own | graphs.stored(graph).keys()
    for node in graph.node:
        inputs = ", ".join(f"[{name}]" if name in weights else name or "-" for name in node.input)
        outputs = ", ".join(name or "-" for name in node.output)
        yield indent + operator(node), inputs, outputs, _attributes(node)
        for name, body in named_subgraphs(node):
            gives = f"gives {', '.join(value.name for value in body.output)}"
            yield f"{indent}  {name}:", "", gives, ""
            yield from _rows(body, weights, indent + "    ")


def _attributes(node: NodeProto) -> str:
    shown = (attribute for attribute in node.attribute if not _holds_graph(attribute))
    return ", ".join(f"{attribute.name}={_value(attribute)}" for attribute in shown)


def _holds_graph(attribute: AttributeProto) -> bool:
    return attribute.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS)


def _value(attribute: AttributeProto) -> str:
    if attribute.ref_attr_name:
        return f"@{attribute.ref_attr_name}"
    if attribute.type == AttributeProto.UNDEFINED:
        return "?"
    value = helper.get_attribute_value(attribute)
    if isinstance(value, list):
        return f"[{', '.join(map(_one, value))}]"
    return _one(value)


def _one(value: object) -> str:
    if isinstance(value, TensorProto):
        return f"{_element(value.data_type)}{list(value.dims)}"
    if isinstance(value, SparseTensorProto):
        return f"sparse {_element(value.values.data_type)}{list(value.dims)}"
    if isinstance(value, TypeProto):
        return str(declared(ValueInfoProto(type=value)) or "?")
    if isinstance(value, float):
        return f"{value:.7g}"  # the attribute is a float32
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _element(number: int) -> str:
    known = number in TensorProto.DataType.values()
    return TensorProto.DataType.Name(number) if known else f"type {number}"
