"""What changed between two scopes whose nodes are paired, and in the scopes inside them.

1. Nodes without a pair form regions. A region of A and one of B that stand at the same place (the
   same readers, or the same weights) are one change: so many nodes became so many others.
2. A region alone was removed, folded into a weight, merged with a node that computes the same, or
   added.
3. Of a pair, attributes and inputs are compared one by one. What a region explains is not told
   again.
4. Weights are compared once for each two that stand at the same place.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from difflib import SequenceMatcher
from typing import Any

from onnx import GraphProto, ValueInfoProto, defs

from formatlab.diff import folding, naming, numbers
from formatlab.diff.changes import Change, Kind
from formatlab.diff.matching import (
    COMMUTATIVE,
    SEE_THROUGH,
    Functions,
    Labels,
    Matcher,
    Pairs,
    captured_by,
)
from formatlab.diff.numbers import WeightChange
from formatlab.diff.scopes import NOTHING, Float, Key, Node, Scope, Source, Tensor, Use, Values
from formatlab.diff.types import Declared, Symbols, declared
from formatlab.diff.weights import Exact, Weight
from formatlab.diff.words import count, joined, listed, plain, quoted

# A node: the side that it is on, a or b, and its place.
Member = tuple[str, int]
# Regions of more nodes are not looked through for equal operators.
LONGEST = 1000
# How often what was found is looked at for what follows from it.
MAX_ROUNDS = 50
QUANTIZING = frozenset(
    {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "MatMulInteger"}
    | {"ConvInteger", "QLinearMatMul", "QLinearConv", "QLinearAdd", "DynamicQuantizeMatMul"}
    | {"MatMulIntegerToFloat", "QGemm", "QLinearAveragePool", "QLinearGlobalAveragePool"}
    | {"QLinearSigmoid", "QLinearMul", "QLinearLeakyRelu", "QLinearConcat", "QAttention"}
    | {"MatMulNBits", "DynamicQuantizeLSTM", "GatherBlockQuantized", "QLinearSoftmax"}
)


@dataclass(eq=False)
class Region:
    """Nodes of A that became nodes of B; one of the two may be empty."""

    a: list[int] = field(default_factory=list)
    b: list[int] = field(default_factory=list)


@dataclass(eq=False, kw_only=True)
class ScopeDiff:
    """Two scopes side by side. `number` counts them, 0 for the main graph; `inner` are the scopes
    inside, by the node of A that holds them.

    `gone` are the captured names of A that stand for a node which the graph around has lost, `new`
    those of B that stand for one which it gained. `instead` says what is read where a name of
    `gone` was.
    """

    number: int
    title: str
    pairs: Pairs
    regions: list[Region] = field(default_factory=list)
    inner: list[tuple[int, ScopeDiff]] = field(default_factory=list)
    gone: frozenset[int] = frozenset()
    new: frozenset[int] = frozenset()
    instead: list[tuple[int, Source]] = field(default_factory=list)


@dataclass(eq=False)
class Comparison:
    """Compares scopes, and collects what changed in them."""

    functions: tuple[Functions, Functions]
    labels: Labels
    _: KW_ONLY
    changes: list[Change] = field(default_factory=list)
    scopes: list[ScopeDiff] = field(default_factory=list)
    symbols: Symbols = field(default_factory=Symbols)

    def scope(
        self,
        a: Scope,
        b: Scope,
        title: str = "",
        *,
        inputs: Mapping[int, int] | None = None,
        outputs: Mapping[int, int] | None = None,
        outer: Mapping[int, int] | None = None,
        gone: Iterable[int] = (),
        new: Iterable[int] = (),
    ) -> ScopeDiff:
        """`inputs`, `outputs` and `outer` say which of A is which of B; by position by default."""
        if inputs is None:
            inputs = {at: at for at in range(min(len(a.inputs), len(b.inputs)))}
        if outputs is None:
            outputs = {at: at for at in range(min(len(a.outputs), len(b.outputs)))}
        pairs = Pairs(a=a, b=b, inputs=inputs, outputs=outputs, outer=outer or {})
        Matcher(pairs, self.functions, self.labels).run()
        found = ScopeDiff(
            number=len(self.scopes),
            title=title,
            pairs=pairs,
            gone=frozenset(gone),
            new=frozenset(new),
        )
        self.scopes.append(found)
        _Scopes(self, found).compare()
        return found


@dataclass(eq=False)
class _Scopes:
    """The comparison of two scopes."""

    whole: Comparison
    found: ScopeDiff
    _: KW_ONLY
    seen_weights: dict[tuple[int, int], list[tuple[Use, Use]]] = field(default_factory=dict)
    # What subgraphs read now where they read a value of this scope that is gone.
    instead: dict[Key, list[Source]] = field(default_factory=lambda: defaultdict(list))
    # BatchNormalizations of A that were folded, by the layer of A that they are in now.
    folds: dict[int, int] = field(default_factory=dict)

    @property
    def pairs(self) -> Pairs:
        return self.found.pairs

    @property
    def a(self) -> Scope:
        return self.found.pairs.a

    @property
    def b(self) -> Scope:
        return self.found.pairs.b

    def say(self, kind: Kind, text: str, **fields: Any) -> None:
        self.whole.changes.append(
            Change(kind=kind, text=text, where=self.found.title, scope=self.found.number, **fields)
        )

    def compare(self) -> None:
        self.broken_rules()
        self.found.regions = self.regions()
        self.folds = dict(self.folded())
        for one, other in sorted(self.pairs.forth.items()):
            self.pair(self.a.nodes[one], self.b.nodes[other])
        if self.instead:  # what subgraphs read says which region became which
            self.found.regions = self.grouped()
        for region in self.found.regions:
            self.region(region)
        self.outputs()
        self.weights()
        self.declarations()
        self.names()

    # 0. What no order and no names excuse

    def broken_rules(self) -> None:
        for name in sorted(set(self.b.twice) - set(self.a.twice)):
            self.say(
                Kind.INVALID,
                f"the name {quoted(name)} is written more than once now, which ONNX forbids",
                b=(plain(name),),
            )
        for name in sorted(set(self.a.twice) - set(self.b.twice)):
            self.say(
                Kind.INVALID,
                f"the name {quoted(name)} was written more than once, which ONNX forbids, and no longer is",
                a=(plain(name),),
            )
        if self.b.shadowing and not self.a.shadowing:
            name = self.b.shadowing[0]
            self.say(
                Kind.INVALID,
                f"{quoted(name)} is a name of the graph around as well now, which ONNX forbids",
                b=(plain(name),),
            )
        elif self.a.shadowing and not self.b.shadowing:
            name = self.a.shadowing[0]
            self.say(
                Kind.INVALID,
                f"{quoted(name)} was a name of the graph around as well, which ONNX forbids, and no longer is",
                a=(plain(name),),
            )
        if self.b.late and not self.a.late:
            at, name = self.b.late[0]
            is_node = at < len(self.b.nodes)
            reader = naming.called(self.b.nodes[at]) if is_node else "an output"
            self.say(
                Kind.INVALID,
                f"the nodes are not sorted any more: {reader} reads {quoted(name)}, which a node further down writes",
                b=(plain(name),),
                nodes_b=(at,) if is_node else (),
            )
        elif self.a.late and not self.b.late:
            self.say(
                Kind.INVALID, "the nodes are sorted now; before, one came ahead of what it reads"
            )

    # 1. Regions

    def regions(self) -> list[Region]:
        self.dissolve()
        for _ in range(MAX_ROUNDS):
            if self.pair_alike():
                continue
            groups = self.grouped()
            found = [self.same_operator(region) for region in groups]
            if not any(found):
                return groups
        return self.grouped()

    def dissolve(self) -> None:
        """Part pairs that have nothing in common but what reads them: one reads a weight where the
        other reads a node without a pair, and no input is the same. They are the end of something
        that was written anew.
        """
        for one, other in list(self.pairs.forth.items()):
            inputs = list(zip(self.a.nodes[one].inputs, self.b.nodes[other].inputs, strict=False))
            odd = any(
                {mine.kind, theirs.kind} == {"weight", "node"}
                and (self.is_gone(mine) or self.is_new(theirs))
                and not self.is_seen_through(mine, theirs)
                for mine, theirs in inputs
            )
            if odd and not any(self.is_common(*pair) for pair in inputs):
                del self.pairs.forth[one]
                del self.pairs.back[other]

    def is_seen_through(self, mine: Source, theirs: Source) -> bool:
        scope, source = (self.a, mine) if mine.kind == "node" else (self.b, theirs)
        return scope.nodes[source.at].kind in SEE_THROUGH

    def is_common(self, mine: Source, theirs: Source) -> bool:
        if mine.kind == theirs.kind == "weight":
            return self.a.weights[mine.at].dims == self.b.weights[theirs.at].dims
        if mine.kind in ("weight", "none"):
            return False
        return mine.kind == theirs.kind and self.pairs.counterpart(mine) == theirs.key

    def pair_alike(self) -> bool:
        """Pair nodes of one operator that give their values at the same place."""
        found = False
        for (_, one), (_, other) in self.alike(*self.left()):
            is_free = one not in self.pairs.forth and other not in self.pairs.back
            same = self.a.nodes[one].operator == self.b.nodes[other].operator
            if is_free and same and self.is_likely(one, other):
                self.pairs.add(one, other)
                found = True
        return found

    def left(self) -> tuple[list[int], list[int]]:
        """The nodes without a pair."""
        return (
            [at for at in self.a.order if at not in self.pairs.forth],
            [at for at in self.b.order if at not in self.pairs.back],
        )

    def same_operator(self, region: Region) -> bool:
        """Pair what is left of a region in the same order on both sides, as a diff of two lists of
        operators has it.
        """
        if not region.a or not region.b or max(len(region.a), len(region.b)) > LONGEST:
            return False
        mine = [self.a.nodes[at].operator for at in region.a]
        theirs = [self.b.nodes[at].operator for at in region.b]
        found = False
        for block in SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks():
            for step in range(block.size):
                one = region.a[block.a + step]
                other = region.b[block.b + step]
                if self.is_likely(one, other):
                    self.pairs.add(one, other)
                    found = True
        return found

    def is_likely(self, one: int, other: int) -> bool:
        """Can two nodes of one operator be one? Their weights decide, if they have any; then what
        they read, a name, or a reader. Nodes without weights may also go by their place alone.
        """
        first = self.a.nodes[one]
        second = self.b.nodes[other]
        weighted = False
        for mine, theirs in zip(first.inputs, second.inputs, strict=False):
            before = _stored(self.a, mine)
            after = _stored(self.b, theirs)
            if before is not None and after is not None:
                if before.dims != after.dims:
                    return False
                if len(before.dims) > 1:
                    return True
            elif mine.kind != "none" and self.pairs.counterpart(mine) == theirs.key:
                return True
            weighted = weighted or before is not None or after is not None
        if not weighted or (first.name and first.name == second.name):
            return True
        readers = {
            (self.pairs.forth[use.node], use.port)
            for use in self.a.readers(Source("node", one))
            if use.node in self.pairs.forth
        }
        return any(tuple(use) in readers for use in self.b.readers(Source("node", other)))

    def grouped(self) -> list[Region]:
        """Connected nodes without a pair, and those of A and B joined that stand at one place."""
        left_a, left_b = self.left()
        joint = _Joint()
        for member in (*(("a", at) for at in left_a), *(("b", at) for at in left_b)):
            joint.add(member)
        alike = self.alike(left_a, left_b)
        ends = {each for pair in alike for each in pair}
        for one, other in alike:
            joint.join(one, other)
        # A value that both sides have is an end: what comes after it is another region.
        for side, scope, left in (("a", self.a, set(left_a)), ("b", self.b, set(left_b))):
            for at in left:
                for _, source in scope.nodes[at].sources():
                    before = (side, source.at)
                    if source.kind == "node" and source.at in left and before not in ends:
                        joint.join((side, at), before)
        for at_a, at_b in self.by_weights(left_a, left_b):
            joint.join(("a", at_a), ("b", at_b))
        self.join_by_inputs(joint, left_a, left_b)
        found = [
            Region(
                sorted(at for side, at in group if side == "a"),
                sorted(at for side, at in group if side == "b"),
            )
            for group in joint.groups()
        ]
        rank_a = {at: number for number, at in enumerate(self.a.order)}
        rank_b = {at: number for number, at in enumerate(self.b.order)}
        for region in found:
            region.a.sort(key=rank_a.__getitem__)
            region.b.sort(key=rank_b.__getitem__)
        return sorted(found, key=lambda each: (min(each.a or each.b), not each.a))

    def alike(
        self, left_a: list[int], left_b: list[int]
    ) -> list[tuple[tuple[str, int], tuple[str, int]]]:
        """Nodes without a pair whose outputs stand at the same place."""
        in_a = set(left_a)
        in_b = set(left_b)
        near = dict(self.by_weights(left_a, left_b))
        found = [
            (("a", one[1]), ("b", other[1]))
            for one, other in self.places(near)
            if one[0] == other[0] == "node" and one[1] in in_a and other[1] in in_b
        ]
        return list(dict.fromkeys(found))

    def places(self, near: Mapping[int, int]) -> Iterator[tuple[Key, Key]]:
        """The keys of the values that stand at the same place: an input of a pair, or of two nodes
        that are `near`, or an output.
        """
        for one, other in (*self.pairs.forth.items(), *near.items()):
            first = self.a.nodes[one].inputs
            second = self.b.nodes[other].inputs
            for mine, theirs in zip(first, second, strict=False):
                yield mine.key, theirs.key
        for one, other in self.pairs.outputs.items():
            yield self.a.outputs[one].key, self.b.outputs[other].key
        for value, sources in self.instead.items():
            for source in sources:
                yield value, source.key

    def by_weights(self, left_a: list[int], left_b: list[int]) -> list[tuple[int, int]]:
        """Nodes without a pair that alone, on both sides, read the same numbers."""
        holders: dict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for side, scope, left in ((0, self.a, left_a), (1, self.b, left_b)):
            for at in left:
                for weight in _weights(scope, scope.nodes[at]):
                    if weight.size > 1:
                        holders[weight.fingerprint][side].append(at)
        return [
            (ones[0], others[0])
            for ones, others in holders.values()
            if len(ones) == len(others) == 1
        ]

    def join_by_inputs(self, joint: _Joint, left_a: list[int], left_b: list[int]) -> None:
        """Regions that nothing joined yet, and that read the same value: the last resort."""
        lonely: dict[Hashable, tuple[list[Member], list[Member]]] = defaultdict(lambda: ([], []))
        for side, scope, left in ((0, self.a, left_a), (1, self.b, left_b)):
            for at in left:
                member = ("ab"[side], at)
                if joint.is_one_sided(member):
                    for _, source in scope.nodes[at].sources():
                        key = self.pairs.counterpart(source) if not side else source.key
                        if source.kind in ("node", "input", "outer") and key is not None:
                            lonely[key][side].append(member)
        for ones, others in lonely.values():
            if len(ones) == len(others) == 1 and joint.are_one_sided(ones[0], others[0]):
                joint.join(ones[0], others[0])

    def folded(self) -> Iterator[tuple[int, int]]:
        """(layer, BatchNormalization) of A where the second is gone, and the pair of the first stands
        in its place with other weights.
        """
        for region in self.found.regions:
            if len(region.a) != 1 or region.b:
                continue
            norm = self.a.nodes[region.a[0]]
            data = norm.inputs[0] if norm.inputs else NOTHING
            if norm.kind != "BatchNormalization" or data.kind != "node":
                continue
            layer = self.a.nodes[data.at]
            other = self.pairs.forth.get(layer.at)
            alone = self.a.readers(data) == [Use(norm.at, 0)]
            if other is not None and alone and folding.is_layer(layer):
                now = self.b.nodes[other]
                if (
                    now.kind == layer.kind
                    and folding.explained(self.a, self.b, layer, norm, now) is not None
                ):
                    yield layer.at, norm.at

    def fold(self, layer: int, norm: int, fields: dict[str, Any]) -> None:
        now = self.b.nodes[self.pairs.forth[layer]]
        is_right = folding.explained(self.a, self.b, self.a.nodes[layer], self.a.nodes[norm], now)
        names = [
            quoted(self.b.weights[each.at].name)
            for each in now.inputs[1:3]
            if each.kind == "weight"
        ]
        has = f"{'weights' if len(names) > 1 else 'weight'} {joined(names)}"
        text = f"{naming.called(self.a.nodes[norm])} was folded into {naming.called(now)}, "
        several = len(names) > 1
        if is_right:
            text += f"whose {has} {'hold' if several else 'holds'} its scale and shift now"
        else:
            text += (
                f"but the {has} {'are' if several else 'is'} not what A's numbers give: "
                "its epsilon, mean or variance was left out, or is another"
            )
        many = "{count} BatchNormalization nodes were folded into the layers before them: {names}"
        if not is_right:
            many = "{count} BatchNormalization nodes were folded into the layers before them, with other numbers than A's give: {names}"
        self.say(
            Kind.FUSED,
            text,
            sort=("batch normalization", is_right),
            many=many,
            name=naming.called(now),
            **{
                **fields,
                "nodes_b": (now.at,),
                "b": naming.names(self.b, [now.at]),
                "details": {"folded": bool(is_right)},
            },
        )

    # 2. What became of a region

    def region(self, region: Region) -> None:
        fields = {
            "a": naming.names(self.a, region.a),
            "b": naming.names(self.b, region.b),
            "nodes_a": tuple(region.a),
            "nodes_b": tuple(region.b),
        }
        if region.a and region.b:
            self.became(region, fields)
        elif region.a and (layers := [at for at, norm in self.folds.items() if [norm] == region.a]):
            self.fold(layers[0], region.a[0], fields)
        elif region.a:
            self.gone(region, fields)
        else:
            self.new(region, fields)

    def became(self, region: Region, fields: dict[str, Any]) -> None:
        before = naming.nodes(self.a, region.a)
        after = naming.nodes(self.b, region.b)
        kinds_a = {self.a.nodes[at].kind for at in region.a}
        kinds_b = {self.b.nodes[at].kind for at in region.b}
        pattern = (
            naming.operators(self.a.nodes[at] for at in region.a),
            naming.operators(self.b.nodes[at] for at in region.b),
        )
        if kinds_b & QUANTIZING and not kinds_a & QUANTIZING:
            kind = Kind.QUANTIZED
            verb = "was quantized and became"
        elif len(region.a) == len(region.b) == 1:
            kind = Kind.REPLACED
            verb = "became"
        elif len(region.b) < len(region.a):
            kind = Kind.FUSED
            verb = "became"
        elif len(region.b) > len(region.a):
            kind = Kind.SPLIT
            verb = "became"
        else:
            kind = Kind.REPLACED
            verb = "became"
        if kind == Kind.QUANTIZED and len(region.a) > 1:
            verb = "were quantized and became"
        text = f"{before} {verb} {after}{self.unknown(region)}"
        if len(region.a) == len(region.b) == 1:
            one = self.a.nodes[region.a[0]]
            other = self.b.nodes[region.b[0]]
            if one.name and one.name == other.name:
                text = f"{quoted(one.name)} was {_article(one)} and is {_article(other)}"
                text += self.unknown(region)
        many = f"in {{count}} places, {{{{0}}}} {verb} {{{{1}}}}: {{names}}"
        many = many.replace("{{0}}", _braced(pattern[0])).replace("{{1}}", _braced(pattern[1]))
        last = self.b.nodes[region.b[-1]]
        self.say(
            kind,
            text,
            sort=("became", pattern),
            many=many,
            name=f"{before} → {after}"
            if len(region.a) + len(region.b) <= 4
            else naming.called(last),
            **fields,
        )

    def unknown(self, region: Region) -> str:
        """Of a new operator that does not exist."""
        found = [
            node
            for node in (self.b.nodes[at] for at in region.b)
            if "::" not in node.operator and not node.is_call and not defs.has(node.operator)
        ]
        return f"; {quoted(found[0].operator)} is no operator of ONNX" if found else ""

    def gone(self, region: Region, fields: dict[str, Any]) -> None:
        what = naming.nodes(self.a, region.a)
        were = "was" if len(region.a) == 1 else "were"
        pattern = naming.operators(self.a.nodes[at] for at in region.a)
        uses = list(self.readers_outside(self.a, region.a))
        sources = [
            source
            for value, use in uses
            for source in self.read_instead(value, use)
            if source is not None
        ]
        if not uses:
            text = (
                f"{what} {were} removed; nothing read what {'it' if were == 'was' else 'they'} gave"
            )
            self.say(
                Kind.REMOVED,
                text,
                sort=("dead", pattern),
                many=f"{{count}} times, {_braced(pattern)} {were} removed, which nothing read: {{names}}",
                name=what,
                **fields,
            )
            return
        if sources and all(source.kind == "weight" for source in sources):
            if self.depends_on_input(region):
                self.made_constant(region, sources, fields)
                return
            into = joined(list(dict.fromkeys(naming.value(self.b, each) for each in sources))[:4])
            self.say(
                Kind.FOLDED,
                f"{what} {were} computed beforehand and {'is' if were == 'was' else 'are'} now the weight {into}",
                sort=("folded", pattern),
                many=f"{{count}} times, {_braced(pattern)} {were} computed beforehand and became a weight: {{names}}",
                name=what,
                **fields,
            )
            return
        if twin := self.twin(region, sources):
            self.say(
                Kind.MERGED,
                f"{what} {were} merged with {twin}, which computes the same",
                sort=("merged", pattern),
                many=f"{{count}} times, {_braced(pattern)} {were} merged with nodes that compute the same: {{names}}",
                name=what,
                **fields,
            )
            return
        through = self.read_by(region)
        if sources and all(self.is_counterpart(source, through) for source in sources):
            reads = joined(list(dict.fromkeys(naming.value(self.b, each) for each in sources))[:4])
            many = f"{{count}} times, {_braced(pattern)} {were} removed, and what read the result reads what went in: {{names}}"
            if len(region.a) == 1:
                many = f"{{count}} {_braced(pattern)} nodes were removed, and what read them reads what they read: {{names}}"
            self.say(
                Kind.REMOVED,
                f"{what} {were} removed; what read {'it' if were == 'was' else 'them'} reads {reads}",
                sort=("removed", pattern),
                many=many,
                name=what,
                **fields,
            )
            return
        them = "it" if were == "was" else "them"
        self.say(
            Kind.REMOVED,
            f"{what} {were} removed{self.read_now(sources, them)}",
            sort=("gone", pattern, bool(sources)),
            many=f"{{count}} times, {_braced(pattern)} {were} removed: {{names}}",
            name=what,
            **fields,
        )
        return

    def read_now(self, sources: list[Source], them: str) -> str:
        """What is read where a region gave its values: other values, and names that nobody writes."""
        missing = [each for each in sources if self.is_missing(each)]
        there = [each for each in sources if not self.is_missing(each)]
        parts = []
        for some, end in ((there, " now"), (missing, ", which nothing writes")):
            names = list(dict.fromkeys(naming.value(self.b, each) for each in some))
            if names:
                parts.append(f"{listed(names)}{end}")
        return f"; what read {them} reads {', and '.join(parts)}" if parts else ""

    def is_missing(self, source: Source) -> bool:
        return source.kind == "missing" or (
            source.kind == "outer" and self.b.captures[source.at] in self.b.unwritten
        )

    def depends_on_input(self, region: Region) -> bool:
        stack = list(region.a)
        seen = set(region.a)
        while stack:
            for _, source in self.a.nodes[stack.pop()].sources():
                if source.kind in ("input", "outer"):
                    return True
                if source.kind == "node" and source.at not in seen:
                    seen.add(source.at)
                    stack.append(source.at)
        return False

    def made_constant(self, region: Region, sources: list[Source], fields: dict[str, Any]) -> None:
        what = naming.nodes(self.a, region.a)
        were = "was" if len(region.a) == 1 else "were"
        into = joined(list(dict.fromkeys(naming.value(self.b, each) for each in sources))[:4])
        self.say(
            Kind.REPLACED,
            f"{what} {were} replaced by the weight {into}, which no longer depends on the inputs",
            **fields,
        )

    def twin(self, region: Region, sources: list[Source]) -> str:
        """The node that computes what a removed one did, where its readers read that one now."""
        if len(region.a) != 1 or not sources or {each.kind for each in sources} != {"node"}:
            return ""
        gone = self.a.nodes[region.a[0]]
        [*others] = {self.pairs.back.get(source.at) for source in sources}
        if len(others) != 1 or others[0] is None:
            return ""
        other = self.a.nodes[others[0]]
        mine = (gone.operator, gone.particular, [self.content(each) for each in gone.inputs])
        theirs = (other.operator, other.particular, [self.content(each) for each in other.inputs])
        return naming.called(self.b.nodes[sources[0].at]) if mine == theirs else ""

    def content(self, source: Source) -> Hashable:
        return Exact(self.a.weights[source.at]) if source.kind == "weight" else source.key

    def broken_value(self, source: Source) -> str:
        shown = naming.value(self.b, source)
        return f"{shown}, which nothing writes" if self.is_missing(source) else shown

    def read_by(self, region: Region) -> list[Source]:
        """What a region of A reads from outside of it."""
        inside = set(region.a)
        return [
            source
            for at in region.a
            for _, source in self.a.nodes[at].sources()
            if not (source.kind == "node" and source.at in inside)
        ]

    def is_counterpart(self, source: Source, candidates: list[Source]) -> bool:
        """Is a value of B one of these of A?"""
        if source.kind == "weight":
            mine = self.b.weights[source.at]
            return any(
                each.kind == "weight" and self.a.weights[each.at].equals(mine)
                for each in candidates
            )
        return source.kind != "missing" and any(
            self.pairs.counterpart(each) == source.key for each in candidates
        )

    def readers_outside(self, scope: Scope, places: Iterable[int]) -> Iterator[tuple[Source, Use]]:
        inside = set(places)
        for at in inside:
            for output in range(len(scope.nodes[at].outputs)):
                source = Source("node", at, output)
                for use in scope.readers(source):
                    if use.node not in inside:
                        yield source, use

    def read_instead(self, value: Source, use: Use) -> list[Source | None]:
        """What is read in B where A had this use of a value."""
        if use.node < 0:
            to = self.pairs.outputs.get(use.port)
            return [None if to is None else self.b.outputs[to]]
        other = self.pairs.forth.get(use.node)
        if other is None:
            return []
        if use.port < 0:
            return list(self.instead.get(value.key, ()))
        inputs = self.b.nodes[other].inputs
        return [inputs[use.port] if use.port < len(inputs) else None]

    def new(self, region: Region, fields: dict[str, Any]) -> None:
        what = naming.nodes(self.b, region.b)
        kinds = {self.b.nodes[at].kind for at in region.b}
        pattern = naming.operators(self.b.nodes[at] for at in region.b)
        were = "was" if len(region.b) == 1 else "were"
        before = self.weight_before(region)
        if before is not None and kinds <= QUANTIZING:
            self.weight_quantized(region, before, fields)
            return
        kind = Kind.QUANTIZED if kinds & QUANTIZING else Kind.ADDED
        where = self.between(region)
        self.say(
            kind,
            f"{what} {were} added{where}",
            sort=("added", pattern),
            many=f"in {{count}} places, {_braced(pattern)} {were} added: {{names}}",
            name=what if len(region.b) <= 2 else naming.called(self.b.nodes[region.b[-1]]),
            **fields,
        )

    def between(self, region: Region) -> str:
        """Where in the graph, in words."""
        inside = set(region.b)
        reads = [
            source
            for at in region.b
            for _, source in self.b.nodes[at].sources()
            if source.kind in ("node", "input", "outer", "missing")
            and not (source.kind == "node" and source.at in inside)
        ]
        start = list(dict.fromkeys(naming.value(self.b, each) for each in reads))
        readers = [use for _, use in self.readers_outside(self.b, region.b)]
        ends = list(
            dict.fromkeys(
                naming.called(self.b.nodes[use.node])
                if use.node >= 0
                else f"the output {quoted(self.b.output_names[use.port])}"
                for use in readers
            )
        )
        if not ends:
            return ", and nothing reads the result"
        if not start:
            return f" before {listed(ends)}"
        return f" after {listed(start)} and before {listed(ends)}"

    def weight_before(self, region: Region) -> Weight | None:
        """The weight of A that stood where a region of B gives its value."""
        found = set()
        back = {other: one for one, other in self.pairs.outputs.items()}
        for _, use in self.readers_outside(self.b, region.b):
            if use.node < 0:
                source = self.a.outputs[back[use.port]] if use.port in back else None
            else:
                one = self.pairs.back.get(use.node)
                inputs = self.a.nodes[one].inputs if one is not None else []
                source = inputs[use.port] if 0 <= use.port < len(inputs) else None
            if source is None or source.kind != "weight":
                return None
            found.add(source.at)
        return self.a.weights[found.pop()] if len(found) == 1 else None

    def weight_quantized(self, region: Region, before: Weight, fields: dict[str, Any]) -> None:
        node = self.b.nodes[region.b[-1]]
        stored = [source for source in node.inputs if source.kind == "weight"]
        kind = "integers"
        grain = ""
        lost = ""
        details: dict[str, Any] = {}
        if stored and node.inputs[0].kind == "weight":
            codes = self.b.weights[node.inputs[0].at]
            kind = codes.type_name
            scales = self.b.weights[stored[1].at] if len(stored) > 1 else None
            if scales is not None:
                grain = ", with one scale" if scales.size == 1 else f", with {scales.size} scales"
            decibels = _kept(before, codes, [self.b.weights[each.at] for each in stored[1:]], node)
            if decibels is not None:
                lost = f"; its SQNR is {decibels:.0f} dB"
                details = {"sqnr_db": round(decibels, 1)}
        details |= {"to": kind}
        self.say(
            Kind.QUANTIZED,
            f"the weight {quoted(before.name)} was quantized to {kind}{grain}{lost}",
            sort=("weight quantized", kind),
            many=f"{{count}} weights were quantized to {kind}: {{names}}",
            name=quoted(before.name),
            details=details,
            **{**fields, "a": (plain(before.name),)},
        )

    # 3. Pairs

    def pair(self, one: Node, other: Node) -> None:
        self.attributes(one, other)
        self.inputs(one, other)
        self.subgraphs(one, other)
        if one.operator != other.operator and not self.call_the_same(one, other):
            self.say(
                Kind.REPLACED,
                f"{naming.called(one)} became {naming.called(other)}",
                nodes_a=(one.at,),
                nodes_b=(other.at,),
            )
        elif one.is_call != other.is_call:
            verb = "is a function of the model now" if other.is_call else "is none any more"
            before = (
                "was no function of the model" if other.is_call else "was a function of the model"
            )
            self.say(
                Kind.REPLACED,
                f"{naming.called(other)} calls {quoted(other.operator)}, which {before} and {verb}",
                nodes_a=(one.at,),
                nodes_b=(other.at,),
            )

    def call_the_same(self, one: Node, other: Node) -> bool:
        """Do both call a function, and are the two functions one under two names?"""
        mine, theirs = self.whole.functions
        is_call = one.is_call and other.is_call
        return is_call and mine(one.operator) == theirs(other.operator)

    def attributes(self, one: Node, other: Node) -> None:
        names = sorted({*one.attributes, *other.attributes})
        for name in names:
            before = one.attributes.get(name, one.defaults.get(name))
            after = other.attributes.get(name, other.defaults.get(name))
            if before == after:
                continue
            label = f"the attribute {quoted(name)} of {naming.called(other)}"
            change = attribute_change(before, after)
            self.say(
                Kind.ATTRIBUTE,
                f"{label} {change}",
                sort=(other.operator, name, change),
                many=f"the attribute {_braced(quoted(name))} of {{count}} {_braced(plain(other.operator))} nodes {_braced(change)}: {{names}}",
                name=naming.called(other),
                a=(plain(one.name or name),),
                b=(plain(other.name or name),),
                nodes_a=(one.at,),
                nodes_b=(other.at,),
                details={
                    "attribute": plain(name),
                    "from": attribute_text(before),
                    "to": attribute_text(after),
                },
            )

    def inputs(self, one: Node, other: Node) -> None:
        for port in range(max(len(one.inputs), len(other.inputs))):
            mine = _input(one, port)
            theirs = _input(other, port)
            if one.at in self.folds and port in (1, 2):  # the fold explains them
                continue
            if mine.kind == theirs.kind == "weight":
                uses = (Use(one.at, port), Use(other.at, port))
                self.seen_weights.setdefault((mine.at, theirs.at), []).append(uses)
        moved = [
            port
            for port in range(max(len(one.inputs), len(other.inputs)))
            if not self.is_same(one, other, port) and not (one.at in self.folds and port == 2)
        ]
        if moved and self.changed_places(one, other, moved):
            return
        for port in moved:
            mine = _input(one, port)
            theirs = _input(other, port)
            if not self.moved_weight(mine, theirs):
                self.rewired(one, other, port)

    def is_same(self, one: Node, other: Node, port: int) -> bool:
        """Is it the same value, or one that another change explains?"""
        mine = _input(one, port)
        theirs = _input(other, port)
        if mine.kind == theirs.kind == "weight":
            return True  # weights are compared by themselves
        if mine.kind == theirs.kind == "missing":
            return True
        if mine.kind == "node" and mine.at not in self.pairs.forth:
            return True
        if theirs.kind == "node" and theirs.at not in self.pairs.back:
            return True
        if mine.kind == "outer" and mine.at in self.found.gone:
            self.found.instead.append((mine.at, theirs))
            return True
        if theirs.kind == "outer" and theirs.at in self.found.new:
            return True
        return mine.kind == theirs.kind and self.pairs.counterpart(mine) == theirs.key

    def changed_places(self, one: Node, other: Node, moved: list[int]) -> bool:
        if len(moved) != 2 or max(moved) >= min(len(one.inputs), len(other.inputs)):
            return False
        first, second = moved
        if not all(
            self.is_counterpart(other.inputs[here], [one.inputs[there]])
            for here, there in ((first, second), (second, first))
        ):
            return False
        harmless = one.kind in COMMUTATIVE
        numbered = f"the inputs {first + 1} and {second + 1} of"
        text = f"{numbered} {naming.called(other)} have changed places"
        text += f", which makes no difference to {plain(one.kind)}" if harmless else ""
        same = ", which makes no difference" if harmless else ""
        self.say(
            Kind.REWIRED,
            text,
            sort=("places", one.operator, first, second),
            many=f"{numbered} {{count}} {_braced(plain(one.operator))} nodes have changed places{same}: {{names}}",
            name=naming.called(other),
            nodes_a=(one.at,),
            nodes_b=(other.at,),
            details={"harmless": harmless},
        )
        return True

    def moved_weight(self, mine: Source, theirs: Source) -> bool:
        """A weight that a subgraph stores now, or the graph around it, with the same numbers."""
        if {mine.kind, theirs.kind} != {"weight", "outer"}:
            return False
        before = _weight_of(self.a, mine)
        after = _weight_of(self.b, theirs)
        if before is None or after is None or not before.equals(after):
            return False
        inwards = theirs.kind == "weight"
        start = "the graph around"
        end = "the subgraph"
        if not inwards:
            start, end = end, start
        self.say(
            Kind.STORED,
            f"the weight {quoted(after.name)} moved from {start} into {end}; its numbers are the same",
            sort=("moved", inwards, self.found.number),
            many=f"{{count}} weights moved from {start} into {end}, with the same numbers: {{names}}",
            name=quoted(after.name),
            a=(plain(before.name),),
            b=(plain(after.name),),
        )
        return True

    def rewired(self, one: Node, other: Node, port: int) -> None:
        mine = _input(one, port)
        theirs = _input(other, port)
        before = naming.value(self.a, mine)
        after = self.broken_value(theirs)
        which = f"input {port + 1} of {naming.called(other)}"
        sort = ""
        many = ""
        if before == after and mine.kind != theirs.kind and theirs.kind != "missing":
            text = f"{which} came from {self.giver(self.a, mine)} and comes from {self.giver(self.b, theirs)}"
        elif mine.kind == "none":
            text = f"{naming.called(other)} reads one input more, number {port + 1}: {after}"
            sort = "more"
            many = f"read one input more, number {port + 1}"
        elif theirs.kind == "none":
            text = f"{naming.called(other)} does not read {before} any more, its input {port + 1}"
            sort = "less"
            many = f"do not read their input {port + 1} any more"
        elif mine.kind == "weight":
            text = f"{which} was the weight {before} and is {after}"
        elif theirs.kind == "weight":
            text = f"{which} was {before} and is the weight {after}"
        elif before == after:
            now = self.giver(self.b, theirs)
            then = self.giver(self.a, mine)
            text = f"{which} is called {after} as before, and comes from {now} where it came from {then}"
        else:
            text = f"{which} was {before} and is {after}"
        self.say(
            Kind.REWIRED,
            text,
            sort=("input", sort, one.operator, port) if sort else None,
            many=f"{{count}} {_braced(plain(one.operator))} nodes {many}: {{names}}",
            name=naming.called(other),
            a=naming.names(self.a, [one.at]),
            b=naming.names(self.b, [other.at]),
            nodes_a=(one.at,),
            nodes_b=(other.at,),
            details={"input": port + 1},
        )

    def subgraphs(self, one: Node, other: Node) -> None:
        theirs = dict(other.subgraphs)
        mine = dict(one.subgraphs)
        for name in sorted(mine.keys() ^ theirs.keys()):
            verb = "is gone" if name in mine else "is new"
            self.say(
                Kind.ATTRIBUTE,
                f"the subgraph {quoted(name)} of {naming.called(other)} {verb}",
                nodes_a=(one.at,),
                nodes_b=(other.at,),
            )
        for name, graph in one.subgraphs:
            if name not in theirs:
                continue
            title = f"the {plain(name)} of {naming.called(other)}"
            if self.found.title:
                title += f", in {self.found.title}"
            before = captured_by(one, graph)
            after = captured_by(other, theirs[name])
            inner = self.whole.scope(
                graph,
                theirs[name],
                title,
                outer=self.captured(before, after),
                gone=[at for at, each in enumerate(before) if self.is_gone(each)],
                new=[at for at, each in enumerate(after) if self.is_new(each)],
            )
            self.found.inner.append((one.at, inner))
            for at, source in inner.instead:
                self.remember(before[at], source, after)

    def is_gone(self, source: Source) -> bool:
        if source.kind == "outer":
            return source.at in self.found.gone
        return source.kind == "node" and source.at not in self.pairs.forth

    def is_new(self, source: Source) -> bool:
        if source.kind == "outer":
            return source.at in self.found.new
        return source.kind == "node" and source.at not in self.pairs.back

    def remember(self, value: Source, inner: Source, after: list[Source]) -> None:
        """A subgraph reads `inner` where it read `value`, which this scope or one around it lost."""
        now = after[inner.at] if inner.kind == "outer" else Source("inside", inner.at, 0, "")
        if value.kind == "outer":
            self.found.instead.append((value.at, now))
        else:
            self.instead[value.key].append(now)

    def captured(self, before: list[Source], after: list[Source]) -> dict[int, int]:
        """Which captured name of A's subgraph is which of B's: those that stand for one value."""
        found: dict[int, int] = {}
        free = dict(enumerate(after))
        for at, source in enumerate(before):
            for place, each in list(free.items()):
                if self.stands_for(source, each):
                    found[at] = place
                    del free[place]
                    break
        return found

    def stands_for(self, mine: Source, theirs: Source) -> bool:
        if mine.kind == theirs.kind == "weight":
            same = self.a.weights[mine.at].fingerprint == self.b.weights[theirs.at].fingerprint
            if same or self.a.weights[mine.at].name == self.b.weights[theirs.at].name:
                self.seen_weights.setdefault((mine.at, theirs.at), [])
                return True
            return False
        if mine.kind == theirs.kind == "missing":
            return True
        return mine.kind == theirs.kind and self.pairs.counterpart(mine) == theirs.key

    def outputs(self) -> None:
        """Outputs of the scope that are other values than before."""
        for one, other in self.pairs.outputs.items():
            mine = self.a.outputs[one]
            theirs = self.b.outputs[other]
            if mine.kind == theirs.kind == "weight":
                self.seen_weights.setdefault((mine.at, theirs.at), [])
                continue
            if mine.kind == "node" and mine.at not in self.pairs.forth:
                continue
            if theirs.kind == "node" and theirs.at not in self.pairs.back:
                continue
            if mine.kind == "outer" and mine.at in self.found.gone:
                self.found.instead.append((mine.at, theirs))
                continue
            if theirs.kind == "outer" and theirs.at in self.found.new:
                continue
            if mine.kind == theirs.kind == "missing":
                continue
            if mine.kind == theirs.kind and self.pairs.counterpart(mine) == theirs.key:
                continue
            name = quoted(self.b.output_names[other])
            if theirs.kind == "missing":
                text = f"nothing writes the output {name} any more"
            else:
                giver = self.giver(self.a, mine)
                text = f"the output {name} came from {giver} and comes from {self.giver(self.b, theirs)}"
            self.say(Kind.REWIRED, text, b=(plain(self.b.output_names[other]),))

    def giver(self, scope: Scope, source: Source) -> str:
        if source.kind == "node":
            return naming.called(scope.nodes[source.at])
        kinds = {"input": "the input", "weight": "the weight", "outer": "the outer value"}
        return f"{kinds.get(source.kind, '')} {naming.value(scope, source)}".strip()

    # 4. Weights

    def weights(self) -> None:
        changes = {pair: numbers.compare(*self.weights_of(pair)) for pair in self.seen_weights}
        swapped = self.swapped([pair for pair, each in changes.items() if each is not None])
        for pair, each in changes.items():
            a, b = self.weights_of(pair)
            if each is None:
                self.stored(a, b)
            elif pair not in swapped:
                self.weight(pair, each)
        self.unread()

    def weights_of(self, pair: tuple[int, int]) -> tuple[Weight, Weight]:
        return self.a.weights[pair[0]], self.b.weights[pair[1]]

    def swapped(self, changed: list[tuple[int, int]]) -> set[tuple[int, int]]:
        """Weights that stand in one another's place."""
        holds = {
            (Exact(self.a.weights[one]), Exact(self.b.weights[other])): (one, other)
            for one, other in changed
        }
        found: set[tuple[int, int]] = set()
        for (before, after), pair in holds.items():
            back = holds.get((after, before))
            if back is None or before == after or pair in found:
                continue
            found |= {pair, back}
            names = [quoted(self.b.weights[each[1]].name) for each in (pair, back)]
            self.say(
                Kind.VALUES,
                f"the numbers of the weights {joined(names)} have changed places",
                a=tuple(plain(self.a.weights[each[0]].name) for each in (pair, back)),
                b=tuple(plain(self.b.weights[each[1]].name) for each in (pair, back)),
                **self.users_of((pair, back)),
            )
        return found

    def weight(self, pair: tuple[int, int], change: WeightChange) -> None:
        a, b = self.weights_of(pair)
        name = quoted(b.name)
        was = f" (it was {quoted(a.name)})" if _is_other_name(a, b) else ""
        many = f"{{count}} weights {_braced(_plural(change.text))}: {{names}}"
        if change.sort == "numbers":
            many = "{count} weights have other numbers: {names}"
        elif change.kind in (Kind.RETYPED, Kind.RESIZED, Kind.QUANTIZED):
            many = _several(change, a, b)
        share = change.details.get("relative_difference")
        label = name
        if change.sort == "numbers" and share is not None:
            label = f"{name} ({numbers.share(share)})"
        self.say(
            change.kind,
            f"the weight {name}{was} {change.text}",
            sort=("weight", change.sort),
            many=many,
            name=label,
            a=(plain(a.name),),
            b=(plain(b.name),),
            details=change.details,
            **self.users_of((pair,)),
        )

    def users_of(self, found: Iterable[tuple[int, int]]) -> dict[str, tuple[int, ...]]:
        uses = [use for pair in found for use in self.seen_weights[pair]]
        return {
            "nodes_a": tuple(dict.fromkeys(one.node for one, _ in uses)),
            "nodes_b": tuple(dict.fromkeys(other.node for _, other in uses)),
        }

    def stored(self, a: Weight, b: Weight) -> None:
        """The same numbers, kept elsewhere."""
        if a.is_input != b.is_input and not self.found.title:
            verb = "can be fed" if b.is_input else "cannot be fed any more"
            self.say(
                Kind.INTERFACE,
                f"the weight {quoted(b.name)} {verb} as an input",
                sort=("fed", b.is_input),
                many=f"{{count}} weights {verb} as inputs: {{names}}",
                name=quoted(b.name),
                b=(plain(b.name),),
            )
        before = _kept_in(a)
        after = _kept_in(b)
        if before == after:
            return
        self.say(
            Kind.STORED,
            f"the weight {quoted(b.name)} moved from {before} to {after}; its numbers are the same",
            sort=("stored", before, after),
            many=f"{{count}} weights moved from {_braced(before)} to {_braced(after)}, with the same numbers: {{names}}",
            name=quoted(b.name),
            a=(plain(a.name),),
            b=(plain(b.name),),
            details={"from": a.storage, "to": b.storage},
        )

    def unread(self) -> None:
        """Weights that one side stores and nothing reads."""
        for kind, scope, other in (
            (Kind.REMOVED, self.a, self.b),
            (Kind.ADDED, self.b, self.a),
        ):
            # What one side has more often than the other counts as often.
            there = Counter(map(Exact, _idle(other)))
            stored = {(weight.name, Exact(weight)) for weight in other.weights}
            for weight in _idle(scope):
                numbers_of = Exact(weight)
                if there[numbers_of]:
                    there[numbers_of] -= 1
                    continue
                is_left = (weight.name, numbers_of) in stored
                text, many = _of_idle(kind, is_left)
                name = quoted(weight.name)
                side = "a" if kind == Kind.REMOVED else "b"
                self.say(
                    kind,
                    f"the weight {name} {text}",
                    sort=("unread", text),
                    many=f"{{count}} weights {many}: {{names}}",
                    name=name,
                    **{side: (plain(weight.name),)},
                )

    # 5. Declarations and names

    def declarations(self) -> None:
        """Types that both graphs declare for one inner value."""
        if not (isinstance(self.a.proto, GraphProto) and isinstance(self.b.proto, GraphProto)):
            return
        mine = _declared(self.a)
        theirs = _declared(self.b)
        only = [0, 0]
        for one, other in self.pairs.forth.items():
            outputs = zip(self.a.nodes[one].outputs, self.b.nodes[other].outputs, strict=False)
            for name, their_name in outputs:
                before = mine.get(name)
                after = theirs.get(their_name)
                if before is None or after is None:
                    only[0] += before is not None
                    only[1] += after is not None
                elif before.contradicts(after):
                    self.declared_anew(their_name, before, after, one, other)
        if self.found.title:  # those of the main graph are the model's interface
            self.borders(self.a.proto, self.b.proto)
        for side, number in zip(("A", "B"), only, strict=True):
            if number:
                noun = count(number, "inner value")
                self.say(Kind.ANNOTATIONS, f"only {side} declares the shape of {noun}")

    def borders(self, a: GraphProto, b: GraphProto) -> None:
        """What a subgraph declares of its own inputs and outputs."""
        for noun, mine, theirs, which in (
            ("output", a.output, b.output, self.pairs.outputs),
            ("input", a.input, b.input, self.pairs.inputs),
        ):
            if len(mine) != len(theirs):
                before = count(len(mine), noun)
                after = count(len(theirs), noun)
                self.say(Kind.INTERFACE, f"the subgraph had {before} and has {after}")
            named = {"output": (self.a.output_names, self.b.output_names)}
            names, others = named.get(noun, (self.a.inputs, self.b.inputs))
            first = _placed(mine, names)
            second = _placed(theirs, others)
            for one, other in which.items():
                before_type = first.get(one)
                after_type = second.get(other)
                if (
                    before_type is not None
                    and after_type is not None
                    and before_type.contradicts(after_type)
                ):
                    self.declared_anew(others[other], before_type, after_type)

    def declared_anew(self, name: str, before: Declared, after: Declared, *nodes: int) -> None:
        is_type = before.element != after.element
        old, new = (before.element, after.element) if is_type else (str(before), str(after))
        self.say(
            Kind.RETYPED if is_type else Kind.RESIZED,
            f"the value {quoted(name)} is declared as {after}, and was declared as {before}",
            sort=("declared", old, new),
            many=f"{{count}} values are declared as {_braced(new)}, and were declared as {_braced(old)}: {{names}}",
            name=quoted(name),
            b=(plain(name),),
            nodes_a=nodes[:1],
            nodes_b=nodes[1:],
            details={"from": str(before), "to": str(after)},
        )

    def names(self) -> None:
        renamed = sum(
            self.a.nodes[one].name != self.b.nodes[other].name
            or self.a.nodes[one].outputs != self.b.nodes[other].outputs
            for one, other in self.pairs.forth.items()
        )
        renamed += sum(
            self.a.weights[one].name != self.b.weights[other].name
            for one, other in self.seen_weights
        )
        if renamed:
            self.say(
                Kind.NAMES,
                f"{count(renamed, 'node or value', 'nodes and values')} have other names",
            )
        order = [self.pairs.forth[at] for at in range(len(self.a.nodes)) if at in self.pairs.forth]
        if order != sorted(order):
            self.say(Kind.ORDER, "the nodes stand in another order")


