"""Which node of one scope is which of another, whatever their names and order.

1. Every node gets a label made of its operator, its attributes, its weights and the labels of what
   it reads ("forward"), of who reads it ("backward"), or of both. Two nodes whose label is unique
   on each side are one pair (this is what patience diff does with lines).
2. A pair's label is the pair itself, so the neighbours of pairs get new labels, and pairs spread
   from what is certain.
3. Where nothing is unique any more, labels say less: first without the weights' numbers, then
   without types and attributes, last seen through nodes that only change a number's type
   (Cast, QuantizeLinear, ...), so that a quantized graph still finds itself.
4. Names decide between nodes that are alike in everything else, and never more.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property

from formatlab.diff.scopes import Key, Node, Scope, Source

# They pass their first input on, in another type at most.
SEE_THROUGH = frozenset(
    {"Cast", "CastLike", "Identity", "Dropout", "QuantizeLinear", "DequantizeLinear"}
)
# What they give does not depend on the order of their inputs.
COMMUTATIVE = frozenset(
    {"Add", "Mul", "And", "Or", "Xor", "Equal", "Max", "Min", "Sum", "Mean", "BitwiseAnd"}
    | {"BitwiseOr", "BitwiseXor"}
)
NUMBERS, SHAPES, OPERATORS, THROUGH = range(4)
FULL = ("both", "forward", "backward")
NEAR = ("around", "after", "before")
# What is looked at first says most. A node is known by numbers of its own only after the places of
# the graph had their say, because two weights may have changed places.
STAGES = (
    (NUMBERS, FULL + NEAR),
    (SHAPES, FULL),
    (NUMBERS, ("own", *NEAR)),
    (SHAPES, NEAR),
    (OPERATORS, FULL + NEAR),
    (THROUGH, FULL + NEAR),
)
# How a group of nodes that are alike on both sides is dealt with.
UNIQUE, EVEN, ANY = range(3)
MAX_PASSES = 8
# Nodes that are looked at, all passes together. A graph made of thousands of equal parts is paired in
# its order then.
MAX_WORK = 1_000_000
MAX_WORK_OF_A_NODE = 30


@dataclass(eq=False, kw_only=True)
class Pairs:
    """The nodes of two scopes that are one: `forth` from A to B, `back` from B to A. `inputs`,
    `outputs` and `outer` say the same of the scopes' inputs, outputs and captured names. `is_by_order`
    tells that finding them was given up, and the rest taken in order.
    """

    a: Scope
    b: Scope
    inputs: Mapping[int, int]
    outputs: Mapping[int, int]
    outer: Mapping[int, int] = field(default_factory=dict)
    forth: dict[int, int] = field(default_factory=dict)
    back: dict[int, int] = field(default_factory=dict)
    is_by_order: bool = False

    def add(self, one: int, other: int) -> None:
        self.forth[one] = other
        self.back[other] = one

    def counterpart(self, source: Source) -> Key | None:
        """The key in B of a value of A, None where it has none. Weights are not looked up."""
        if source.kind == "node":
            to = self.forth.get(source.at)
            return None if to is None else ("node", to, source.output)
        if source.kind in ("input", "outer"):
            to = (self.inputs if source.kind == "input" else self.outer).get(source.at)
            return None if to is None else (source.kind, to, 0)
        return source.key


class Labels:
    """Small numbers for structures: equal ones for equal structures."""

    def __init__(self) -> None:
        self.known: dict[Hashable, int] = {}

    def __call__(self, structure: Hashable) -> int:
        return self.known.setdefault(structure, len(self.known))


class Functions:
    """What the functions of a model compute, as labels; each is looked at once."""

    def __init__(self, scopes: Mapping[str, Scope], labels: Labels):
        self.scopes = scopes
        self.labels = labels
        self.found: dict[str, int] = {}

    def __call__(self, name: str) -> int:
        if name not in self.found:
            self.found[name] = self.labels(("recursive", name))
            if name in self.scopes:
                view = View(self.scopes[name], self, self.labels, NUMBERS, exact=True)
                self.found[name] = self.labels(("function", view.whole()))
        return self.found[name]


@dataclass(eq=False)
class View:
    """Labels of one side's nodes at a level. `paired` gives the pair's number of each node that has
    one, `places` what stands for an input, an output or a captured name. `exact` labels weights by
    all of their bytes, not only by what tells nearly all of them apart.
    """

    scope: Scope
    functions: Functions
    labels: Labels
    level: int
    _: KW_ONLY
    paired: Mapping[int, int] = field(default_factory=dict)
    places: Mapping[str, Mapping[int, Hashable]] = field(default_factory=dict)
    outer: Callable[[Source], Hashable] | None = None
    exact: bool = False

    def local(self, node: Node) -> tuple[Hashable, ...]:
        """What a node is by itself."""
        if node.is_call:
            name = self.functions(node.operator) if self.level == NUMBERS else node.operator
        else:
            name = node.operator
        if self.level >= OPERATORS:
            return (name, tuple(attribute for attribute, _ in node.subgraphs))
        return (name, node.particular)

    def weight(self, source: Source) -> int:
        weight = self.scope.weights[source.at]
        if self.level == NUMBERS:
            known = weight.identity if self.exact else weight.fingerprint
            return self.labels(("weight", known))
        if self.level == SHAPES:
            return self.labels(("weight", weight.dtype, weight.dims))
        return self.labels(("weight",))

    def through(self, source: Source) -> Source:
        """The value that the source carries, seen through nodes that only change its type."""
        seen: set[int] = set()
        while self.level == THROUGH and source.kind == "node" and source.at not in seen:
            node = self.scope.nodes[source.at]
            if node.kind not in SEE_THROUGH or source.output or not node.inputs:
                break
            seen.add(source.at)
            source = node.inputs[0]
        return source

    def source(self, source: Source, nodes: Callable[[int], Hashable]) -> Hashable:
        source = self.through(source)
        if source.kind == "node":
            return (nodes(source.at), source.output)
        if source.kind == "weight":
            return self.weight(source)
        if source.kind == "outer" and self.outer is not None:
            return self.outer(source)
        if source.kind == "missing":
            return ("missing",)
        return (source.kind, self.place(source.kind, source.at))

    def place(self, kind: str, at: int) -> Hashable:
        places = self.places.get(kind)
        return at if places is None else places.get(at, ("alone", at))

    def forward(self) -> dict[int, int]:
        """By what they compute."""
        found: dict[int, int] = {}

        def of(at: int) -> Hashable:
            if at in self.paired:
                return ("pair", self.paired[at])
            return found.get(at, "circle")

        for at in self.scope.order:
            if at in self.paired:  # known by the pair
                continue
            node = self.scope.nodes[at]
            reads = self.in_order(node, (self.source(each, of) for each in node.inputs))
            inner = tuple(self.inside(graph, node, of) for _, graph in node.subgraphs)
            found[at] = self.labels(("forward", self.local(node), reads, inner))
        return found

    def in_order(self, node: Node, reads: Iterable[Hashable]) -> tuple[Hashable, ...]:
        """Inputs whose order makes no difference are sorted, once labels say less than everything."""
        found = tuple(reads)
        free = self.level >= OPERATORS and node.kind in COMMUTATIVE
        return tuple(sorted(found, key=repr)) if free else found

    def port(self, node: Node, port: int) -> int:
        free = self.level >= OPERATORS and node.kind in COMMUTATIVE
        return 0 if free and port > 0 else port

    def inside(self, graph: Scope, node: Node, of: Callable[[int], Hashable]) -> Hashable:
        """What a subgraph computes, told by what it captures."""
        if self.level >= OPERATORS:
            return len(graph.outputs)
        captured = dict(zip(graph.captures, captured_by(node, graph), strict=True))

        def outer(source: Source) -> Hashable:
            return self.source(captured[graph.captures[source.at]], of)

        return View(
            graph, self.functions, self.labels, self.level, outer=outer, exact=self.exact
        ).whole()

    def whole(self) -> int:
        """The scope as one label: its outputs, and whatever else it computes."""
        forward = self.forward()
        outputs = tuple(self.source(each, forward.get) for each in self.scope.outputs)
        return self.labels((len(self.scope.inputs), outputs, tuple(sorted(forward.values()))))

    def backward(self, local: Callable[[int], Hashable]) -> dict[int, int]:
        """By what becomes of what they give."""
        found: dict[int, int] = {}
        for at in reversed(self.scope.order):
            if at in self.paired:
                continue
            uses = tuple(sorted(self.uses(at, found), key=repr))
            found[at] = self.labels(("backward", local(at), uses))
        return found

    def uses(self, at: int, of: Mapping[int, int]) -> Iterator[tuple[Hashable, ...]]:
        """(output, reader, port) of each use of a node's outputs."""
        for output in range(len(self.scope.nodes[at].outputs)):
            stack = [(Source("node", at, output))]
            seen = set()
            while stack:
                for use in self.scope.readers(stack.pop()):
                    if use.node < 0:
                        yield (output, "output", self.place("output", use.port))
                        continue
                    node = self.scope.nodes[use.node]
                    if self.level == THROUGH and node.kind in SEE_THROUGH and use.port == 0:
                        if use.node not in seen:
                            seen.add(use.node)
                            stack.append(Source("node", use.node, 0))
                    elif use.node in self.paired:
                        yield (output, ("pair", self.paired[use.node]), self.port(node, use.port))
                    else:
                        yield (output, of.get(use.node, "?"), self.port(node, use.port))

    def of(self, view: str, only: Iterable[int] | None = None) -> dict[int, Hashable]:
        """The labels of the nodes without a pair; a node that such a label would say nothing of has
        none. Of a view in `NEAR`, `only` those nodes can be asked for.
        """
        found: Mapping[int, Hashable]
        if view == "forward":
            found = self.forward()
        elif view == "backward":
            found = self.backward(lambda at: self._mine(at, with_weights=True))
        elif view == "both":
            forward = self.forward()
            found = self.backward(lambda at: forward[at])
        elif view == "own":
            found = self._own()
        else:
            found = self._near(view, range(len(self.scope.nodes)) if only is None else only)
        return {
            at: label
            for at, label in found.items()
            if at not in self.paired and not self._is_skipped(at)
        }

    def _is_skipped(self, at: int) -> bool:
        return self.level == THROUGH and self.scope.nodes[at].kind in SEE_THROUGH

    def _mine(self, at: int, with_weights: bool) -> tuple[Hashable, ...]:
        node = self.scope.nodes[at]
        sources = map(self.through, node.inputs)
        any_order = node.kind in COMMUTATIVE
        weights = tuple(
            (0 if any_order else port, self.weight(source))
            for port, source in enumerate(sources)
            if source.kind == "weight"
        )
        return (self.local(node), weights if with_weights else ())

    def _own(self) -> dict[int, Hashable]:
        """Nodes by numbers of their own, where those are many enough to be nobody else's."""
        return {
            node.at: self.labels(("own", self._mine(node.at, with_weights=True)))
            for node in self.scope.nodes
            if node.at not in self.paired
            and any(
                source.kind == "weight" and self.scope.weights[source.at].size > 2
                for source in node.inputs
            )
        }

    def _near(self, view: str, places: Iterable[int]) -> dict[int, Hashable]:
        """By the pairs beside them."""
        found: dict[int, Hashable] = {}
        for node in map(self.scope.nodes.__getitem__, places):
            if node.at in self.paired:
                continue
            reads = self.in_order(node, (self.source(each, self._pair) for each in node.inputs))
            uses = tuple(sorted(self.uses(node.at, {}), key=repr))
            knows_reads = any(_is_known(each) for each in reads)
            knows_uses = any(use[1] != "?" for use in uses)
            local = self.local(node)
            if view == "around" and knows_reads and knows_uses:
                found[node.at] = ("around", local, reads, uses)
            elif view == "after" and knows_reads:
                found[node.at] = ("after", local, reads)
            elif view == "before" and knows_uses:
                known = tuple(use for use in uses if use[1] != "?")
                found[node.at] = ("before", local, known)
        return found

    def _pair(self, at: int) -> Hashable:
        return ("pair", self.paired[at]) if at in self.paired else "?"


