"""A graph as an SVG that says in words what it shows, and as a node table where pictures are not
shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from onnx import GraphProto, ModelProto, NodeProto

from formatlab.graphs import named_subgraphs, stored
from formatlab.picture import captioned, img
from formatlab.show.layout import Point, Vertex, layered
from formatlab.show.table import in_one_line, operator, table

CHARACTER = 7.6
PADDING = 22
HEIGHT = 30
LAYER = 74
GAP = 26
MARGIN = 18
# Characters of a name.
LONGEST = 60
STYLE = {
    "input": 'fill="#e8f1fb" stroke="#2b5d8c" stroke-width="1.4"',
    "initializer": 'fill="#ffffff" stroke="#6b6b6b" stroke-width="1.2" stroke-dasharray="4 3"',
    "node": 'fill="#243b53" stroke="#243b53"',
    "output": 'fill="#e6f4ea" stroke="#256b3a" stroke-width="1.4"',
}


@dataclass(frozen=True)
class Drawing:
    """What `draw` returns: shown as a picture by a notebook, as the node table by a terminal."""

    svg: str
    text: str
    description: str

    def _repr_mimebundle_(self, **_options: object) -> dict[str, str]:
        image = img(self.svg.encode(), self.description, "max-width:100%", "graph")
        return {"text/html": captioned(image, self.svg), "text/plain": self.text}

    def __repr__(self) -> str:
        return self.text


def draw(model: ModelProto | GraphProto, title: str) -> Drawing:
    """The graph drawn from top to bottom: filled boxes are nodes, rounded ones the graph's inputs
    and outputs, dashed ones initializers.

    A line is a value and carries its name; a dashed line is a name that a subgraph takes from
    outside. `title` says what the picture shows. It stands below it, and begins the description for people
    who do not see it, which goes on with the nodes.
    """
    graph = model.graph if isinstance(model, ModelProto) else model
    description = in_one_line(f"{title}. {describe(graph)}")
    return Drawing(_svg(graph, title, description), table(graph), description)


def describe(graph: GraphProto) -> str:
    """The graph in words: its inputs, each node with what it reads and gives, its outputs."""
    inputs = ", ".join(value.name for value in graph.input) or "none"
    nodes = "; ".join(
        f"{operator(node)} reads {', '.join(filter(None, node.input)) or 'nothing'}"
        f"{_takes(captured(node))} and gives {', '.join(filter(None, node.output)) or 'nothing'}"
        for node in graph.node
    )
    outputs = ", ".join(value.name for value in graph.output) or "none"
    return f"Inputs: {inputs}. Nodes: {nodes or 'none'}. Outputs: {outputs}."


def _takes(names: list[str]) -> str:
    """In words, what subgraphs take from outside: the dashed lines of the drawing."""
    return f" (its subgraphs read {', '.join(names)})" if names else ""


def captured(node: NodeProto) -> list[str]:
    """The names that the node's subgraphs take from the graphs around them, in order of first use."""
    found: dict[str, None] = {}
    for _, graph in named_subgraphs(node):
        known = {value.name for value in graph.input} | stored(graph).keys()
        known |= {name for inner in graph.node for name in inner.output}
        names = [name for inner in graph.node for name in (*inner.input, *captured(inner))] + [
            value.name for value in graph.output
        ]
        found |= dict.fromkeys(name for name in names if name and name not in known)
    return list(found)


def _svg(graph: GraphProto, title: str, description: str) -> str:
    boxes, links = _boxes_and_links(graph)
    widths = {key: len(_short(label)) * CHARACTER + PADDING for key, (_, label) in boxes.items()}
    low = {key for key, (kind, _) in boxes.items() if kind == "initializer"}
    places, routes = layered(widths, [(start, end) for start, end, _, _ in links], low, GAP)
    left = min((x - widths[key] / 2 for key, (x, _) in places.items()), default=0) - MARGIN
    ends = [x + widths[key] / 2 for key, (x, _) in places.items()]
    ends += [
        route[0][0] + (len(_short(name)) + 1) * CHARACTER
        for route, (_, _, name, _) in zip(routes, links, strict=True)
    ]
    width = round(max(ends, default=0) + MARGIN - left)
    lowest = max((layer for _, layer in places.values()), default=0)
    height = lowest * LAYER + HEIGHT + 2 * MARGIN

    def at(point: Point) -> tuple[float, float]:
        return round(point[0] - left, 1), point[1] * LAYER + MARGIN + HEIGHT / 2

    parts = [
        _line([at(point) for point in route], dashed)
        for route, (_, _, _, dashed) in zip(routes, links, strict=True)
    ]
    parts += _labels(routes, links, at)
    for key, place in places.items():
        kind, label = boxes[key]
        parts.append(_box(kind, label, widths[key], at(place)))
    return _framed(parts, width, height, title, description)


