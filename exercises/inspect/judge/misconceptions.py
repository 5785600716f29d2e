"""What students get wrong in `inspect`: ways to count. A wrong one is recognised by the number that
it gives.
"""

from __future__ import annotations

from collections import Counter

from onnx import defs

from formatlab_exercises.inspect.judge import counting, misconceptions_weights
from formatlab_exercises.inspect.judge.counting import CaseFacts
from formatlab_exercises.inspect.judge.recognised import PAGE, counted, counted_so
from nbjudge.findings import Causes, Section

BYTES = Section(f"{PAGE}#bytes")
EXTERNAL_DATA = Section(f"{PAGE}#external-data")
INITIALIZERS = Section(f"{PAGE}#initializers")

ML_AS_DEFAULT = (*counting.DEFAULT_DOMAINS, "ai.onnx.ml")


# The more special ways stand first.
IR_VERSION = Causes()


@counted_so(IR_VERSION, "the version of an opset", "versions")
def _opset_as_ir_version(s: CaseFacts) -> object:
    """The version of the file format and that of the operators are two numbers; ir_version is a
    field of the model itself.
    """
    return s.model.opset_import[0].version


@counted(IR_VERSION, "the same number for every model", "versions")
def fixed_ir_version(s: CaseFacts) -> object:
    """Each model says its own version of the format, in a field of that name."""
    return 10


OPSET = Causes()


@counted(OPSET, "the version in the first entry of opset_import", "opset-imports")
def first_opset(s: CaseFacts) -> object:
    """opset_import is a list in any order: its first entry may belong to a vendor's domain. Search
    it for the default domain.
    """
    return s.model.opset_import[0].version


@counted_so(OPSET, "the version in the last entry of opset_import", "opset-imports")
def _last_opset(s: CaseFacts) -> object:
    """A loop over opset_import that does not look at the domain keeps the last entry, of whatever
    domain.
    """
    return s.model.opset_import[-1].version


@counted(OPSET, "the highest version in opset_import", "opset-imports")
def highest_opset(s: CaseFacts) -> object:
    """Every domain has version numbers of its own: a vendor's may be higher than that of the
    default domain.
    """
    return max(entry.version for entry in s.model.opset_import)


@counted(OPSET, "the version of ai.onnx.ml", "opset-imports")
def opset_of_ml(s: CaseFacts) -> object:
    """ai.onnx.ml is a domain of its own, with versions of its own: compare the whole name of the
    domain, not how it begins.
    """
    found = (entry.version for entry in s.model.opset_import if entry.domain == "ai.onnx.ml")
    return next(found, None)


@counted_so(OPSET, "the model's ir_version", "versions")
def _ir_version_as_opset(s: CaseFacts) -> object:
    """The version of the file format and that of the operators are two numbers."""
    return s.model.ir_version


@counted_so(OPSET, "the newest opset that the installed onnx package knows", "opset-imports")
def _newest_opset(s: CaseFacts) -> object:
    """Which opset a model uses is written in the model, not in the package that reads it."""
    return defs.onnx_opset_version()


OPERATORS = Causes()


@counted(OPERATORS, "every node but those in the bodies of functions", "functions")
def skips_functions(s: CaseFacts) -> object:
    """model.functions holds nodes as well: count each body once, however often it is called."""
    return counting.histogram(counting.nodes_of(s.model, functions=False))


@counted(OPERATORS, "no nodes of graphs that stand in a list", "subgraphs")
def skips_graph_lists(s: CaseFacts) -> object:
    """An attribute holds one graph in its field g, or a list of graphs in its field graphs."""
    return counting.histogram(counting.nodes_of(s.model, lists=False))


@counted(OPERATORS, "no nodes in the body of a Scan", "subgraphs")
def operators_listed(s: CaseFacts) -> object:
    """Other operators than If and Loop hold graphs too, such as Scan, and a vendor's may. Ask each
    attribute for a graph, not the operator for its name.
    """
    return counting.histogram(counting.nodes_of(s.model, passed_over=("Scan",)))