def _is_known(read: Hashable) -> bool:
    if not isinstance(read, tuple):
        return False
    return read[0] in ("input", "outer") or (isinstance(read[0], tuple) and read[0][0] == "pair")


def captured_by(node: Node, graph: Scope) -> list[Source]:
    """The part of a node's captured values that one of its subgraphs asks for."""
    start = 0
    for _, each in node.subgraphs:
        if each is graph:
            break
        start += len(each.captures)
    return node.captured[start : start + len(graph.captures)]


@dataclass(eq=False)
class Matcher:
    """Fills `pairs`."""

    pairs: Pairs
    functions: tuple[Functions, Functions]
    labels: Labels
    _: KW_ONLY
    work: int = 0
    # The pairs' numbers, by the node of A and by that of B.
    numbers: dict[int, int] = field(default_factory=dict)
    theirs: dict[int, int] = field(default_factory=dict)

    @cached_property
    def places(self) -> tuple[Mapping[str, Mapping[int, int]], Mapping[str, Mapping[int, int]]]:
        """What stands for inputs, outputs and captured names, in A and in B."""
        pairs = self.pairs
        same = {"input": pairs.inputs, "output": pairs.outputs, "outer": pairs.outer}
        return (
            {kind: {one: one for one in places} for kind, places in same.items()},
            {kind: {b: a for a, b in places.items()} for kind, places in same.items()},
        )

    @property
    def is_exhausted(self) -> bool:
        nodes = len(self.pairs.a.nodes) + len(self.pairs.b.nodes)
        return self.work > MAX_WORK + MAX_WORK_OF_A_NODE * nodes

    def run(self) -> None:
        """Find the pairs. With too much work, the rest is paired by operators in their order."""
        for one, other in self.pairs.forth.items():
            self._number(one, other)
        self._search()
        if self.is_exhausted:
            self.pairs.is_by_order = True
            self._in_order()

    def _add(self, one: int, other: int) -> None:
        self.pairs.add(one, other)
        self._number(one, other)

    def _number(self, one: int, other: int) -> None:
        self.theirs[other] = self.numbers[one] = len(self.numbers)

    def _in_order(self) -> None:
        """Pair nodes of one operator, weights' shapes included, as they follow one another."""
        waiting: dict[Hashable, deque[int]] = defaultdict(deque)
        for at in self.pairs.a.order:
            if at not in self.pairs.forth:
                waiting[_sort(self.pairs.a, at)].append(at)
        for at in self.pairs.b.order:
            if at not in self.pairs.back and (found := waiting[_sort(self.pairs.b, at)]):
                self._add(found.popleft(), at)

    def _search(self) -> None:
        for _ in range(MAX_PASSES):
            before = len(self.pairs.forth)
            for level, views in STAGES:
                for choice in (UNIQUE, EVEN):
                    for view in views:
                        self._while_found(level, view, choice)
            for level in (NUMBERS, SHAPES, OPERATORS, THROUGH):
                for view in NEAR:
                    self._while_found(level, view, ANY)
            if len(self.pairs.forth) == before:
                return

    def _while_found(self, level: int, view: str, choice: int) -> None:
        while not self._is_done():
            before = len(self.numbers)
            if not self._match(level, view, choice):
                return
            if view in NEAR and level != THROUGH:
                self._spread(level, view, before)

    def _is_done(self) -> bool:
        paired = len(self.pairs.forth)
        is_whole = paired in (len(self.pairs.a.nodes), len(self.pairs.b.nodes))
        return is_whole or self.is_exhausted

    def _spread(self, level: int, view: str, first: int) -> None:
        """Pair the neighbours of the pairs from number `first` on, theirs, and so on: what `_match`
        would find pass by pass. Only their labels have changed, and who shares one of those shares
        the neighbour.
        """
        pairs = self.pairs
        new = [(one, pairs.forth[one]) for one, at in self.numbers.items() if at >= first]
        while new and not self.is_exhausted:
            near_a = _neighbours(pairs.a, [one for one, _ in new], self.numbers, view)
            near_b = _neighbours(pairs.b, [other for _, other in new], self.theirs, view)
            groups = self._groups(level, view, near_a, near_b)
            new = [(one[0], other[0]) for one, other in groups if len(one) == len(other) == 1]
            for one, other in new:
                self._add(one, other)

    def _match(self, level: int, view: str, choice: int) -> bool:
        """Add the pairs that this view shows. Were there any?"""
        groups = self._groups(level, view)
        single = [(one[0], other[0]) for one, other in groups if len(one) == len(other) == 1]
        if view == "own":
            single = _uncrossed(single, self.pairs)
        for one, other in single:
            self._add(one, other)
        if single or choice == UNIQUE:
            return bool(single)
        for ones, others in groups:
            if found := list(_by_names(self.pairs, ones, others)):
                for one, other in found:
                    self._add(one, other)
                return True
        if view == "own":
            return False
        alike = [each for each in groups if choice == ANY or len(each[0]) == len(each[1])]
        # Whichever is taken for which. One group at a time, so that what hangs on it follows.
        for ones, others in alike[:1]:
            for one, other in zip(sorted(ones), sorted(others), strict=False):
                self._add(one, other)
        return bool(alike)

    def _groups(
        self,
        level: int,
        view: str,
        near_a: set[int] | None = None,
        near_b: set[int] | None = None,
    ) -> list[tuple[list[int], list[int]]]:
        """The nodes without a pair that have the same label, of both sides; of those given alone."""
        pairs = self.pairs
        if near_a is None or near_b is None:
            self.work += len(pairs.a.nodes) + len(pairs.b.nodes) - 2 * len(pairs.forth) + 100
        else:
            self.work += len(near_a) + len(near_b)
        mine, theirs = self.places
        first, second = self.functions
        a = View(pairs.a, first, self.labels, level, paired=self.numbers, places=mine)
        b = View(pairs.b, second, self.labels, level, paired=self.theirs, places=theirs)
        groups: dict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for side, found in enumerate((a.of(view, near_a), b.of(view, near_b))):
            for at, label in found.items():
                groups[label][side].append(at)
        return [group for group in groups.values() if group[0] and group[1]]