def _framed(parts: list[str], width: float, height: float, title: str, description: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'style="max-width:100%;height:auto" role="img" aria-label={quoteattr(title)} '
        'font-family="ui-monospace,monospace" font-size="12.5">\n'
        f"<title>{escape(title)}</title>\n<desc>{escape(description)}</desc>\n"
        f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff" stroke="#d0d4d9"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _boxes_and_links(
    graph: GraphProto,
) -> tuple[dict[Vertex, tuple[str, str]], list[tuple[Any, Any, str, bool]]]:
    """Boxes as {key: (kind, label)}, each after those it depends on; links as (from, to, name, is
    captured).
    """
    boxes: dict[Vertex, tuple[str, str]] = {}
    producer: dict[str, Vertex] = {}
    links: list[tuple[Any, Any, str, bool]] = []
    sources = [("input", value.name) for value in graph.input] + [
        ("initializer", name) for name in stored(graph)
    ]
    for kind, name in sources:
        producer[name] = key = (kind, name)
        boxes[key] = (kind, name)
    for number, node in enumerate(graph.node):
        key = ("node", number)
        names = [(name, False) for name in node.input if name] + [
            (name, True) for name in captured(node)
        ]
        for name, from_outside in dict.fromkeys(names):
            if name not in producer:
                producer[name] = ("input", name)
                boxes[producer[name]] = ("input", name)
            links.append((producer[name], key, name, from_outside))
        boxes[key] = ("node", operator(node))
        producer |= {name: key for name in node.output if name}
    for value in graph.output:
        boxes["output", value.name] = ("output", value.name)
        if value.name in producer:
            links.append((producer[value.name], ("output", value.name), value.name, False))
    return boxes, links


def _labels(
    routes: list[Any], links: list[Any], at: Callable[[Point], tuple[float, float]]
) -> list[str]:
    """The name of each value that runs from node to node, once per node that gives it. Names beside
    each other do not overlap.
    """
    named = set()
    ends: dict[Vertex, float] = {}
    parts = []
    for route, (start, end, name, _) in zip(routes, links, strict=True):
        if start[0] == "node" and end[0] == "node" and name not in named:
            named.add(name)
            x, y = at(route[0])
            next_x, _ = at(route[1])
            left = round(max((3 * x + next_x) / 4 + 7, ends.get(start, 0)), 1)
            ends[start] = left + (len(_short(name)) + 1) * CHARACTER
            place = f'x="{left}" y="{y + LAYER / 2 - 2:g}"'
            parts.append(
                f'<text {place} fill="#333" stroke="#fff" stroke-width="4" paint-order="stroke">{escape(_short(name))}</text>'
            )
    return parts


def _line(points: list[Point], dashed: bool) -> str:
    (x, y), *rest = points
    path = f"M{x:g} {y:g}"
    for to_x, to_y in rest:
        middle = (y + to_y) / 2
        path += f"C{x:g} {middle:g} {to_x:g} {middle:g} {to_x:g} {to_y:g}"
        x = to_x
        y = to_y
    dashes = ' stroke-dasharray="3 3"' if dashed else ""
    return f'<path d="{path}" fill="none" stroke="#5a6773" stroke-width="1.4"{dashes}/>'


def _box(kind: str, label: str, width: float, centre: Point) -> str:
    x, y = centre
    radius = 4 if kind == "node" else HEIGHT / 2
    color = "#ffffff" if kind == "node" else "#1b1b1b"
    return (
        f'<rect x="{x - width / 2:g}" y="{y - HEIGHT / 2:g}" width="{width:g}" height="{HEIGHT}" rx="{radius:g}" {STYLE[kind]}/>'
        f'<text x="{x:g}" y="{y + 4.5:g}" text-anchor="middle" fill="{color}">{escape(_short(label))}</text>'
    )


def _short(name: str) -> str:
    """A name as a picture can hold it: exporters write scopes of hundreds of characters."""
    shown = in_one_line(name)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST // 2]}…{shown[-LONGEST // 2 :]}"
