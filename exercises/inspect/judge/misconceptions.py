"""What students get wrong in `inspect`: ways to count. A wrong one is recognised by the number that
it gives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import prod

from onnx import TensorProto, defs

from autograder.findings import Misconception, cause, misconception
from exercises.inspect.judge import counting
from exercises.inspect.judge.counting import CaseFacts

PAGE = "day-50/02-inside-an-onnx-file"


Count = Callable[[CaseFacts], object]


def counted(
    found: str, section: str, declare: Callable = misconception
) -> Callable[[Count], Misconception]:
    """Make a misconception of a wrong way to count: it is shown by what it gives for this model.
    `found` says what it counts.
    """

    def named(count: Count) -> Misconception:
        return replace(
            declare(f"{PAGE}#{section}")(count),
            shows=lambda given, facts: found if count(facts) == given else "",
        )

    return named


counted_so = partial(counted, declare=cause)  # no stored answer counts like that


@counted_so("the version of an opset", "versions")
def _opset_as_ir_version(s: CaseFacts) -> object:
    """The version of the file format and that of the operators are two numbers; ir_version is a
    field of the model itself.
    """
    return s.model.opset_import[0].version


@counted("the version in the first entry of opset_import", "opset-imports")
def first_opset(s: CaseFacts) -> object:
    """opset_import is a list in any order: its first entry may belong to a vendor's domain. Search
    it for the default domain.
    """
    return s.model.opset_import[0].version


@counted_so("the version in the last entry of opset_import", "opset-imports")
def _last_opset(s: CaseFacts) -> object:
    """A loop over opset_import that does not look at the domain keeps the last entry, of whatever
    domain.
    """
    return s.model.opset_import[-1].version


@counted("the highest version in opset_import", "opset-imports")
def highest_opset(s: CaseFacts) -> object:
    """Every domain has version numbers of its own: a vendor's may be higher than that of the
    default domain.
    """
    return max(entry.version for entry in s.model.opset_import)


@counted_so("the model's ir_version", "versions")
def _ir_version_as_opset(s: CaseFacts) -> object:
    """The version of the file format and that of the operators are two numbers."""
    return s.model.ir_version


@counted_so("the newest opset that the installed onnx package knows", "opset-imports")
def _newest_opset(s: CaseFacts) -> object:
    """Which opset a model uses is written in the model, not in the package that reads it."""
    return defs.onnx_opset_version()


@counted("every node but those in the bodies of functions", "functions")
def skips_functions(s: CaseFacts) -> object:
    """model.functions holds nodes as well: count each body once, however often it is called."""
    return counting.histogram(counting.nodes_of(s.model, functions=False))


@counted("no nodes of graphs that stand in a list", "subgraphs")
def skips_graph_lists(s: CaseFacts) -> object:
    """An attribute holds one graph in its field g, or a list of graphs in its field graphs."""
    return counting.histogram(counting.nodes_of(s.model, lists=False))


@counted("subgraphs one level deep only", "subgraphs")
def one_level(s: CaseFacts) -> object:
    """A subgraph's nodes may hold subgraphs themselves: the walk has to call itself."""
    return counting.one_level_histogram(s)


@counted("only the nodes of the main graph", "subgraphs")
def main_graph_only(s: CaseFacts) -> object:
    """If, Loop and Scan hold whole graphs in their attributes, and a function has a body: their
    nodes are in the file too.
    """
    return counting.histogram(s.model.graph.node)


@counted_so("no nodes of subgraphs", "subgraphs")
def _skips_subgraphs(s: CaseFacts) -> object:
    """If, Loop and Scan hold whole graphs in their attributes; their nodes are in the file too."""
    return counting.histogram(counting.nodes_of(s.model, subgraphs=False))


@counted("operators without their domain", "operators")
def loses_domain(s: CaseFacts) -> object:
    """Outside the default domain the key is "domain::Op": two domains may use one name for
    different operators.
    """
    return dict(Counter(node.op_type for node in counting.nodes_of(s.model)))


@counted('keys with the prefix "ai.onnx::"', "operators")
def keeps_alias(s: CaseFacts) -> object:
    """ai.onnx is another name of the default domain, whose operators have no prefix here."""
    return dict(
        Counter(
            f"{n.domain}::{n.op_type}" if n.domain else n.op_type
            for n in counting.nodes_of(s.model)
        )
    )


@counted_so('the prefix "::" where the domain is the default one', "operators")
def _empty_prefix(s: CaseFacts) -> object:
    """In the default domain the key is the operator's name alone."""
    return dict(Counter(f"{n.domain}::{n.op_type}" for n in counting.nodes_of(s.model)))


@counted("the number of initializers", "initializers")
def counts_tensors(s: CaseFacts) -> object:
    """An initializer is a whole tensor; its parameters are its elements, the product of its dims."""
    return len(counting.main_initializers(s))


@counted_so("the number of initializers, those of subgraphs included", "initializers")
def _counts_all_tensors(s: CaseFacts) -> object:
    """An initializer is a whole tensor; its parameters are its elements, the product of its dims."""
    return len(counting.all_initializers(s))


