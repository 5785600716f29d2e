"""The judge of `dropout`: what each rung is worth, what a broken one leaves, and which mistakes
stand behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from formatlab_exercises.dropout.ask import SIGNATURE
from formatlab_exercises.dropout.judge import case_facts, cases, misconceptions, rungs
from formatlab_exercises.dropout.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge.surgery import SurgeryJudge, Worth
from nbjudge.contract import Case


class DropoutJudge(SurgeryJudge):
    signature, page, section = SIGNATURE, misconceptions.PAGE, "rewiring"
    removes = "a Dropout"
    means = "the outputs of the same model with each Dropout passing its input on"
    descriptions = cases.DESCRIPTIONS
    usual = "a BERT as the exporter writes it."
    sections = cases.ANCHORS
    # A crash or an invalid model on one edge case costs that rung; Dropouts left everywhere are
    # worth 10 %, stand-ins 70 %.
    worth: ClassVar[Mapping[str, Worth]] = {
        "type": Worth(0.4, cap_all=0.0),
        "loads": Worth(0.8, cap_some=0.7, cap_all=0.1),
        "contract": Worth(0.2, cap_some=0.7, cap_all=0.7),
        "structure": Worth(1.0, cap_all=0.1),
        "numerics": Worth(1.4, cap_all=0.1),
        "quality": Worth(0.2, cap_all=0.7),
    }
    facts, structure = staticmethod(case_facts.read), staticmethod(rungs.removes_only_dropout)
    unwritten, wrong_outputs = misconceptions.UNWRITTEN, misconceptions.WRONG_OUTPUTS
    output_twice = Mistakes.two_outputs_of_one_name
    does_not_run, random = Mistakes.fixes_what_was_open, Mistakes.still_random
    stand_in, dead_nodes = Mistakes.identity_instead, Mistakes.stale_nodes
    unused_initializers = Mistakes.stale_initializers
    not_idempotent = Mistakes.counts_on_a_dropout

    def pretrained_cases(self, seed: int) -> list[Case]:
        return [cases.pretrained_case(seed)]


JUDGE = DropoutJudge()
