"""What `layernorm` asks of the graph: no LayerNorm's result is read, and of the other operators
none is missing and none is new.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from autograder.contract import Finding
from autograder.findings import explained
from exercises.layernorm.judge import case_facts, misconceptions, misconceptions_left
from exercises.layernorm.judge.case_facts import Place
from exercises.layernorm.judge.misconceptions import Mistakes
from exercises.shared.judge.models import listed
from exercises.shared.judge.surgery_mistakes import SurgeryMistakes
from exercises.shared.judge.surgery_view import SurgeryView


@dataclass(frozen=True)
class LeftOver:
    """LayerNorms that are still there."""

    view: SurgeryView
    places: tuple[Place, ...]

    @property
    def text(self) -> str:
        return f"{len(self.places)} of {len(self.view.facts.norms)} LayerNorms are left"

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


def removes_only_layernorm(view: SurgeryView) -> Finding | None:
    """No LayerNorm's result is read, and of the other operators none is missing and none is new."""
    if view.has_new_constant_output():
        return Finding(
            "every output depends on the graph's inputs",
            "an output that depends on no input",
            SurgeryMistakes.stores_one_run,
        )
    if len(view.after.functions) > len(view.before.functions):
        return _new_operators(Counter({"local function": len(view.after.functions)}))
    if places := case_facts.places(view.after):
        left = LeftOver(view, places)
        expected = (
            "no LayerNorm whose result is read, fused or spelled out, in any graph of the model"
        )
        return explained(expected, left.text, misconceptions_left.LEFT_OVER, left)
    facts, live = view.facts, view.liveness.live
    # An Identity that was there may go: it computes nothing. A new one is a matter of quality.
    missing, new = (
        count - Counter({"Identity": count["Identity"]})
        for count in (facts.remaining - live, live - facts.remaining)
    )
    if missing:
        expected = "every node besides the LayerNorms is still there and serves an output"
        return explained(expected, f"missing: {listed(missing)}", misconceptions.MISSING, missing)
    if new - (facts.live - facts.remaining):
        return _new_operators(new)
    if view.new_constants() > 0:
        expected = "no more numbers in initializers and Constants than before"
        return Finding(expected, "the constants have grown", Mistakes.more_constants)
    expected = "what remains of a LayerNorm is what other nodes read"
    return (
        explained(expected, f"left: {listed(new)}", misconceptions.STILL_THERE, new)
        if new
        else None
    )


def _new_operators(new: Counter[str]) -> Finding:
    return Finding(
        "no new operators, but an Identity for a graph output",
        f"new: {listed(new)}",
        Mistakes.new_operators,
    )
