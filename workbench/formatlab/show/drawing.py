"""A graph as an SVG that says in words what it shows, and as a node table where pictures are not
shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from onnx import GraphProto, ModelProto, NodeProto, TensorProto, numpy_helper

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
    "wrong": 'fill="#fbeae6" stroke="#b3402a" stroke-width="1.4"',
    "outside": 'fill="none" stroke="none"',  # inside a subgraph, a name of the graph around it
}
# The types of a number that numpy holds, in which a single value says what a node does.
NUMBERS = {
    TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.BOOL,
    TensorProto.INT8, TensorProto.INT16, TensorProto.INT32, TensorProto.INT64,
    TensorProto.UINT8, TensorProto.UINT16, TensorProto.UINT32, TensorProto.UINT64,
}  # fmt: skip
TITLE = 20  # the line above a subgraph's frame, which names it
TEXT = 18  # the height of a name without a box
BORDER = 4


@dataclass(frozen=True, kw_only=True)
class _Box:
    kind: str
    label: str
    frames: tuple[_Frame, ...] = ()

    @property
    def width(self) -> float:
        inside = sum(frame.width + GAP / 2 for frame in self.frames) + GAP / 2
        return max(len(_short(self.label)) * CHARACTER + PADDING, inside if self.frames else 0)

    @property
    def height(self) -> int:
        inside = max((frame.height for frame in self.frames), default=0)
        return HEIGHT + (TITLE + inside + GAP // 2 if self.frames else 0)


@dataclass(frozen=True, kw_only=True)
class _Frame:
    """A drawing of a graph: its SVG elements from the corner (0, 0), and its size."""

    name: str
    parts: tuple[str, ...]
    width: int
    height: int


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
    and outputs, dashed ones initializers. An initializer of a single number, which an exporter names
    by a counter, shows the number, too. The subgraphs of a node are frames inside its box.

    A line is a value and carries its name; a dashed line is a name that a subgraph takes from
    outside, and inside the subgraph that name has no box. `title` says what the picture shows. It
    stands below it, and begins the description for people who do not see it, which goes on with
    the nodes.
    """
    graph = model.graph if isinstance(model, ModelProto) else model
    description = in_one_line(f"{title}. {describe(graph)}")
    return Drawing(_svg(graph, title, description), table(graph), description)


def describe(graph: GraphProto) -> str:
    """The graph in words: its inputs, each node with what it reads and gives, its outputs."""
    inputs = ", ".join(value.name for value in graph.input) or "none"
    held = stored(graph)
    nodes = "; ".join(
        f"{operator(node)} reads {', '.join(_with_number(name, held) for name in node.input if name) or 'nothing'}"
        f"{_takes(captured(node))} and gives {', '.join(filter(None, node.output)) or 'nothing'}"
        for node in graph.node
    )
    outputs = ", ".join(value.name for value in graph.output) or "none"
    return f"Inputs: {inputs}. Nodes: {nodes or 'none'}. Outputs: {outputs}."


def _with_number(name: str, held: Mapping[str, TensorProto]) -> str:
    """The name, and where it is an initializer of one number that the file itself holds, its value."""
    tensor = held.get(name)
    if tensor is None or math.prod(tensor.dims) != 1 or tensor.data_type not in NUMBERS:
        return name
    if tensor.data_location == TensorProto.EXTERNAL:
        return name
    try:
        number = numpy_helper.to_array(tensor).reshape(-1)[0].item()
    except ValueError:  # a damaged file is drawn as far as it can be read
        return name
    return f"{name} = {number:.4g}" if isinstance(number, float) else f"{name} = {number}"


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
    frame = _frame(graph)
    return _framed(list(frame.parts), frame.width, frame.height, title, description)


def _frame(graph: GraphProto, name: str = "", kind_outside: str = "input") -> _Frame:
    boxes, links = _boxes_and_links(graph, kind_outside)
    widths = {key: box.width for key, box in boxes.items()}
    low = {key for key, box in boxes.items() if box.kind == "initializer"}
    places, routes = layered(widths, [(start, end) for start, end, _, _ in links], low, GAP)
    left = min((x - widths[key] / 2 for key, (x, _) in places.items()), default=0) - MARGIN
    ends = [x + widths[key] / 2 for key, (x, _) in places.items()]
    ends += [
        route[0][0] + (len(_short(label)) + 1) * CHARACTER
        for route, (_, _, label, _) in zip(routes, links, strict=True)
    ]
    for x in (x for route in routes for x, _ in route):  # a line may use the margin, not leave it
        ends.append(x - MARGIN + BORDER)
        left = min(left, x - BORDER)
    width = round(max(ends, default=0) + MARGIN - left)
    missing = max(
        round(len(_short(name)) * CHARACTER) - width, 0
    )  # its name stands above the frame
    left -= missing / 2
    width += missing
    lowest = max((layer for _, layer in places.values()), default=0)
    heights: dict[float, int] = {layer: HEIGHT for layer in range(lowest + 1)}
    for key, (_, layer) in places.items():
        heights[layer] = max(heights[layer], boxes[key].height)
    tops: dict[float, int] = {0: MARGIN}
    for layer in range(1, lowest + 1):
        tops[layer] = tops[layer - 1] + heights[layer - 1] + LAYER - HEIGHT

    def at(point: Point) -> tuple[float, float]:
        return round(point[0] - left, 1), tops[point[1]] + heights[point[1]] / 2

    drawn = [
        _around_tall_boxes([at(point) for point in route], route, heights, boxes[start], boxes[end])
        for route, (start, end, _, _) in zip(routes, links, strict=True)
    ]
    parts = [_line(points, link[3]) for points, link in zip(drawn, links, strict=True)]
    parts += _labels(drawn, links)
    parts += [_box(boxes[key], widths[key], at(place)) for key, place in places.items()]
    height = tops[lowest] + heights[lowest] + MARGIN
    return _Frame(name=name, parts=tuple(parts), width=width, height=height)


