"""What students get wrong in `shapes`: which formula gives these sizes, and which way of counting
these four numbers.

Those whose decorator ends in `_so` are shown by no stored answer, and have no id.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import NamedTuple

from onnx import GraphProto, ModelProto, ValueInfoProto, shape_inference

from autograder.findings import Misconception, cause, misconception

PAGE = "day-50/04-validation-ladder"
CLASSES = ("static", "named", "unknown", "missing")
CONV, KINDS, VALUES = (
    f"{PAGE}#conv-formula",
    f"{PAGE}#four-kinds-of-shape",
    f"{PAGE}#values-decide-shapes",
)


class Way(NamedTuple):
    """A wrong way to compute or to count: what it gives, and the misconception behind it."""

    found: str
    misconception: Misconception


Table = dict[str, dict[str, Way]]


def _declare(
    table: Table, kind: Callable, field: str, option: str, found: str, read: str
) -> Callable:
    """Make a misconception of a function, and enter it in the table under the field and the option
    by which it is computed.
    """

    def enter(function: Callable) -> Misconception:
        table[field][option] = Way(found, kind(read)(function))
        return table[field][option].misconception

    return enter


class Formula(NamedTuple):
    """A way to compute an output size: each field is empty where it is right, else the name of what
    it does instead.
    """

    extent: str = ""
    pads: str = ""
    rounding: str = ""
    drop: str = ""
    fits: str = ""

    def size(
        self, size, kernel, stride=1, padding=(0, 0), dilation=1, ceil_mode=False
    ) -> int | None:
        """The number of windows; None for none."""
        begin, end = padding
        extent = {"": dilation * (kernel - 1) + 1, "kernel": kernel, "product": dilation * kernel}[
            self.extent
        ]
        pads = {"": begin + end, "twice first": 2 * begin, "once": begin, "none": 0}[self.pads]
        span = size + pads - extent
        up = {"": ceil_mode, "down": False, "up": True}.get(self.rounding, ceil_mode)
        count = -(-span // stride) + 1 if up else span // stride + 1
        if self.rounding == "cut" and not up:
            count = int(span / stride) + 1
        limit = {
            "": size + begin,
            "no begin": size,
            "both": size + begin + end,
            "late": size + begin + 1,
        }.get(self.drop)
        if up and limit is not None and (count - 1) * stride >= limit:
            count -= 1
        if self.rounding == "no one":
            count -= 1
        if self.rounding == "short" and up and span < 0:
            return None
        if count >= 1:
            return count
        return {"": None, "one": 1, "zero": 0}.get(self.fits, count)


FORMULAS: Table = {"extent": {}, "pads": {}, "rounding": {}, "drop": {}, "fits": {}}
formula_with = partial(_declare, FORMULAS, misconception, read=CONV)
formula_with_so = partial(_declare, FORMULAS, cause, read=CONV)


@formula_with("extent", "kernel", "the sizes without dilation")
def no_dilation():
    """A dilated kernel spreads its elements: from the first to the last it spans dilation * (kernel
    - 1) + 1 positions.
    """


@formula_with("extent", "product", "a window that spans dilation * kernel positions")
def dilated_kernel():
    """Between k elements there are k - 1 gaps: the window spans dilation * (kernel - 1) + 1
    positions.
    """


@formula_with("pads", "twice first", "the first padding on both sides")
def symmetric_padding():
    """The two ends may be padded differently: the input grows by their sum, not by twice one of
    them.
    """


@formula_with_so("pads", "once", "the padding of one side only")
def _one_padding():
    """The input grows by the padding at its beginning and by that at its end."""


@formula_with_so("pads", "none", "the sizes without padding")
def _no_padding():
    """The windows slide over the padded input."""


@formula_with("rounding", "down", "the sizes for ceil_mode=False")
def ignores_ceil():
    """With ceil_mode an incomplete last step counts: the quotient is rounded up."""


@formula_with_so("rounding", "up", "the sizes for ceil_mode=True everywhere")
def _always_ceil():
    """Without ceil_mode an incomplete last step is no window."""


@formula_with("rounding", "cut", "a window where the input is too short for one")
def int_for_floor():
    """int() cuts towards zero: int(-0.5) is 0, and the floor of -0.5 is -1. Use // or math.floor."""


