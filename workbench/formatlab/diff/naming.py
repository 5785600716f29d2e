"""What nodes and values are called in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from formatlab.diff.scopes import Node, Scope, Source
from formatlab.diff.words import count, joined, listed, plain, quoted

# From so many nodes on, a sentence counts them.
MANY = 5


def called(node: Node) -> str:
    """A node by its name; one without a name by its operator and the value that it gives."""
    operator = plain(node.operator)
    if not node.name:
        outputs = [name for name in node.outputs if name]
        return f"{operator} {quoted(outputs[0])}" if outputs else operator
    if node.kind.lower() in node.name.lower():
        return quoted(node.name)
    return f"{quoted(node.name)} ({operator})"


def nodes(scope: Scope, places: Iterable[int]) -> str:
    """Several nodes: each, where they are few, otherwise how many of each operator."""
    found = [scope.nodes[at] for at in places]
    if len(found) <= MANY:
        return joined([called(node) for node in found])
    return f"{count(len(found), 'node')} ({operators(found)})"


def operators(found: Iterable[Node]) -> str:
    """`3 Mul, 2 Add and Sqrt`."""
    counts = Counter(plain(node.operator) for node in found).most_common()
    return listed([f"{times} {name}" if times > 1 else name for name, times in counts], 6)


def value(scope: Scope, source: Source) -> str:
    """A value by its name."""
    if source.kind == "none":
        return "nothing"
    if source.kind == "inside":
        return "a value of the subgraph"
    name = scope.name_of(source)
    if source.kind == "node" and not name:
        return f"an output of {called(scope.nodes[source.at])}"
    return quoted(name)


def names(scope: Scope, places: Iterable[int]) -> tuple[str, ...]:
    """The nodes, for the report's fields: their names, or what they give."""
    found = (scope.nodes[at] for at in places)
    return tuple(
        plain(node.name or next(filter(None, node.outputs), node.operator)) for node in found
    )
