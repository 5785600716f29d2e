"""The judge of `layernorm`: what each rung is worth, what a broken one leaves, and which mistakes stand behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from exercises.layernorm.ask import SIGNATURE
from exercises.layernorm.judge import case_facts, cases, misconceptions, rungs
from exercises.shared.judge.surgery import SurgeryJudge, Worth


class LayerNormJudge(SurgeryJudge):
    signature, page, section = SIGNATURE, misconceptions.PAGE, "removing-layernorm"
    removes, means = "a LayerNorm", "the outputs of the same model with Identity in place of each LayerNorm"
    twists, usual, sections = cases.TWISTS, "a BERT as the exporter writes it.", cases.ANCHORS
    # A LayerNorm that is missed, or a relative that is taken for one, breaks structure and numerics together; doing nothing is worth
    # 10 %, stand-ins and leftovers 70 %.
    worth: ClassVar[Mapping[str, Worth]] = {
        "type": Worth(0.8, all=0.0),
        "loads": Worth(0.8, some=0.7, all=0.1),
        "contract": Worth(0.4, some=0.7, all=0.7),
        "structure": Worth(1.1, all=0.3),
        "numerics": Worth(0.4, all=0.1),
        "quality": Worth(0.5, all=0.7),
    }
    facts, structure = staticmethod(case_facts.read), staticmethod(rungs.removes_only_layernorm)
    unwritten, wrong_outputs = misconceptions.UNWRITTEN, misconceptions.WRONG_OUTPUTS
    output_twice = misconceptions.two_outputs_of_one_name
    does_not_run = misconceptions.fixes_what_was_open
    stand_in, dead_nodes = misconceptions.identity_instead, misconceptions.stale_nodes
    unused_initializers, not_idempotent = misconceptions.stale_initializers, misconceptions.counts_on_a_layernorm


JUDGE = LayerNormJudge()