@counted("only the initializers of the main graph", "subgraphs")
def skips_subgraph_weights(s: CaseFacts) -> object:
    """A subgraph has initializers of its own."""
    return counting.elements(counting.main_initializers(s))


@counted_so("only the initializers whose data is in the model itself", "external-data")
def _skips_external_weights(s: CaseFacts) -> object:
    """An external initializer has its dims in the model; only its data is in another file."""
    return counting.elements(
        t for t in counting.all_initializers(s) if t.data_location != TensorProto.EXTERNAL
    )


@counted("only the initializers that are not graph inputs", "initializers")
def skips_inputs(s: CaseFacts) -> object:
    """An initializer may be an input too: it is then the input's default value, and still stored in
    the model.
    """
    return counting.not_inputs(s)


@counted("the tensors of Constant nodes included", "initializers")
def counts_constants(s: CaseFacts) -> object:
    """A Constant is a node with a tensor in its attribute, not an initializer: it is counted among
    the operators.
    """
    return counting.elements(
        [
            *counting.all_initializers(s),
            *(
                a.t
                for node in counting.nodes_of(s.model)
                for a in node.attribute
                if a.HasField("t")
            ),
        ]
    )


@counted("scalars counted as nothing", "initializers")
def skips_scalars(s: CaseFacts) -> object:
    """A tensor without dims is a scalar: it has one element, the product of no numbers."""
    return sum(prod(tensor.dims) for tensor in counting.all_initializers(s) if tensor.dims)


@counted_so("the bytes of raw_data", "types")
def _counts_raw_bytes(s: CaseFacts) -> object:
    """How many bytes an element takes depends on its type, and the data may be in other fields. The
    dims give the elements.
    """
    return sum(len(tensor.raw_data) for tensor in counting.all_initializers(s))


@counted("the model without its external data", "external-data")
def no_external_files(s: CaseFacts) -> object:
    """The weights may be in other files. The model names them in external_data, and they count
    towards its size.
    """
    return counting.total_size(s, ())


@counted("a file once for each tensor in it", "external-data")
def counts_files_twice(s: CaseFacts) -> object:
    """Several tensors may share a file: collect the locations in a set before adding the sizes."""
    return counting.total_size(
        s, counting.outside_files(s, counting.all_initializers(s), "location")
    )


@counted_so("only the files that the main graph refers to", "subgraphs")
def _files_of_the_main_graph(s: CaseFacts) -> object:
    """A subgraph's initializers may be external too."""
    return counting.total_size(
        s, set(counting.outside_files(s, counting.main_initializers(s), "location"))
    )


@counted("every file in the directory", "external-data")
def whole_directory(s: CaseFacts) -> object:
    """The directory may hold other files too. The model names its own files in external_data."""
    return counting.total_size(s, s.sizes)


@counted("the lengths of the tensors in the files", "external-data")
def adds_lengths(s: CaseFacts) -> object:
    """A file may hold more than its tensors: gaps for alignment. What counts is the file's size on
    the disk.
    """
    return s.model.ByteSize() + sum(
        map(int, counting.outside_files(s, counting.all_initializers(s), "length"))
    )


@counted_so("the external data without the model itself", "bytes")
def _external_files_alone(s: CaseFacts) -> object:
    """The serialized model is a part of the size as well."""
    return sum(
        s.sizes[name]
        for name in set(counting.outside_files(s, counting.all_initializers(s), "location"))
    )


@counted_so("the bytes of raw_data", "bytes")
def _size_of_raw_data(s: CaseFacts) -> object:
    """The size is that of the whole serialized model: nodes, names and everything else included."""
    return sum(len(tensor.raw_data) for tensor in counting.all_initializers(s))


# What is asked in this order: the more special ones stand first.
WAYS: dict[str, tuple[Misconception, ...]] = {
    "ir_version": (_opset_as_ir_version,),
    "opset": (first_opset, _last_opset, highest_opset, _ir_version_as_opset, _newest_opset),
    "operators": (
        skips_functions,
        skips_graph_lists,
        one_level,
        main_graph_only,
        _skips_subgraphs,
        loses_domain,
        keeps_alias,
        _empty_prefix,
    ),
    "parameters": (
        counts_tensors,
        _counts_all_tensors,
        skips_subgraph_weights,
        _skips_external_weights,
        skips_inputs,
        counts_constants,
        skips_scalars,
        _counts_raw_bytes,
    ),
    "bytes": (
        no_external_files,
        counts_files_twice,
        _files_of_the_main_graph,
        whole_directory,
        adds_lengths,
        _external_files_alone,
        _size_of_raw_data,
    ),
}


@misconception(f"{PAGE}#bytes")
def constants():
    """The numbers are fixed, or taken from another model: a variable from outside the function, or
    a file.
    """


@misconception(f"{PAGE}#bytes")
def key_forgotten():
    """A key is left out, or spelled differently."""


@misconception(f"{PAGE}#external-data")
def model_changed():
    """Loading external data into the model, or clearing a field to measure something, changes the
    caller's model. Work on a copy.
    """


@misconception(f"{PAGE}#initializers")
def floats():
    """numpy.prod of an empty shape is the float 1.0, and a float loses whole numbers above 2**53.
    math.prod keeps ints.
    """
