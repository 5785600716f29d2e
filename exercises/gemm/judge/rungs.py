"""What `gemm` asks of the graph: every pair that may be fused is one Gemm, no other pair is, and
all else is as it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from onnx import ModelProto, NodeProto

from formatlab import graphs
from formatlab.loading import Unloadable
from formatlab_exercises.gemm.judge import misconceptions
from formatlab_exercises.gemm.judge.case_facts import is_default
from formatlab_exercises.gemm.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge.models import listed
from formatlab_exercises.shared.judge.surgery_view import SurgeryView
from nbjudge.contract import Finding
from nbjudge.findings import Misconception, explained

# Where onnxscript's rewriter keeps the name of the rule that made a node, and that of its own rules
# for a MatMul and an Add.
RULE_NAME, LIBRARYS_RULE = "pkg.onnxscript.rewriter.rule_name", "MatMulAddToGemm"


@dataclass(frozen=True)
class Missed:
    """Pairs that should have become a Gemm and are still a MatMul and an Add: the names of their
    sums.
    """

    view: SurgeryView
    results: list[str]

    @property
    def text(self) -> str:
        return f"{len(self.results)} of {len(self.view.facts.legal)} are still MatMul and Add"

    @property
    def is_all(self) -> bool:
        return len(self.results) == len(self.view.facts.legal)

    @property
    def of_many(self) -> bool:
        """Of a few pairs, most rules leave those that another one leaves."""
        return len(self.results) > 3

    @property
    def is_all_but_first(self) -> bool:
        return self.of_many and self.results == self.view.facts.legal[1:]

    def are(self, trait: str) -> bool:
        """Whether they are the pairs that have this trait, and no other."""
        return set(self.results) == self.view.facts.having(trait)

    def are_among(self, trait: str) -> bool:
        """Whether all of them are among the pairs that have this trait."""
        return set(self.results) <= self.view.facts.having(trait)

    @property
    def is_nested(self) -> bool:
        return {name for node in self.view.after.graph.node for name in node.output}.isdisjoint(
            self.results
        )

    @property
    def products_of_gemms(self) -> set[str]:
        products = self.view.facts.products
        return _written(self.view.after, "Gemm") & {
            product for result in self.results for product in products[result]
        }

    @cached_property
    def first_inputs(self) -> dict[str, str]:
        return {node.output[0]: node.input[0] for node in _of(self.view.before, "Add")}

    @property
    def is_second(self) -> bool:
        """Whether they are the pairs whose Add reads a stored bias first, and the product second."""
        facts = self.view.facts
        second = {
            result
            for result in facts.legal
            if self.first_inputs[result] not in facts.products[result]
        }
        stored = {
            tensor.name
            for graph, _ in graphs.walk(self.view.before.graph)
            for tensor in graph.initializer
        }
        return second == set(self.results) and all(
            self.first_inputs[result] in stored for result in self.results
        )


def fuses_what_it_may(view: SurgeryView) -> Finding | None:
    """Every pair that may be fused is one Gemm, no other pair is, and all else is as it was."""
    return (
        view.stores_one_run()
        or _by_a_librarys_rule(view)
        or _wrongly_fused(view)
        or _other_nodes(view)
    )


def _by_a_librarys_rule(view: SurgeryView) -> Finding | None:
    """onnxscript notes at a node the name of the rule that made it."""
    named = (
        entry.value
        for node in _of(view.after, "Gemm")
        for entry in node.metadata_props
        if entry.key == RULE_NAME
    )
    if not any(LIBRARYS_RULE in names for names in named):
        return None
    expected = "each pair is fused by the function, under the conditions of the exercise"
    return Finding(expected, f"a Gemm made by {LIBRARYS_RULE}", Mistakes.librarys_rule)


def _wrongly_fused(view: SurgeryView) -> Finding | None:
    if not (wrong := misconceptions.wrongly_fused(view)):
        return None
    return Finding("only pairs that may be fused are fused", *wrong)


def _other_nodes(view: SurgeryView) -> Finding | None:
    if len(view.after.functions) > len(view.before.functions):
        return _wrong_nodes(view, Counter({"local function": len(view.after.functions)}))
    if lost := _without_bias(view):
        expected = "each Gemm reads two factors and the bias"
        return Finding(expected, f"{len(lost)} without a bias", Mistakes.bias_lost)
    live = Counter(view.liveness.live)
    live["Identity"] = view.facts.expected["Identity"]  # a new one is a matter of quality
    if live != view.facts.expected:
        return _wrong_nodes(view, live)
    if view.new_constants() > 0:
        expected = "no more numbers in initializers and Constants than before"
        return Finding(expected, "the constants have grown", Mistakes.more_constants)
    return None


def refused(view: SurgeryView, problem: Unloadable) -> Finding | None:
    """A model that nobody loads because of a pair that may not be fused."""
    if by_a_rule := _by_a_librarys_rule(view):
        return by_a_rule
    if wrong := misconceptions.wrongly_fused(view):
        what, why = wrong
    elif _reads_otherwise(view):
        what, why = "a Gemm reads something else than its pair", misconceptions.factors_exchanged
    else:
        return None
    text = f": {problem.found}" if view.case.public else ""
    return Finding(problem.expected, f"it refuses the model, where {what}{text}", why)


def _reads_otherwise(view: SurgeryView) -> bool:
    """Whether a Gemm that writes a pair's sum reads its factors in another order, or transposed."""
    factors = {node.output[0]: list(node.input) for node in _of(view.before, "MatMul")}
    for node in _of(view.after, "Gemm"):
        products = view.facts.products.get(node.output[0], ())
        if products and any(
            attribute.name.startswith("trans") and attribute.i for attribute in node.attribute
        ):
            return True
        if products and list(node.input)[:2] not in [factors.get(name) for name in products]:
            return True
    return False


def _without_bias(view: SurgeryView) -> list[str]:
    """The sums of pairs that a Gemm of two inputs writes."""
    gemms = _of(view.after, "Gemm")
    return [
        node.output[0]
        for node in gemms
        if len(node.input) < 3 and node.output[0] in view.facts.pairs
    ]


def _wrong_nodes(view: SurgeryView, live: Counter[str]) -> Finding:
    """Other operators than expected: pairs that were missed, a MatMul that stayed, nodes that came
    or went besides.
    """
    count, adds = len(view.facts.legal), _written(view.after, "Add")
    expected = f"{count} {'pair' if count == 1 else 'pairs'} fused, and every other node as it was"
    missed = Missed(view, [result for result in view.facts.legal if result in adds])
    if missed.results:
        return explained(expected, missed.text, misconceptions.MISSED, missed)
    return Finding(expected, *_besides(view.facts.expected - live, live - view.facts.expected))


def _besides(missing: Counter[str], new: Counter[str]) -> tuple[str, Misconception]:
    """What is found besides the pairs, and the mistake behind it."""
    if any("::" in name for name in missing):
        return f"missing: {listed(missing)}", Mistakes.another_domain
    if new.keys() - {"MatMul", "Gemm"}:
        return f"new: {listed(new)}", Mistakes.nodes_added
    if set(new) == {"MatMul"} and not missing:
        more = f"{new['MatMul']} MatMul more than there should be"
        return more, Mistakes.product_computed_twice
    text = f"missing: {listed(missing)}, new: {listed(new) or 'nothing'}"
    return text, Mistakes.more_than_pairs


def _of(model: ModelProto, operator: str) -> Iterable[NodeProto]:
    return (node for node in graphs.nodes(model) if is_default(node, operator))


def _written(model: ModelProto, operator: str) -> set[str]:
    return {name for node in _of(model, operator) for name in node.output}