@formula_with("rounding", "short", "no window where rounding up gives one")
def no_window_from_ceil():
    """Rule 3 comes before rule 4: an input that is shorter than the window has a negative quotient,
    and above -1 it is rounded up to 0. That is one window. Only where the rounded quotient is below
    0 no window is left.
    """


@formula_with("rounding", "no one", "one window too few everywhere")
def steps_not_windows():
    """The quotient counts steps. There is one window before the first step."""


@formula_with("drop", "never", "windows that start in the padding at the end")
def ceil_as_inferred():
    """With ceil_mode, a last window that starts behind the input and its first padding is dropped.
    Not even onnx's shape inference does that; PyTorch and ONNX Runtime do.
    """


@formula_with("drop", "no begin", "a last window dropped too early")
def last_window_early():
    """Positions are counted from the start of the padded input: the input itself ends at size +
    padding[0].
    """


@formula_with_so("drop", "both", "windows that start in the padding at the end, or behind it")
def _last_window_anywhere():
    """A window has to start before the padding at the end starts, not before it ends: at size +
    padding[0] it is too late.
    """


@formula_with("drop", "late", "a last window that starts where the padding at the end starts")
def last_window_late():
    """The first position of that padding is size + padding[0]; a window that starts right there is
    dropped too. Use >=, not >.
    """


@formula_with("fits", "negative", "sizes of 0 or less")
def no_error():
    """Where no window fits there is no output: raise ValueError."""


@formula_with_so("fits", "zero", "0 where no window fits")
def _zero_windows():
    """Where no window fits there is no output, not an empty one: raise ValueError."""


@formula_with_so("fits", "one", "1 where no window fits")
def _one_window_always():
    """Where no window fits there is no output: raise ValueError."""


class Reading(NamedTuple):
    """A way to count values: which ones (`scope`), where their declarations are looked up, how one
    is judged, after inference or not.
    """

    scope: str = ""
    lookup: str = ""
    judge: str = ""
    inferred: str = ""


READINGS: Table = {"scope": {}, "lookup": {}, "judge": {}, "inferred": {}}
counted_with = partial(_declare, READINGS, misconception, read=KINDS)
counted_with_so = partial(_declare, READINGS, cause, read=KINDS)


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
    right = _count(model, Reading())
    ways = [
        Reading(**{field: name})
        for field in ("lookup", "judge")
        for name in READINGS[field]
        if name not in ("last", "first")
    ]
    wrong = [numbers for numbers in (_count(model, way) for way in ways) if numbers != right]
    return len(set(wrong)) == len(wrong)


def formula(sizes: list[Mapping], found: list[int | None]) -> tuple[Way | None, bool]:
    """The mistake that gives exactly these sizes, None for a right formula; and whether any formula
    gives them.
    """
    for parts in _few_first(FORMULAS):
        wrong = Formula(**parts)
        if all(
            wrong.size(**arguments) == size for arguments, size in zip(sizes, found, strict=True)
        ):
            return next((FORMULAS[field][name] for field, name in parts.items()), None), True
    return None, False


def reading(data: bytes, found: Mapping[str, int]) -> Reading | None:
    """The way of counting that gives these four numbers, with as few mistakes as possible."""
    wanted = tuple(found[name] for name in CLASSES)
    return next((way for way, numbers in _readings(data) if numbers == wanted), None)


@lru_cache(maxsize=64)
def _readings(data: bytes) -> list[tuple[Reading, tuple[int, ...]]]:
    model = ModelProto.FromString(data)
    models = {"": model, "yes": shape_inference.infer_shapes(model)}
    ways = [Reading(**parts) for parts in _few_first(READINGS)]
    return [(way, _count(models[way.inferred], way)) for way in ways]


def _few_first(alternatives: Mapping[str, Mapping[str, Way]]) -> list[dict[str, str]]:
    """Every combination of mistakes in at most three fields, the fewest first."""
    return [
        dict(zip(fields, names, strict=True))
        for count in range(4)
        for fields in itertools.combinations(alternatives, count)
        for names in itertools.product(*(alternatives[field] for field in fields))
    ]