class _Joint:
    """Sets of nodes that grow together."""

    def __init__(self) -> None:
        self.parent: dict[tuple[str, int], tuple[str, int]] = {}
        self.sides: dict[tuple[str, int], set[str]] = {}

    def add(self, member: tuple[str, int]) -> None:
        if member not in self.parent:
            self.parent[member] = member
            self.sides[member] = {member[0]}

    def root(self, member: tuple[str, int]) -> tuple[str, int]:
        while self.parent[member] != member:
            self.parent[member] = self.parent[self.parent[member]]
            member = self.parent[member]
        return member

    def join(self, one: tuple[str, int], other: tuple[str, int]) -> None:
        self.add(one)
        self.add(other)
        first = self.root(one)
        second = self.root(other)
        if first != second:
            self.parent[second] = first
            self.sides[first] |= self.sides[second]

    def is_one_sided(self, member: tuple[str, int]) -> bool:
        return len(self.sides[self.root(member)]) == 1

    def are_one_sided(self, *members: tuple[str, int]) -> bool:
        return all(map(self.is_one_sided, members))

    def groups(self) -> list[list[tuple[str, int]]]:
        found: dict[tuple[str, int], list[tuple[str, int]]] = defaultdict(list)
        for member in self.parent:
            found[self.root(member)].append(member)
        return list(found.values())


