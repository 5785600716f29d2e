"""A small layered layout: longest-path layers, dummy vertices on long edges, barycentre sweeps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from functools import reduce
from itertools import pairwise
from operator import add

Vertex = Hashable
Point = tuple[float, float]
SWEEPS = 8


def layered(
    vertices: Mapping[Vertex, float],
    edges: Sequence[tuple[Vertex, Vertex]],
    sources_low: set[Vertex],
    gap: float,
) -> tuple[dict[Vertex, tuple[float, int]], list[list[tuple[float, int]]]]:
    """Places for a directed acyclic graph, top to bottom.

    `vertices` gives each vertex's width, in an order in which every edge goes forward. Vertices of
    `sources_low` (initializers) sit just above their first reader instead of in the first layer.
    Returns each vertex's centre and layer, and for every edge the points it passes through, both as
    (x, layer) with x in the unit of the widths.
    """
    layer = _layers(vertices, edges, sources_low)
    widths = dict(vertices)
    routes = []
    for number, (start, end) in enumerate(edges):
        dummies = [(number, between) for between in range(layer[start] + 1, layer[end])]
        for dummy in dummies:
            widths[dummy] = gap / 2
            layer[dummy] = dummy[1]
        routes.append([start, *dummies, end])
    rows: list[list[Vertex]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for vertex, depth in layer.items():
        rows[depth].append(vertex)
    x = _sweep(rows, routes, widths, gap)
    places = {vertex: (x[vertex], layer[vertex]) for vertex in vertices}
    return places, [[(x[vertex], layer[vertex]) for vertex in route] for route in routes]


def _layers(
    vertices: Mapping[Vertex, float],
    edges: Sequence[tuple[Vertex, Vertex]],
    sources_low: set[Vertex],
) -> dict[Vertex, int]:
    parents = defaultdict(list)
    children = defaultdict(list)
    for start, end in edges:
        parents[end].append(start)
        children[start].append(end)
    layer: dict[Vertex, int] = {}
    for vertex in vertices:
        above = [layer[parent] + 1 for parent in parents[vertex]]
        layer[vertex] = max(above, default=0)
    for vertex in sources_low:
        if children[vertex]:
            layer[vertex] = min(layer[child] for child in children[vertex]) - 1
    return layer


def _sweep(
    rows: list[list[Vertex]], routes: list[list[Vertex]], widths: Mapping[Vertex, float], gap: float
) -> dict[Vertex, float]:
    up, down = _neighbours(routes)
    x: dict[Vertex, float] = {}
    for row in rows:
        x |= _spread(row, widths, gap, dict.fromkeys(row, 0.0))
    for sweep in range(SWEEPS):
        neighbours = up if sweep % 2 == 0 else down
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = {each: _mean([x[near] for near in neighbours[each]], x[each]) for each in row}
            row.sort(key=wanted.__getitem__)
            x |= _spread(row, widths, gap, wanted)
    return x


def _neighbours(
    routes: list[list[Vertex]],
) -> tuple[dict[Vertex, list[Vertex]], dict[Vertex, list[Vertex]]]:
    """Of each vertex those above it, and those below it."""
    up: dict[Vertex, list[Vertex]] = defaultdict(list)
    down: dict[Vertex, list[Vertex]] = defaultdict(list)
    for above, below in (pair for route in routes for pair in pairwise(route)):
        down[above].append(below)
        up[below].append(above)
    return up, down


def _spread(
    row: Sequence[Vertex],
    widths: Mapping[Vertex, float],
    gap: float,
    wanted: Mapping[Vertex, float],
) -> dict[Vertex, float]:
    """Places in the row's order, without overlap, shifted so that the row as a whole sits where it
    wants to.
    """
    x = {}
    edge = float("-inf")
    for vertex in row:
        x[vertex] = max(wanted[vertex], edge + gap + widths[vertex] / 2)
        edge = x[vertex] + widths[vertex] / 2
    shift = _mean([wanted[vertex] - x[vertex] for vertex in row], 0.0)
    return {vertex: place + shift for vertex, place in x.items()}


def _mean(numbers: Sequence[float], default: float) -> float:
    """Added one by one: from Python 3.12 on, `sum` rounds floats once, and a picture would differ
    between versions of Python.
    """
    return reduce(add, numbers) / len(numbers) if numbers else default
