"""Which way of counting gives these four numbers. A `cause` is shown by no stored answer, and has
no id.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from onnx import ModelProto, shape_inference

from formatlab_exercises.shapes.judge.counting import CLASSES, Reading, count
from formatlab_exercises.shapes.judge.ways import KINDS, VALUES, Table, Way, few_first


class Mistakes:
    skips_graph_lists = KINDS.mistake("""An attribute holds one graph in its field g, or a
        list of graphs in its field graphs: look at both.""")
    no_bodies = KINDS.mistake("""The body of a Loop or a Scan is a graph in an attribute, as a branch of
        an If is. Ask each attribute for a graph, whatever its name.""")
    known_attributes = KINDS.mistake("""Not only the operators of the standard hold graphs. Ask each
        attribute for a graph, whatever its name.""")
    two_levels = KINDS.mistake("""A graph in a node may hold nodes with graphs, to any depth: the walk
        has to call itself.""")
    no_branch_outputs = KINDS.mistake("""A graph in an attribute has outputs as well, and declares the
        values that its nodes write into them there.""")
    main_graph_only = KINDS.mistake("""If, Loop and Scan hold graphs in their attributes;
        those graphs' nodes have outputs too.""")
    empty_names = KINDS.mistake("""An optional output that a node leaves out is written as an
        empty name. There is no such value.""")
    first_output = KINDS.mistake("""A node may have several outputs, and each is a value with
        a shape of its own.""")
    counts_initializers = KINDS.mistake("""An initializer is stored, no node writes it. That
        an exporter declares it in value_info does not change that.""")
    counts_declarations = KINDS.mistake("""value_info lists what was declared, also for
        weights and for values that are gone. It never lists what is missing. Go over the nodes'
        outputs.""")
    no_graph_outputs = KINDS.mistake("""A node may write an output of its graph, and that is
        declared in graph.output, not in value_info.""")
    each_name_once = KINDS.mistake("""Two graphs may use one name for two values, as the branches of
        an If often do, and each of the two counts. A set of names makes one value of them.""")
    one_table = KINDS.mistake("""Two branches may use one name for two values. Begin each
        graph with an empty table.""")
    main_for_bodies = KINDS.mistake("""The body of a Loop reads values of the graph around it, but what its
        own nodes write is declared in the body alone, or nowhere.""")
    shape_present = KINDS.mistake("""That a shape is there says nothing: its dimensions may be
        names or gaps.""")
    dim_value_is_zero = KINDS.mistake("""dim_value reads as 0 where a dimension has a name.
        Ask dim.WhichOneof('value') which of the two is set.""")
    invented_names = VALUES.mistake("""unk__0 is a name that shape inference gives to a
        dimension that it knows nothing about. The author did not choose it.""")
    any_unk = VALUES.mistake("""Only names that begin with unk__ are made up by inference. An
        author may call a dimension unk, or unknown.""")
    any_case = VALUES.mistake("""Names are compared letter by letter. Inference writes unk__ in small
        letters, so a name in capitals is one that an author gave.""")
    any_name = KINDS.mistake("""One unknown dimension is enough to make the shape unknown,
        whatever the others are.""")
    zero_is_unknown = KINDS.mistake("""A tensor may have no elements, and its size 0 is a
        number. Ask dim.WhichOneof('value') or dim.HasField('dim_value').""")
    scalars_missing = KINDS.mistake("""A scalar's shape is there and has no dimensions; a
        missing shape is a field that is not set: ask HasField('shape').""")
    bare_is_static = KINDS.mistake("""A declaration may give the type alone. Its shape then
        reads as one without dimensions: ask HasField('shape') first.""")
    infers_first = VALUES.mistake("""The function counts what is declared in the model as it
        is given. It does not run inference.""")


READINGS: Table = {
    "scope": {
        "no lists": Way("graphs in lists passed over", Mistakes.skips_graph_lists),
        "no bodies": Way("the bodies of loops passed over", Mistakes.no_bodies),
        "main": Way("only the values of the main graph", Mistakes.main_graph_only),
        "one level": Way(
            "subgraphs one level deep only",
            KINDS.cause("A subgraph's nodes may hold subgraphs: the walk has to call itself."),
        ),
        "two levels": Way("subgraphs two levels deep only", Mistakes.two_levels),
        "known attributes": Way(
            "only graphs in attributes that the standard names", Mistakes.known_attributes
        ),
        "empty": Way("outputs without a name counted", Mistakes.empty_names),
        "first": Way("only the first output of each node", Mistakes.first_output),
        "initializers": Way("initializers counted", Mistakes.counts_initializers),
        "inputs": Way(
            "graph inputs counted",
            KINDS.cause("The caller gives a graph input; no node writes it."),
        ),
        "declarations": Way("declarations, not values", Mistakes.counts_declarations),
        "once": Way("each name once, whatever its graph", Mistakes.each_name_once),
        "value_info": Way(
            "the entries of value_info",
            KINDS.cause("""value_info does not list graph outputs, and never what is missing.
                Go over the nodes' outputs."""),
        ),
    },
    "lookup": {
        "no outputs": Way("graph outputs without their shapes", Mistakes.no_graph_outputs),
        "main outputs": Way(
            "the outputs of subgraphs without their shapes", Mistakes.no_branch_outputs
        ),
        "main for bodies": Way(
            "what a body does not declare looked up in the main graph", Mistakes.main_for_bodies
        ),
        "so far": Way("one table of names that grows from graph to graph", Mistakes.one_table),
        "last": Way(
            "one table of names for all graphs",
            KINDS.cause("""Two branches may use one name for two values. Each graph declares
                its own: look a name up in the graph of its node."""),
        ),
        "first": Way(
            "one table of names for all graphs, in which the first one stays",
            KINDS.cause("""Two branches may use one name for two values. Each graph declares
                its own: look a name up in the graph of its node."""),
        ),
        "main": Way(
            "the values of subgraphs looked up in the main graph",
            KINDS.cause("A subgraph has a value_info and outputs of its own."),
        ),
    },
    "judge": {
        "present": Way("every declared shape as static", Mistakes.shape_present),
        "numbers or unknown": Way(
            "every dimension without a number as unknown", Mistakes.dim_value_is_zero
        ),
        "numbers or named": Way(
            "every shape that is not static as named",
            KINDS.cause("""dim_value reads as 0 where a dimension has a name, and also where
                it has neither. Ask dim.WhichOneof('value')."""),
        ),
        "invented": Way("names that inference made up taken for names", Mistakes.invented_names),
        "any unk": Way("names that a person gave taken for invented ones", Mistakes.any_unk),
        "any case": Way("names in capitals taken for invented ones", Mistakes.any_case),
        "one underscore": Way(
            "names that begin with unk_ taken for invented ones", Mistakes.any_unk
        ),
        "anywhere": Way("names that hold unk__ taken for invented ones", Mistakes.any_unk),
        "numbered": Way(
            "invented names with more than a number taken for names", Mistakes.invented_names
        ),
        "any name": Way("shapes with a name and a gap as named", Mistakes.any_name),
        "gaps static": Way(
            "dimensions with neither number nor name passed over",
            KINDS.cause("An axis without a number and without a name is an unknown dimension."),
        ),
        "zero": Way("a dimension of size 0 as unknown", Mistakes.zero_is_unknown),
        "scalar": Way("scalars as missing", Mistakes.scalars_missing),
        "bare": Way("declarations without a shape as static", Mistakes.bare_is_static),
    },
    "inferred": {
        "yes": Way("the shapes after shape inference", Mistakes.infers_first),
    },
}


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