def _input(node: Node, port: int) -> Source:
    return node.inputs[port] if port < len(node.inputs) else NOTHING


def _stored(scope: Scope, source: Source) -> Weight | None:
    """The weight behind a source, seen through nodes that only change its type."""
    seen: set[int] = set()
    while source.kind == "node" and source.at not in seen:
        seen.add(source.at)
        node = scope.nodes[source.at]
        if node.kind not in SEE_THROUGH or not node.inputs:
            return None
        source = node.inputs[0]
    return _weight_of(scope, source)


def _weight_of(scope: Scope, source: Source) -> Weight | None:
    if source.kind == "weight":
        return scope.weights[source.at]
    return scope.outer_weights.get(scope.captures[source.at]) if source.kind == "outer" else None


def _article(node: Node) -> str:
    operator = plain(node.operator)
    return f"{'an' if operator[:1] in 'AEIOaeio' else 'a'} {operator}"


def _weights(scope: Scope, node: Node) -> Iterator[Weight]:
    return (scope.weights[source.at] for source in node.inputs if source.kind == "weight")


def _idle(scope: Scope) -> list[Weight]:
    return [
        weight for at, weight in enumerate(scope.weights) if not scope.readers(Source("weight", at))
    ]


def _of_idle(kind: Kind, is_left: bool) -> tuple[str, str]:
    """What happened to a weight that nothing reads, and to several."""
    if kind == Kind.ADDED:
        if is_left:
            return (
                "is left over: nothing reads it any more",
                "are left over, read by nothing any more",
            )
        return "is new, and nothing reads it", "are new, and nothing reads them"
    if is_left:
        return "is read now; nothing read it before", "are read now; nothing read them before"
    return "is gone; nothing read it", "are gone; nothing read them"