@counted(OPERATORS, "no graphs in attributes that the standard does not name", "subgraphs")
def known_attributes(s: CaseFacts) -> object:
    """A vendor calls an attribute as it likes. Ask each attribute for a graph, whatever its name."""
    return counting.histogram(counting.nodes_of(s.model, passed_over=("Wrap",)))


@counted(OPERATORS, "graphs in the bodies of functions one level deep only", "functions")
def one_level_in_functions(s: CaseFacts) -> object:
    """A graph in a function's body may hold graphs, too: the same walk belongs there."""
    inside = [node for f in s.model.functions for node in f.node]
    inside += [node for graph in counting.graphs_in(inside) for node in graph.node]
    return counting.histogram([*counting.nodes_of(s.model, functions=False), *inside])


@counted(OPERATORS, "subgraphs one level deep only", "subgraphs")
def one_level(s: CaseFacts) -> object:
    """A subgraph's nodes may hold subgraphs themselves: the walk has to call itself."""
    return counting.one_level_histogram(s)


@counted(OPERATORS, "only the nodes of the main graph", "subgraphs")
def main_graph_only(s: CaseFacts) -> object:
    """If, Loop and Scan hold whole graphs in their attributes, and a function has a body: their
    nodes are in the file too.
    """
    return counting.histogram(s.model.graph.node)


@counted_so(OPERATORS, "no nodes of subgraphs", "subgraphs")
def _skips_subgraphs(s: CaseFacts) -> object:
    """If, Loop and Scan hold whole graphs in their attributes; their nodes are in the file too."""
    return counting.histogram(counting.nodes_of(s.model, subgraphs=False))


@counted(OPERATORS, "operators without their domain", "operators")
def loses_domain(s: CaseFacts) -> object:
    """Outside the default domain the key is "domain::Op": two domains may use one name for
    different operators.
    """
    return dict(Counter(node.op_type for node in counting.nodes_of(s.model)))


@counted(OPERATORS, "the operators of ai.onnx.ml without their domain", "operators")
def ml_as_default(s: CaseFacts) -> object:
    """ai.onnx.ml is a domain of its own: compare the whole name of the domain, not how it begins."""
    return dict(
        Counter(
            n.op_type if n.domain in ML_AS_DEFAULT else f"{n.domain}::{n.op_type}"
            for n in counting.nodes_of(s.model)
        )
    )


@counted(OPERATORS, 'keys with the prefix "ai.onnx::"', "operators")
def keeps_alias(s: CaseFacts) -> object:
    """ai.onnx is another name of the default domain, whose operators have no prefix here."""
    return dict(
        Counter(
            f"{n.domain}::{n.op_type}" if n.domain else n.op_type
            for n in counting.nodes_of(s.model)
        )
    )


@counted_so(OPERATORS, 'the prefix "::" where the domain is the default one', "operators")
def _empty_prefix(s: CaseFacts) -> object:
    """In the default domain the key is the operator's name alone."""
    return dict(Counter(f"{n.domain}::{n.op_type}" for n in counting.nodes_of(s.model)))


WAYS = {
    "ir_version": IR_VERSION,
    "opset": OPSET,
    "operators": OPERATORS,
    "parameters": misconceptions_weights.PARAMETERS,
    "bytes": misconceptions_weights.BYTES,
}


class Mistakes:
    """Those that a rung recognises by itself."""

    constants = BYTES.mistake("""The numbers are fixed, or taken from another model: a variable from
        outside the function, or a file.""")
    key_forgotten = BYTES.mistake("A key is left out, or spelled differently.")
    model_changed = EXTERNAL_DATA.mistake("""Loading external data into the model, or clearing a
        field to measure something, changes the caller's model. Work on a copy.""")
    floats = INITIALIZERS.mistake("""numpy.prod of an empty shape is the float 1.0, and a float
        loses whole numbers above 2**53. math.prod keeps ints.""")