def _around_tall_boxes(
    points: list[Point], route: list[Any], heights: dict[float, int], start: _Box, end: _Box
) -> list[Point]:
    """The way of a line that leaves a tall box at its bottom, enters one at its top, and runs
    straight down beside one, so that no box covers it.
    """
    (x, y), *between, (to_x, to_y) = points
    below = TEXT / 2 if start.kind == "outside" else (start.height - HEIGHT) / 2
    way = [(x, y + below)]
    for (beside_x, beside_y), (_, layer) in zip(between, route[1:-1], strict=True):
        half = (heights[layer] - HEIGHT) / 2
        way += [(beside_x, beside_y - half), (beside_x, beside_y + half)][: 2 if half else 1]
    return [*way, (to_x, to_y - (end.height - HEIGHT) / 2)]


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
    graph: GraphProto, kind_outside: str
) -> tuple[dict[Vertex, _Box], list[tuple[Any, Any, str, bool]]]:
    """Boxes by key, each after those it depends on; links as (from, to, name, is captured). A name
    that the graph neither has nor gives gets a box of the kind `kind_outside`.
    """
    boxes: dict[Vertex, _Box] = {}
    producer: dict[str, Vertex] = {}
    links: list[tuple[Any, Any, str, bool]] = []
    held = stored(graph)
    sources = [("input", value.name) for value in graph.input] + [
        ("initializer", name) for name in held
    ]
    for kind, name in sources:
        producer[name] = key = (kind, name)
        label = _with_number(name, held) if kind == "initializer" else name
        boxes[key] = _Box(kind=kind, label=label)
    for number, node in enumerate(graph.node):
        key = ("node", number)
        names = [(name, False) for name in node.input if name] + [
            (name, True) for name in captured(node)
        ]
        for name, from_outside in dict.fromkeys(names):
            if name not in producer:
                producer[name] = (kind_outside, name)
                boxes[producer[name]] = _Box(kind=kind_outside, label=name)
            is_outside = boxes[producer[name]].kind == "outside"
            links.append((producer[name], key, name, from_outside or is_outside))
        frames = tuple(_frame(body, each, "outside") for each, body in named_subgraphs(node))
        boxes[key] = _Box(kind="node", label=operator(node), frames=frames)
        producer |= {name: key for name in node.output if name}
    for value in graph.output:
        boxes["output", value.name] = _Box(kind="output", label=value.name)
        if value.name in producer:
            links.append((producer[value.name], ("output", value.name), value.name, False))
    return boxes, links


def _labels(ways: list[list[Point]], links: list[Any]) -> list[str]:
    """The name of each value that runs from node to node, once per node that gives it. Names beside
    each other do not overlap.
    """
    named = set()
    ends: dict[Vertex, float] = {}
    parts = []
    for way, (start, end, name, _) in zip(ways, links, strict=True):
        if start[0] == "node" and end[0] == "node" and name not in named:
            named.add(name)
            (x, y), (next_x, _), *_ = way
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


def _box(box: _Box, width: float, centre: Point) -> str:
    x, y = centre
    top = y - box.height / 2
    radius = 4 if box.kind == "node" else HEIGHT / 2
    color = "#ffffff" if box.kind == "node" else "#1b1b1b"
    parts = [
        f'<rect x="{x - width / 2:g}" y="{top:g}" width="{width:g}" height="{box.height}" rx="{radius:g}" {STYLE[box.kind]}/>'
        f'<text x="{x:g}" y="{top + HEIGHT / 2 + 4.5:g}" text-anchor="middle" fill="{color}">{escape(_short(box.label))}</text>'
    ]
    left = x - sum(frame.width + GAP / 2 for frame in box.frames) / 2 + GAP / 4
    for frame in box.frames:
        parts.append(
            f'<text x="{left:g}" y="{top + HEIGHT + TITLE - 6:g}" fill="{color}">{escape(_short(frame.name))}</text>'
            f'<g transform="translate({left:g} {top + HEIGHT + TITLE:g})">'
            f'<rect width="{frame.width}" height="{frame.height}" rx="4" fill="#ffffff"/>'
            + "".join(frame.parts)
            + "</g>"
        )
        left += frame.width + GAP / 2
    return "".join(parts)


def _short(name: str) -> str:
    """A name as a picture can hold it: exporters write scopes of hundreds of characters."""
    shown = in_one_line(name)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST // 2]}…{shown[-LONGEST // 2 :]}"
