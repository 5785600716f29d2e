"""What `layernorm` asks of the graph: no LayerNorm's result is read, and of the other operators
none is missing and none is new.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from formatlab import graphs
from formatlab_exercises.layernorm.judge import case_facts, misconceptions
from formatlab_exercises.layernorm.judge.case_facts import Place
from formatlab_exercises.layernorm.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge.models import listed
from formatlab_exercises.shared.judge.surgery_view import SurgeryView
from nbjudge.contract import Finding
from nbjudge.findings import explained


@dataclass(frozen=True)
class LeftOver:
    """LayerNorms that are still there."""

    view: SurgeryView
    places: tuple[Place, ...]

    @property
    def text(self) -> str:
        return f"{len(self.places)} of {len(self.view.facts.norms)} LayerNorms are left"

    @property
    def lost_its_affine(self) -> bool:
        """Whether a Mul or an Add with a constant read what each of them writes, beside others, and
        was taken for its scale or bias.
        """
        forks = {norm.result for norm in self.view.facts.norms if norm.forks}
        return all(place.result in forks and not place.forks for place in self.places)

    @property
    def spelt_out(self) -> str:
        return f"{self.text}: nothing was removed, and all are spelled out"

    @property
    def is_all(self) -> bool:
        return len(self.places) == len(self.view.facts.norms)

    @property
    def square(self) -> str:
        """The operator of their squares, if they are just those LayerNorms that have it."""
        squares = {place.square for place in self.places}
        alike = {place for place in self.view.facts.norms if place.square in squares} == set(
            self.places
        )
        return (
            squares.pop()
            if len(self.places) > 1 and len(squares) == 1 and alike and not self.places[0].fused
            else ""
        )


@dataclass(frozen=True)
class Lost:
    """Operators that should have stayed, with how often each is missing."""

    view: SurgeryView
    counts: Counter[str]

    def has(self, *operators: str) -> bool:
        """Whether each of them is missing."""
        return self.counts.keys() >= {*operators}

    def has_any(self, *operators: str) -> bool:
        return bool(self.counts.keys() & {*operators})

    def are_any(self, quotients: frozenset[str]) -> bool:
        """Whether some of these are no quotients any more."""
        nodes = graphs.nodes(self.view.after)
        return not quotients <= {node.output[0] for node in nodes if node.op_type == "Div"}


def removes_only_layernorm(view: SurgeryView) -> Finding | None:
    """No LayerNorm's result is read, and of the other operators none is missing and none is new."""
    return view.stores_one_run() or _left_over(view) or _other_nodes(view)


def _left_over(view: SurgeryView) -> Finding | None:
    if len(view.after.functions) > len(view.before.functions):
        return _new_operators(Counter({"local function": len(view.after.functions)}))
    if not (places := case_facts.places(view.after)):
        return None
    left = LeftOver(view, places)
    expected = "no LayerNorm whose result is read, fused or spelled out, in any graph of the model"
    return explained(expected, left.text, misconceptions.LEFT_OVER, left)


def _other_nodes(view: SurgeryView) -> Finding | None:
    """Nodes besides those of the LayerNorms that went or came."""
    facts, live = view.facts, view.liveness.live
    missing, new = (
        _without_identity(facts.remaining - live),
        _without_identity(live - facts.remaining),
    )
    if missing:
        expected = "every node besides the LayerNorms is still there and serves an output"
        return explained(
            expected, f"missing: {listed(missing)}", misconceptions.MISSING, Lost(view, missing)
        )
    if new - (facts.live - facts.remaining):
        return _new_operators(new)
    return _remains(view, new)


def _remains(view: SurgeryView, new: Counter[str]) -> Finding | None:
    """What is left of a LayerNorm: more numbers than before, or `new` nodes that it consisted of."""
    if view.new_constants() > 0:
        expected = "no more numbers in initializers and Constants than before"
        return Finding(expected, "the constants have grown", Mistakes.more_constants)
    if not new:
        return None
    expected = "what remains of a LayerNorm is what other nodes read"
    return explained(expected, f"left: {listed(new)}", misconceptions.STILL_THERE, new)


def _without_identity(counts: Counter[str]) -> Counter[str]:
    """An Identity that was there may go: it computes nothing. A new one is a matter of quality."""
    return counts - Counter({"Identity": counts["Identity"]})


def _new_operators(new: Counter[str]) -> Finding:
    return Finding(
        "no new operators, but an Identity for a graph output",
        f"new: {listed(new)}",
        Mistakes.new_operators,
    )
