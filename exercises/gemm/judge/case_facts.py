"""What the checks of `gemm` need to know about a case's model: its pairs of MatMul and Add, and
what keeps each from being fused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import onnx
from onnx import GraphProto, NodeProto, TensorProto, TypeProto

from formatlab import graphs, loading
from formatlab_exercises.shared.judge.models import liveness_of

FLOATS = frozenset({TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.DOUBLE})
Dim = int | str | None


@dataclass(frozen=True)
class Tensor:
    """What is known of a value: its element type, and its dimensions as numbers and names (None
    where nothing is known).
    """

    element: int
    dims: tuple[Dim, ...] | None


UNKNOWN = Tensor(0, None)


@dataclass(frozen=True)
class Site:
    """An Add that reads at least one product, and what keeps it from becoming a Gemm, "" if nothing
    does. `traits` are what a function may stumble over (see `_traits`).
    """

    result: str
    products: frozenset[str]
    obstacle: str
    traits: frozenset[str]


@dataclass(frozen=True)
class CaseFacts:
    """The case's model. `pairs` gives for the output of each Add behind a MatMul what keeps the
    pair apart, "" if nothing does.

    `products` gives the products that the Add reads, `traits` what a function may stumble over.
    """

    pairs: Mapping[str, str]
    products: Mapping[str, frozenset[str]]
    traits: Mapping[str, frozenset[str]]
    expected: Counter[str]
    live: Counter[str]

    @property
    def all_products(self) -> set[str]:
        return {product for products in self.products.values() for product in products}

    @property
    def legal(self) -> list[str]:
        return [result for result, obstacle in self.pairs.items() if not obstacle]

    def having(self, trait: str) -> set[str]:
        """The pairs that may be fused and have this trait."""
        return {result for result in self.legal if trait in self.traits[result]}


@lru_cache(maxsize=64)
def read(data: bytes) -> CaseFacts:
    """The facts of a case's `model.onnx`."""
    model = loading.parse(data)
    inferred = onnx.shape_inference.infer_shapes(model).graph
    sites = list(_sites(Whole.of(model.graph, inferred), inferred, {}, {}))
    live = liveness_of(data).live
    fused = sum(not site.obstacle for site in sites)
    return CaseFacts(
        pairs={site.result: site.obstacle for site in sites},
        products={site.result: site.products for site in sites},
        traits={site.result: site.traits for site in sites},
        expected=live - Counter({"MatMul": fused, "Add": fused}) + Counter({"Gemm": fused}),
        live=live,
    )


@dataclass(frozen=True)
class Whole:
    """What is known of the values of each graph of the model, and the names of those whose shapes
    stand in the model as it is.
    """

    tables: tuple[Mapping[str, Tensor], ...]
    stated: frozenset[str]

    @classmethod
    def of(cls, graph: GraphProto, inferred: GraphProto) -> Whole:
        stated = [types(one) for one, _ in graphs.walk(graph)]
        return cls(
            tuple(types(one) for one, _ in graphs.walk(inferred)),
            frozenset(name for table in stated for name in table),
        )

    def is_shared(self, name: str) -> bool:
        """Whether several graphs have a value of this name."""
        return sum(name in table for table in self.tables) > 1


def _sites(
    whole: Whole,
    graph: GraphProto,
    outer: Mapping[str, Tensor],
    outer_products: Mapping[str, NodeProto],
    depth: int = 0,
) -> Iterator[Site]:
    known = {**outer, **types(graph)}
    own = {node.output[0]: node for node in graph.node if is_default(node, "MatMul")}
    for place, node in enumerate(graph.node):
        if is_default(node, "Add"):
            products = [
                name for name in dict.fromkeys(node.input) if name in own or name in outer_products
            ]
            if products:
                obstacles = [
                    _obstacle(whole, graph, known, own.get(name), node) for name in products
                ]
                found = {
                    "two levels deep": depth > 1,
                    "behind a sum": is_default(graph.node[max(place - 1, 0)], "Add"),
                    "two products": len(products) == 2,
                }
                for product in products:
                    if product in own:
                        found |= _traits(whole, graph, known, own[product], node)
                yield Site(
                    node.output[0],
                    frozenset(products),
                    "" if "" in obstacles else obstacles[0],
                    frozenset(trait for trait, has in found.items() if has),
                )
        for child in graphs.subgraphs(node):
            yield from _sites(whole, child, known, {**outer_products, **own}, depth + 1)


