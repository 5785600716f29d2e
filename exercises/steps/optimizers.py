"""The steps of notebook 06, from the operators of a graph to those that only one runtime knows: together, the lab `optimizers`."""

from collections import Counter

import onnxruntime as ort
from onnx import AttributeProto, parser

from formatlab_exercises.steps import Slip, Step, Steps

MIXED = """
    mixed (bool c, float[2] x) => (float[2] y) {
        h = com.microsoft.Gelu(x)
        y = If (c) <
            then_branch = one () => (float[2] t) { t = Neg(h) },
            else_branch = two () => (float[2] e) { a = com.acme.Sort(h)   e = Neg(a) }>
    }"""
PLAIN = "plain (float[2] x) => (float[2] y) { h = Neg(x)   y = Neg(h) }"
LOOP = """
    loop (int64 n, float x) => (float y) {
        go = Constant <value = bool {1}> ()
        y = Loop (n, go, x) <body = step (int64 i, bool keep, float state) => (bool again, float next) {
            again = Identity(keep)   next = com.acme.Sort(state)
        }>
    }"""
LEVELS = ort.GraphOptimizationLevel


def graph(text):
    return parser.parse_graph(text)


def listed():
    """A node with a list of graphs in one attribute."""
    made = graph(PLAIN)
    held = made.node[0].attribute.add(name="parts", type=AttributeProto.GRAPHS)
    held.graphs.extend(
        graph(f"g () => (float a) {{ a = {operator}(h) }}") for operator in ("Abs", "com.acme.Sort")
    )
    return (made,)


def name_of(node):
    return node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}::{node.op_type}"


def without_domain(node):
    return node.op_type


def always_domain(node):
    return f"{node.domain}::{node.op_type}"


def only_empty(node):
    return node.op_type if not node.domain else f"{node.domain}::{node.op_type}"


def all_of_onnx(node):
    return node.op_type if node.domain.startswith("ai.onnx") else name_of(node)


def node(domain):
    made = graph(PLAIN).node[0]
    made.domain = domain
    return (made,)


def census(graph):
    found: Counter[str] = Counter()
    for node in graph.node:
        found[name_of(node)] += 1
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                found += Counter(census(inner))
    return dict(found)


def one_graph_each(graph):
    found = Counter(name_of(node) for node in graph.node)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                found += Counter(one_graph_each(attribute.g))
    return dict(found)


def top_level(graph):
    return dict(Counter(name_of(node) for node in graph.node))


def inner_domains_lost(graph):
    found = Counter(name_of(node) for node in graph.node)
    for node in graph.node:
        for attribute in node.attribute:
            found += Counter(inner.op_type for inner in attribute.g.node)
    return dict(found)


def gone(before, after):
    return dict(Counter(before) - Counter(after))


def came(before, after):
    return dict(Counter(after) - Counter(before))


def missing_names(before, after):
    return {name: count for name, count in before.items() if name not in after}


def signed(before, after):
    return {
        name: count - after.get(name, 0)
        for name, count in before.items()
        if count != after.get(name, 0)
    }


def options_at(name):
    options = ort.SessionOptions()
    options.graph_optimization_level = LEVELS.__members__[f"ORT_{name}"]
    return options


def options_untouched(name):
    return ort.SessionOptions()


def options_all(name):
    options = ort.SessionOptions()
    options.graph_optimization_level = LEVELS.ORT_ENABLE_ALL
    return options


def level_of(arguments, result):
    return (
        result.graph_optimization_level.name if isinstance(result, ort.SessionOptions) else result
    )


def foreign(counts):
    return sorted(name for name in counts if "::" in name)


def microsoft(counts):
    return sorted(name for name in counts if name.startswith("com.microsoft::"))


def with_a_dot(counts):
    return sorted(name for name in counts if "." in name)


def in_their_order(counts):
    return [name for name in counts if "::" in name]


def commercial(counts):
    return sorted(name for name in counts if name.startswith("com."))


step = Steps(
    "day-50/06-optimizers",
    name=Step(
        "levels",
        name_of,
        {
            "the default domain": lambda: node(""),
            "its other spelling": lambda: node("ai.onnx"),
            "a vendor's": lambda: node("com.microsoft"),
            "classic machine learning": lambda: node("ai.onnx.ml"),
        },
        (
            Slip(
                without_domain,
                "You leave out the domain. A Gelu of `com.microsoft` is not ONNX's Gelu.",
            ),
            Slip(always_domain, "The default domain is left out: write `Neg`, not `::Neg`."),
            Slip(
                all_of_onnx,
                "`ai.onnx.ml` is a domain of its own, although its name begins like the default one.",
            ),
            Slip(only_empty, "The default domain has two spellings: the empty text and `ai.onnx`."),
        ),
    ),
    census=Step(
        "levels",
        census,
        {
            "branches": lambda: (graph(MIXED),),
            "no branches": lambda: (graph(PLAIN),),
            "a Loop": lambda: (graph(LOOP),),
            "a list of graphs": listed,
        },
        (
            Slip(
                top_level,
                "You count the main graph only. Count the graphs in the attributes too, at any depth.",
            ),
            Slip(
                one_graph_each,
                "You count `attribute.g` alone. An attribute can also hold a list of graphs, in `attribute.graphs`.",
            ),
            Slip(
                inner_domains_lost,
                "In the branches you lost the domains. Let the function call itself.",
            ),
        ),
    ),
    options=Step(
        "default-level",
        options_at,
        {"basic": lambda: ("ENABLE_BASIC",), "none": lambda: ("DISABLE_ALL",)},
        (
            Slip(
                options_untouched,
                "You return options that are not changed: their level is ENABLE_ALL.",
            ),
            Slip(lambda name: None, "The function returns nothing. Return the options."),
        ),
        level_of,
    ),
    gone=Step(
        "saved-graphs",
        gone,
        {
            "a fusion": lambda: ({"MatMul": 2, "Add": 3}, {"MatMul": 1, "Add": 2, "Gemm": 1}),
            "nothing changed": lambda: ({"Add": 1}, {"Add": 1}),
            "more of one": lambda: ({"Cast": 1, "Neg": 1}, {"Cast": 3}),
        },
        (
            Slip(came, "You return what came, not what is gone: exchange the two counters."),
            Slip(
                missing_names,
                "An operator can lose some of its nodes. Compare the counts, not only the names.",
            ),
            Slip(
                signed,
                "You return negative counts where nodes were added. Keep the positive ones only; `Counter` subtraction does.",
            ),
        ),
    ),
    foreign=Step(
        "layout",
        foreign,
        {
            "two domains": lambda: (
                {"com.microsoft::FusedConv": 1, "com.microsoft.nchwc::Conv": 1, "Add": 2},
            ),
            "none": lambda: ({"Add": 2},),
            "a domain without a dot": lambda: ({"local::Swish": 2, "Mul": 1},),
            "a domain of an organization": lambda: ({"org.acme::Sort": 1, "Add": 2},),
        },
        (
            Slip(
                microsoft,
                "There are more domains than `com.microsoft`, for example `com.microsoft.nchwc`. Look for `::`.",
            ),
            Slip(with_a_dot, "A domain need not hold a dot. Look for `::`."),
            Slip(in_their_order, "The order of the list is that of the census. Sort it."),
            Slip(
                commercial,
                "A domain may begin with anything. What tells a name of another domain is its `::`.",
            ),
        ),
    ),
)
