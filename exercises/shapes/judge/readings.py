"""Which way of counting gives these four numbers. Those whose decorator ends in `_so` are shown by no stored
answer, and have no id.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial

from onnx import ModelProto, shape_inference

from autograder.findings import cause, misconception
from exercises.shapes.judge.counting import CLASSES, Reading, count
from exercises.shapes.judge.ways import KINDS, VALUES, Table, declare, few_first

READINGS: Table = {"scope": {}, "lookup": {}, "judge": {}, "inferred": {}}

counted_with = partial(declare, READINGS, misconception, read=KINDS)

counted_with_so = partial(declare, READINGS, cause, read=KINDS)


@counted_with("scope", "no lists", "graphs in lists passed over")
def skips_graph_lists():
    """An attribute holds one graph in its field g, or a list of graphs in its field graphs: look at
    both.
    """


@counted_with("scope", "main", "only the values of the main graph")
def main_graph_only():
    """If, Loop and Scan hold graphs in their attributes; those graphs' nodes have outputs too."""


@counted_with_so("scope", "one level", "subgraphs one level deep only")
def _one_level():
    """A subgraph's nodes may hold subgraphs: the walk has to call itself."""


@counted_with("scope", "empty", "outputs without a name counted")
def empty_names():
    """An optional output that a node leaves out is written as an empty name. There is no such
    value.
    """


@counted_with("scope", "first", "only the first output of each node")
def first_output():
    """A node may have several outputs, and each is a value with a shape of its own."""


@counted_with("scope", "initializers", "initializers counted")
def counts_initializers():
    """An initializer is stored, no node writes it. That an exporter declares it in value_info does
    not change that.
    """


@counted_with_so("scope", "inputs", "graph inputs counted")
def _counts_inputs():
    """The caller gives a graph input; no node writes it."""


@counted_with("scope", "declarations", "declarations, not values")
def counts_declarations():
    """value_info lists what was declared, also for weights and for values that are gone. It never
    lists what is missing. Go over the nodes' outputs.
    """


@counted_with_so("scope", "value_info", "the entries of value_info")
def _counts_value_info():
    """value_info does not list graph outputs, and never what is missing. Go over the nodes'
    outputs.
    """


@counted_with("lookup", "no outputs", "graph outputs without their shapes")
def no_graph_outputs():
    """A node may write an output of its graph, and that is declared in graph.output, not in
    value_info.
    """


@counted_with("lookup", "so far", "one table of names that grows from graph to graph")
def one_table():
    """Two branches may use one name for two values. Begin each graph with an empty table."""


@counted_with_so("lookup", "last", "one table of names for all graphs")
def _last_stays():
    """Two branches may use one name for two values. Each graph declares its own: look a name up in
    the graph of its node.
    """


@counted_with_so(
    "lookup", "first", "one table of names for all graphs, in which the first one stays"
)
def _first_stays():
    """Two branches may use one name for two values. Each graph declares its own: look a name up in
    the graph of its node.
    """


@counted_with_so("lookup", "main", "the values of subgraphs looked up in the main graph")
def _main_declarations():
    """A subgraph has a value_info and outputs of its own."""


@counted_with("judge", "present", "every declared shape as static")
def shape_present():
    """That a shape is there says nothing: its dimensions may be names or gaps."""


@counted_with("judge", "numbers or unknown", "every dimension without a number as unknown")
def dim_value_is_zero():
    """dim_value reads as 0 where a dimension has a name. Ask dim.WhichOneof('value') which of the
    two is set.
    """


@counted_with_so("judge", "numbers or named", "every shape that is not static as named")
def _all_others_named():
    """dim_value reads as 0 where a dimension has a name, and also where it has neither. Ask
    dim.WhichOneof('value').
    """


@counted_with("judge", "invented", "names that inference made up taken for names", read=VALUES)
def invented_names():
    """unk__0 is a name that shape inference gives to a dimension that it knows nothing about. The
    author did not choose it.
    """


@counted_with("judge", "any unk", "names that a person gave taken for invented ones", read=VALUES)
def any_unk():
    """Only names that begin with unk__ are made up by inference. An author may call a dimension
    unk, or unknown.
    """


@counted_with("judge", "any name", "shapes with a name and a gap as named")
def any_name():
    """One unknown dimension is enough to make the shape unknown, whatever the others are."""


@counted_with_so("judge", "gaps static", "dimensions with neither number nor name passed over")
def _gaps_static():
    """An axis without a number and without a name is an unknown dimension."""


@counted_with("judge", "zero", "a dimension of size 0 as unknown")
def zero_is_unknown():
    """A tensor may have no elements, and its size 0 is a number. Ask dim.WhichOneof('value') or
    dim.HasField('dim_value').
    """


@counted_with("judge", "scalar", "scalars as missing")
def scalars_missing():
    """A scalar's shape is there and has no dimensions; a missing shape is a field that is not set:
    ask HasField('shape').
    """


@counted_with("judge", "bare", "declarations without a shape as static")
def bare_is_static():
    """A declaration may give the type alone. Its shape then reads as one without dimensions: ask
    HasField('shape') first.
    """


@counted_with("inferred", "yes", "the shapes after shape inference", read=VALUES)
def infers_first():
    """The function counts what is declared in the model as it is given. It does not run inference."""


def tells_mistakes_apart(data: bytes) -> bool:
    """Whether any two single mistakes in judging or looking up give different counts for this
    model, where they are not right on it.
    """
    model = ModelProto.FromString(data)
    right = count(model, Reading())
    ways = [
        Reading(**{field: name})
        for field in ("lookup", "judge")
        for name in READINGS[field]
        if name not in ("last", "first")
    ]
    wrong = [numbers for numbers in (count(model, way) for way in ways) if numbers != right]
    return len(set(wrong)) == len(wrong)


def reading(data: bytes, found: Mapping[str, int]) -> Reading | None:
    """The way of counting that gives these four numbers, with as few mistakes as possible."""
    wanted = tuple(found[name] for name in CLASSES)
    return next((way for way, numbers in _readings(data) if numbers == wanted), None)


@lru_cache(maxsize=64)
def _readings(data: bytes) -> list[tuple[Reading, tuple[int, ...]]]:
    model = ModelProto.FromString(data)
    models = {"": model, "yes": shape_inference.infer_shapes(model)}
    ways = [Reading(**parts) for parts in few_first(READINGS)]
    return [(way, count(models[way.inferred], way)) for way in ways]