def _traits(
    whole: Whole, graph: GraphProto, known: Mapping[str, Tensor], matmul: NodeProto, add: NodeProto
) -> dict[str, bool]:
    """What a function may stumble over though the pair may be fused."""
    bias = {*add.input} - {matmul.output[0]}
    read = {*matmul.input, *bias}
    factors = [known.get(name, UNKNOWN) for name in matmul.input]
    biases = [known.get(name, UNKNOWN).dims or () for name in bias]
    outputs = {value.name for value in graph.output}
    return {
        "named": any(isinstance(dim, str) for factor in factors for dim in factor.dims or ()),
        "not single": any(factor.element != TensorProto.FLOAT for factor in factors),
        "zero": any(0 in dims for dims in biases),
        "ones": any(not dims or 1 in dims for dims in biases),
        "made up": any(str(dim).startswith("unk__") for dims in biases for dim in dims),
        "inferred": not read <= whole.stated,
        "reads an output": bool(read & outputs),
        "shares names": any(map(whole.is_shared, read | {matmul.output[0]})),
    }


def _obstacle(
    whole: Whole,
    graph: GraphProto,
    known: Mapping[str, Tensor],
    matmul: NodeProto | None,
    add: NodeProto,
) -> str:
    if matmul is None:
        return "other graph"
    product = matmul.output[0]
    if product in {value.name for value in graph.output}:
        return "output"
    if _readers(graph)[product] != 1:
        return "twice" if list(add.input).count(product) == 2 else "shared"
    bias = add.input[1] if add.input[0] == product else add.input[0]
    read = (*matmul.input, bias)
    misfit = _misfit(*(known.get(name, UNKNOWN) for name in read))
    if misfit == "unproven":
        of_product, of_bias = (known.get(name, UNKNOWN).dims or () for name in (product, bias))
        if _fits(of_bias, of_product):
            return "declared"
        if set(of_bias) <= {1, *of_product}:
            return "position"
    if misfit == "rank" and len(known.get(product, UNKNOWN).dims or ()) == 2:
        return "factors"
    others = ({**known, **table} for table in whole.tables)
    if any(not _misfit(*(other.get(name, UNKNOWN) for name in read)) for other in others):
        return misfit and "namesake"
    return misfit


def _misfit(a: Tensor, b: Tensor, c: Tensor) -> str:
    """Why a Gemm cannot compute a @ b + c; the empty string where it can."""
    if a.element not in FLOATS:
        return "type"
    if a.dims is None or b.dims is None or c.dims is None:
        return "unknown rank"
    if len(a.dims) != 2 or len(b.dims) != 2:
        return "rank"
    if len(c.dims) > 2:
        return "bias rank"
    target = (a.dims[0], b.dims[1])[2 - len(c.dims) :]
    pairs = list(zip(c.dims, target, strict=True))
    if _fits(c.dims, target):
        return ""
    if any(have != 1 and None in (have, want) for have, want in pairs):
        return "unknown size"
    numbers = all(isinstance(dim, int) for dim in (*c.dims, *target))
    return "widens" if numbers else "unproven"


def _fits(dims: tuple[Dim, ...], target: tuple[Dim, ...]) -> bool:
    """Whether each dimension of a bias, counted from the last one, is 1 or that of the target."""
    pairs = zip(reversed(dims), reversed(target), strict=False)
    return all(have == 1 or (have is not None and have == want) for have, want in pairs)


def is_default(node: NodeProto, operator: str) -> bool:
    return node.op_type == operator and graphs.domain(node.domain) == ""


def _readers(graph: GraphProto) -> Counter[str]:
    """How often each name is read by nodes, in the graph and in those inside it, where it may also
    be an output.
    """
    count = Counter(name for node in graph.node for name in node.input)
    for node in graph.node:
        for child in graphs.subgraphs(node):
            hidden = {name for inner in child.node for name in inner.output} | {
                value.name for value in child.input
            }
            inside = _readers(child) + Counter(value.name for value in child.output)
            count += Counter({name: times for name, times in inside.items() if name not in hidden})
    return count


def types(graph: GraphProto) -> dict[str, Tensor]:
    """What is known of the graph's own values. Of an initializer that is an input, that is what the
    input declares: it is a default, and a caller may feed another one.
    """
    known = {value.name: _tensor(value.type) for value in (*graph.value_info, *graph.output)}
    stored = {
        tensor.name: Tensor(tensor.data_type, tuple(tensor.dims)) for tensor in graph.initializer
    }
    return known | stored | {value.name: _tensor(value.type) for value in graph.input}


def _tensor(kind: TypeProto) -> Tensor:
    tensor = kind.tensor_type
    if not tensor.HasField("shape"):
        return Tensor(tensor.elem_type, None)
    dims = (
        dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None
        for dim in tensor.shape.dim
    )
    return Tensor(tensor.elem_type, tuple(dims))