def _neighbours(
    scope: Scope, places: Iterable[int], paired: Mapping[int, int], view: str
) -> set[int]:
    """The nodes without a pair whose label in this view says that one of these is beside them."""
    found: set[int] = set()
    for at in places:
        node = scope.nodes[at]
        if view != "after":
            found.update(each.at for _, each in node.sources() if each.kind == "node")
        if view != "before":
            found.update(
                use.node
                for output in range(len(node.outputs))
                for use in scope.readers(Source("node", at, output))
                if use.node >= 0 and use.port >= 0
            )
    return {at for at in found if at not in paired}


def _sort(scope: Scope, at: int) -> Hashable:
    node = scope.nodes[at]
    weights = (scope.weights[each.at] for each in node.inputs if each.kind == "weight")
    return (node.operator, tuple(weight.dims for weight in weights))


def _uncrossed(found: list[tuple[int, int]], pairs: Pairs) -> list[tuple[int, int]]:
    """Those whose order along the graph is the same on both sides: weights that have changed places
    are no sign of the node.
    """
    depth_a = _depths(pairs.a)
    depth_b = _depths(pairs.b)
    levels: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for one, other in found:
        levels[depth_a[one]].append((one, other))
    kept = {}
    deepest = -1
    for depth in sorted(levels):
        kept[depth] = [pair for pair in levels[depth] if depth_b[pair[1]] >= deepest]
        deepest = max(deepest, *(depth_b[other] for _, other in levels[depth]))
    shallowest = len(pairs.b.nodes)
    for depth in sorted(levels, reverse=True):
        kept[depth] = [pair for pair in kept[depth] if depth_b[pair[1]] <= shallowest]
        shallowest = min(shallowest, *(depth_b[other] for _, other in levels[depth]))
    return [pair for depth in sorted(kept) for pair in kept[depth]]


