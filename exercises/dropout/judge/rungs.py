"""What `dropout` asks of the graph: no Dropout is left, and of the other operators none is missing
and none is new.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from onnx import ModelProto, NodeProto

from formatlab import graphs
from formatlab_exercises.dropout.judge import case_facts, misconceptions
from formatlab_exercises.dropout.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge.models import listed
from formatlab_exercises.shared.judge.surgery_view import SurgeryView
from nbjudge.contract import Finding
from nbjudge.findings import explained

# Numbers that a mask of all True may need: a value for True, a shape, axes.
MOST_PER_MASK = 8


@dataclass(frozen=True)
class LeftOver:
    """Dropouts that are still there. `special` are outputs of Dropouts that need care: graph
    outputs, and those with a mask in use.
    """

    view: SurgeryView
    nodes: list[NodeProto]

    @property
    def text(self) -> str:
        return f"{len(self.nodes)} of {self.view.facts.dropouts} Dropouts are left"

    @property
    def is_all(self) -> bool:
        return len(self.nodes) == self.view.facts.dropouts

    @property
    def in_main(self) -> list[NodeProto]:
        inside = {id(node) for node in self.view.after.graph.node}
        return [node for node in self.nodes if id(node) in inside]

    @property
    def in_functions(self) -> bool:
        return any(
            node.op_type == "Dropout"
            for function in self.view.after.functions
            for node in function.node
        )

    @cached_property
    def names(self) -> set[str]:
        return {node.output[0] for node in self.nodes if node.output}

    @property
    def special(self) -> set[str]:
        facts = self.view.facts
        return facts.outputs | {
            node.output[0]
            for node in self.nodes
            if len(node.output) > 1 and node.output[1] in facts.masks
        }


def removes_only_dropout(view: SurgeryView) -> Finding | None:
    """No Dropout is left, and of the other operators none is missing and none is new."""
    return view.stores_one_run() or _more_constants(view) or _left_over(view) or _other_nodes(view)


def writes_again(before: ModelProto, after: ModelProto) -> bool:
    """Decide whether a new node writes a name that a node of some graph wrote before."""
    old, new = (
        Counter(name for node in graphs.nodes(model) for name in node.output if name)
        for model in (before, after)
    )
    return any(number > old[name] > 0 for name, number in new.items())


def _more_constants(view: SurgeryView) -> Finding | None:
    if view.new_constants() <= MOST_PER_MASK * len(view.facts.masks):
        return None
    expected = "no more numbers in initializers and Constants than before"
    return Finding(expected, "the constants have grown", Mistakes.more_constants)


def _left_over(view: SurgeryView) -> Finding | None:
    dropouts = [node for node in graphs.nodes(view.after) if case_facts.is_dropout(node)]
    if not dropouts:
        return None
    left, expected = LeftOver(view, dropouts), "no Dropout in any graph of the model"
    return explained(expected, left.text, misconceptions.LEFT_OVER, view, left)


def _other_nodes(view: SurgeryView) -> Finding | None:
    """Nodes besides the Dropouts that went, or that came besides those of a mask."""
    if len(view.after.functions) > len(view.before.functions):
        return _new_operators(Counter({"local function": len(view.after.functions)}))
    # An Identity that was there may go: it computes nothing. A new one is a matter of quality.
    was, live = view.facts.remaining, view.liveness.live
    missing, new = _without_identity(was - live), _without_identity(live - was)
    if missing:
        expected = "every node but the Dropouts is still there and serves an output"
        namesakes = all(name.endswith("::Dropout") for name in missing)
        why = Mistakes.another_domain if namesakes else Mistakes.more_than_dropouts
        return Finding(expected, f"missing: {listed(missing)}", why)
    # A mask of all True can be made in many ways; whether it is one, the outputs tell.
    allowed = MOST_PER_MASK * len(view.facts.masks)
    return _new_operators(new) if new.total() > allowed else None


def _new_operators(new: Counter[str]) -> Finding:
    expected = (
        "no new operators, but an Identity for a graph output and what makes a mask that is used"
    )
    return Finding(expected, f"new: {listed(new)}", Mistakes.new_operators)


def _without_identity(count: Counter[str]) -> Counter[str]:
    return count - Counter({"Identity": count["Identity"]})
