"""The judge of `gemm`: what each rung is worth, what a broken one leaves, and which mistakes stand
behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from formatlab_exercises.gemm.ask import SIGNATURE
from formatlab_exercises.gemm.judge import case_facts, cases, misconceptions, rungs
from formatlab_exercises.gemm.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge.surgery import SurgeryJudge, Worth
from formatlab_exercises.shared.judge.surgery_view import SurgeryView


class GemmJudge(SurgeryJudge):
    signature, page, section = SIGNATURE, misconceptions.PAGE, "fusing-a-pair"
    removes, means = "an Add", "the outputs of the argument"
    descriptions = cases.DESCRIPTIONS
    usual = "a BERT with a classifier; only the classifier's pairs may be fused."
    sections = cases.ANCHORS
    # A pair fused wrongly breaks loads, structure or numerics, often two of them; an answer that
    # fuses nothing is worth 10 %.
    worth: ClassVar[Mapping[str, Worth]] = {
        "type": Worth(0.8, cap_all=0.0),
        # An optimizer at its higher levels writes operators of its own into all but the simplest cases.
        "loads": Worth(0.7, cap_some=0.7, cap_all=0.1, all_at=0.85),
        "contract": Worth(0.4, cap_some=0.7, cap_all=0.7),
        "structure": Worth(1.0, cap_all=0.1),
        "numerics": Worth(0.6, cap_all=0.1),
        "quality": Worth(0.5, cap_all=0.7),
    }
    facts = staticmethod(case_facts.read)
    structure = staticmethod(rungs.fuses_what_it_may)
    refused = staticmethod(rungs.refused)
    unwritten, wrong_outputs = misconceptions.UNWRITTEN, misconceptions.WRONG_OUTPUTS
    output_twice = Mistakes.two_outputs_of_one_name
    does_not_run = Mistakes.batch_taken_for_granted
    stand_in, dead_nodes = Mistakes.new_identity, Mistakes.matmul_left
    unused_initializers, not_idempotent = Mistakes.weights_copied, Mistakes.fuses_twice

    def new_identities(self, view: SurgeryView) -> int:
        return view.liveness.live["Identity"] - view.facts.live["Identity"]


JUDGE = GemmJudge()