def _depths(scope: Scope) -> dict[int, int]:
    """How many nodes with weights stand before each node, on the longest way."""
    found: dict[int, int] = {}
    for at in scope.order:
        node = scope.nodes[at]
        above = [found.get(each.at, 0) for _, each in node.sources() if each.kind == "node"]
        own = any(each.kind == "weight" for each in node.inputs)
        found[at] = max(above, default=0) + own
    return found


def _by_names(pairs: Pairs, ones: list[int], others: list[int]) -> Iterator[tuple[int, int]]:
    """Pairs among nodes that are alike, by names that each side has once."""
    for signature in (_weight_names, _node_name, _output_names):
        mine = _unique(signature(pairs.a, pairs.a.nodes[at]) for at in ones)
        theirs = _unique(signature(pairs.b, pairs.b.nodes[at]) for at in others)
        found = [(ones[at], others[theirs[name]]) for name, at in mine.items() if name in theirs]
        if found:
            yield from found
            return


def _unique(names: Iterator[Hashable]) -> dict[Hashable, int]:
    """The names that stand once, with their place."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for at, name in enumerate(names):
        if name:
            places[name].append(at)
    return {name: at[0] for name, at in places.items() if len(at) == 1}


def _weight_names(scope: Scope, node: Node) -> Hashable:
    return tuple(scope.weights[source.at].name for source in node.inputs if source.kind == "weight")


def _node_name(_scope: Scope, node: Node) -> Hashable:
    return node.name


def _output_names(_scope: Scope, node: Node) -> Hashable:
    return tuple(filter(None, node.outputs))