def _declared(scope: Scope) -> dict[str, Declared]:
    """By value. A name that is written twice is declared for one of its values, nobody knows which."""
    if scope.proto is None:
        return {}
    found = {value.name: declared(value) for value in scope.proto.value_info}
    return {
        name: each for name, each in found.items() if each is not None and name not in scope.twice
    }


def _placed(values: Iterable[ValueInfoProto], names: list[str]) -> dict[int, Declared | None]:
    """What is declared of each of the names, by its place. A name may stand twice."""
    waiting: dict[str, list[Declared | None]] = defaultdict(list)
    for value in values:
        waiting[value.name].append(declared(value))
    return {at: waiting[name].pop(0) for at, name in enumerate(names) if waiting[name]}


def _braced(text: str) -> str:
    """The text for a place where `str.format` reads."""
    return text.replace("{", "{{").replace("}", "}}")


def _is_other_name(a: Weight, b: Weight) -> bool:
    return a.name != b.name


def _plural(text: str) -> str:
    for one, several in (("is ", "are "), ("was ", "were "), ("has ", "have "), ("its ", "their ")):
        if text.startswith(one):
            text = several + text[len(one) :]
        text = text.replace(f" and {one}", f" and {several}")
    return text.replace("what it was", "what they were")


def _several(change: WeightChange, a: Weight, b: Weight) -> str:
    if change.kind == Kind.QUANTIZED:
        return f"{{count}} weights were {a.type_name} and are {b.type_name}, so they were quantized: {{names}}"
    if change.kind == Kind.RETYPED:
        how = (
            ", rounded to the nearest" if "rounded" in change.sort or "same" in change.sort else ""
        )
        return f"{{count}} weights are {b.type_name} and were {a.type_name}{how}: {{names}}"
    how = change.sort.removeprefix("resized")
    return f"{{count}} weights have another shape{_braced(how.replace('it is', 'they are'))}: {{names}}"


