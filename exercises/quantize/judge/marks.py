"""The rungs of `quantize` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.quantize.ask import SIGNATURE
from formatlab_exercises.quantize.judge import rungs
from formatlab_exercises.shared.judge import arrays
from nbjudge.contract import Answer, Case, Judge, RungSpec, gate
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known


class QuantizeJudge(Judge):
    # Tensors do not depend on each other, so each that is wrong costs its share twice; an answer that
    # is wrong on most of them earns a tenth.
    rungs = (
        gate("exists", 0.0, outcome.exists(SIGNATURE, rungs.AFFINE)),
        gate("type", 0.0, rungs.is_triple, title="returns it"),
        RungSpec("contract", 0.2, rungs.has_the_types, cap_some=0.6, cap_all=0.5),
        RungSpec("structure", 0.9, rungs.has_scale_and_zero_point, cap_all=0.1, slip=2),
        RungSpec("numerics", 0.9, rungs.has_the_codes, cap_all=0.1, slip=2),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        found = known(arrays.read(answer))
        return {
            "scale": found["scale"].astype(np.float32),
            "zero_point": found["zero_point"].astype(np.int32),
        }


JUDGE = QuantizeJudge()