def _count(model: ModelProto, way: Reading) -> tuple[int, ...]:
    counts = dict.fromkeys(CLASSES, 0)
    walk = _preorder(model.graph, lists=way.scope != "no lists")
    tables = [(graph, depth, {v.name: v for v in _declared(graph, way)}) for graph, depth in walk]
    merged: dict[str, ValueInfoProto] = {}
    for _, _, table in tables if way.lookup in ("last", "first") else ():
        merged = {**merged, **table} if way.lookup == "last" else {**table, **merged}
    for graph, depth, own in tables:
        if way.lookup == "so far":
            merged.update(own)
        if (way.scope == "main" and depth) or (way.scope == "one level" and depth > 1):
            continue
        table = {"": own, "no outputs": own, "main": tables[0][2]}.get(way.lookup, merged)
        for name in _values(graph, way):
            counts[_judge(table.get(name), way.judge)] += 1
        if way.scope == "initializers":
            counts["static"] += len(graph.initializer)
    return tuple(counts.values())


def _preorder(graph: GraphProto, lists: bool, depth: int = 0) -> Iterator[tuple[GraphProto, int]]:
    """The graph and those inside it in the order of the file, as a student's walk meets them;
    without `lists` not those in lists.
    """
    yield graph, depth
    for node in graph.node:
        for attribute in node.attribute:
            # A field that is not set is an empty graph.
            for child in [attribute.g, *(attribute.graphs if lists else ())]:
                yield from _preorder(child, lists, depth + 1)


def _declared(graph: GraphProto, way: Reading) -> Iterator[ValueInfoProto]:
    yield from graph.input
    yield from graph.value_info
    if way.lookup != "no outputs":
        yield from graph.output


def _values(graph: GraphProto, way: Reading) -> Iterator[str]:
    if way.scope in ("declarations", "value_info"):
        yield from (v.name for v in graph.value_info)
        yield from (v.name for v in graph.output if way.scope == "declarations")
        return
    for node in graph.node:
        names = list(node.output[:1] if way.scope == "first" else node.output)
        yield from (name for name in names if name or way.scope == "empty")
    if way.scope == "inputs":
        yield from (v.name for v in graph.input)


def _judge(value: ValueInfoProto | None, judge: str) -> str:
    """The class of one declaration, right or with the named mistake."""
    if value is None:
        return "missing"
    kind = value.type.tensor_type
    if not kind.HasField("shape"):
        return "static" if judge == "bare" else "missing"
    if judge == "scalar" and not kind.shape.dim:
        return "missing"
    if judge == "present":
        return "static"
    if judge.startswith("numbers or"):
        return (
            "static"
            if all(dim.dim_value for dim in kind.shape.dim)
            else judge.removeprefix("numbers or ")
        )
    marks = [_mark(dim, judge) for dim in kind.shape.dim]
    order = ("named", "unknown") if judge == "any name" else ("unknown", "named")
    return next((mark for mark in order if mark in marks), "static")


def _mark(dim: object, judge: str) -> str:
    if dim.WhichOneof("value") == "dim_value":
        return "unknown" if judge == "zero" and not dim.dim_value else "static"
    if not dim.dim_param:
        return "static" if judge == "gaps static" else "unknown"
    made_up = (
        dim.dim_param.startswith("unk" if judge == "any unk" else "unk__") and judge != "invented"
    )
    return "unknown" if made_up else "named"


@misconception(KINDS)
def fixed_answer():
    """The answer does not come from the arguments: it is fixed, or taken from a variable outside
    the function.
    """


@misconception(KINDS)
def absent_keys():
    """A key is left out, or spelled differently. A count may be 0."""


@cause(KINDS)
def shared_names():
    """Several graphs of this model use one name for different values{some}. Look each value up
    among the declarations of its own graph alone, and begin every graph with an empty table.
    """


@misconception(KINDS)
def changes_the_model():
    """Reading a field that is not set is harmless; add(), append() and inference in place are not.
    Work on a copy.
    """


@misconception(CONV)
def floats():
    """math.floor and // of ints give ints; / and numpy.floor give floats."""