def _kept_in(weight: Weight) -> str:
    if weight.outside is not None:
        return f"the file {quoted(weight.outside.path.name)}"
    places = {"Constant": "a Constant node", "sparse": "a sparse initializer"}
    return places.get(weight.storage, "an initializer")


def attribute_change(before: object, after: object) -> str:
    """What became of an attribute, as what follows its name in a sentence; None stands for none."""
    if before is None:
        return f"is new: {attribute_text(after)}"
    if after is None:
        return f"is gone; it was {attribute_text(before)}"
    if isinstance(before, Tensor) and isinstance(after, Tensor):
        found = numbers.compare(before.weight, after.weight)
        return found.text if found is not None else "is stored in another way"
    was = attribute_text(before)
    now = attribute_text(after)
    if was == now:  # numbers of two types, or such as differ behind the digits that are shown
        was = f"{was} ({_type(before)})"
        now = f"{now} ({_type(after)})"
    if was == now:
        was = attribute_text(before, exact=True)
        now = attribute_text(after, exact=True)
    if was == now:
        return f"has another value; the beginning of both is {was}"
    return f"was {was} and is {now}"


def _type(value: object) -> str:
    if isinstance(value, Values):
        return value.kind
    return {Float: "a float", int: "an integer", bytes: "a string"}.get(
        type(value), "of no known type"
    )


