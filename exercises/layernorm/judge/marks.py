"""The judge of `layernorm`: what each rung is worth, what a broken one leaves, and which mistakes
stand behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from formatlab_exercises.layernorm.ask import SIGNATURE
from formatlab_exercises.layernorm.judge import case_facts, cases, misconceptions, rungs
from formatlab_exercises.layernorm.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge.surgery import SurgeryJudge, Worth
from nbjudge.contract import Case


def _rung(part: str) -> str:
    return f"structure: {part}"


class LayerNormJudge(SurgeryJudge):
    signature, page, section = SIGNATURE, misconceptions.PAGE, "removing-layernorm"
    removes = "a LayerNorm"
    means = "the outputs of the same model with Identity in place of each LayerNorm"
    descriptions = cases.DESCRIPTIONS
    usual = "a BERT as the exporter writes it."
    sections = cases.ANCHORS
    # Two thirds are the four parts. Doing nothing is worth 10 %, stand-ins and leftovers 70 %.
    parts: ClassVar[Mapping[str, str]] = {
        _rung(part): part for part in (*cases.PARTS, cases.READERS)
    }
    worth: ClassVar[Mapping[str, Worth]] = {
        "type": Worth(0.3, cap_all=0.0),
        "loads": Worth(0.6, cap_some=0.7, cap_all=0.1),
        "contract": Worth(0.3, cap_some=0.7, cap_all=0.7),
        _rung("fused"): Worth(0.9),
        _rung("spelled out"): Worth(1.2),
        _rung("left alone"): Worth(0.9),
        _rung("readers"): Worth(0.9),
        # Removing fused ones alone is right on few cases, and some leave no initializer behind.
        "numerics": Worth(0.3, cap_all=0.1, all_at=1.0),
        "quality": Worth(0.6, cap_all=0.7, all_at=1.0),
    }
    facts, structure = staticmethod(case_facts.read), staticmethod(rungs.removes_only_layernorm)
    unwritten, wrong_outputs = misconceptions.UNWRITTEN, misconceptions.WRONG_OUTPUTS
    output_twice = Mistakes.two_outputs_of_one_name
    does_not_run = Mistakes.fixes_what_was_open
    stand_in, dead_nodes = Mistakes.identity_instead, Mistakes.stale_nodes
    unused_initializers = Mistakes.stale_initializers
    not_idempotent = Mistakes.counts_on_a_layernorm

    def function_of(self, case: Case) -> str:
        return cases.part_of(case)


JUDGE = LayerNormJudge()
