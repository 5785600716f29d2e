"""The rungs of `capstone` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import numpy as np

from formatlab import quantized
from formatlab_exercises.capstone import ask, passport
from formatlab_exercises.capstone.judge import audit, cases, findings, rungs
from nbjudge.contract import Answer, Case, Judge, RungSpec, gate
from nbjudge.rungs import outcome


class CapstoneJudge(Judge):
    # A passport that does not tell the truth costs what stands behind `quality`; an artefact that
    # is missing or fake caps the rest, and so do files of another module in most cases. Copies of
    # one export, with a passport that is true of none of them, are worth a tenth.
    rungs = (
        gate("exists", 0.0, outcome.exists(ask.SIGNATURE, passport.PAGE), cap_some=0.0),
        gate(
            "type",
            0.3,
            rungs.is_passport,
            title="returns a passport with all entries",
            cap_some=0.6,
        ),
        gate("loads", 0.6, rungs.loads, cap_some=0.6, cap_all=0.1),
        RungSpec(
            "contract",
            0.6,
            rungs.keeps_contract,
            title="keeps the module, the signature and the names of the weights",
            cap_some=0.7,
            cap_all=0.7,
        ),
        RungSpec(
            "structure",
            0.6,
            rungs.is_what_it_says,
            title="writes files that hold the types of their names",
            cap_some=0.7,
            cap_all=0.5,
        ),
        RungSpec(
            "structure: beyond copies",
            0.0,
            audit.goes_beyond_copies,
            cap_all=0.1,
            title="converts or describes",
        ),
        RungSpec(
            "numerics: the module",
            0.0,
            rungs.is_of_the_module,
            title="exports the module that was given",
            slip=1.0,
            cap_some=0.6,
            cap_all=0.1,
        ),
        RungSpec("numerics", 0.7, rungs.computes_the_same, cap_some=0.6, cap_all=0.4),
        RungSpec("quality", 1.2, audit.tells_the_truth),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """What the module computes, as the reference's float32 artefact gives it, for the example
        and for fresh rows.
        """
        rows = [{findings.INPUT: ask.example(case)}, {findings.INPUT: cases.fresh(case)}]
        [example], [fresh] = quantized.evaluate(answer.files["fp32.onnx"], rows)
        return {"example": example, "fresh": fresh}


JUDGE = CapstoneJudge()