def attribute_text(value: object, exact: bool = False) -> str:
    if value is None:
        return "left out"
    if isinstance(value, bytes):
        return quoted(value.decode("utf-8", "backslashreplace"))
    if isinstance(value, Tensor):
        return f"a tensor {numbers.described(value.weight)}"
    if isinstance(value, Values):
        if value.kind == "the function's attribute":
            return f"the function's attribute {quoted(str(value.each[1]))}"
        shown = ", ".join(attribute_text(each, exact) for each in value.each[:24])
        return f"{'twice ' if value.kind == 'twice' else ''}[{plain(shown, 80)}]"
    if isinstance(value, float):
        return float.__repr__(value) if exact else f"{value:.6g}"
    return plain(str(value))


def _kept(before: Weight, codes: Weight, others: list[Weight], node: Node) -> float | None:
    """The SQNR in dB of a quantized weight against the numbers that it stands for."""
    import numpy as np

    from formatlab.sqnr import sqnr

    if before.size > numbers.LARGEST or before.dims != codes.dims or not others:
        return None
    try:
        scale = others[0].array().astype(np.float64)
        zero = others[1].array().astype(np.float64) if len(others) > 1 else np.zeros_like(scale)
        if scale.ndim == 1:
            axis = node.attributes.get("axis", node.defaults.get("axis", 1))
            if not isinstance(axis, int):
                return None
            shape = [1] * len(before.dims)
            shape[axis] = -1
            scale, zero = scale.reshape(shape), zero.reshape(shape)
        found = (codes.array().astype(np.float64) - zero) * scale
        decibels = float(sqnr(before.array().astype(np.float64), found))
    except (ValueError, IndexError, TypeError):
        return None
    return decibels if np.isfinite(decibels) else None
