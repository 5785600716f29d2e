"""The rungs of `export` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import numpy as np

from formatlab import numerics
from formatlab_exercises.export.ask import SIGNATURE
from formatlab_exercises.export.judge import cases, rungs
from formatlab_exercises.export.judge.findings import PAGE
from nbjudge.contract import Answer, Case, Judge, Reference, RungSpec, View, gate
from nbjudge.rungs import outcome


class ExportJudge(Judge):
    # A static batch is worth 40 %, a file that needs another one 10 %, what is wrong for one kind
    # of module about 70 %, and what one call of an exporter writes by itself 10 %.
    rungs = (
        gate("exists", 0.0, outcome.exists(SIGNATURE, f"{PAGE}#dynamic-dimensions"), cap_some=0.0),
        gate("type", 0.25, rungs.writes_a_file, cap_some=0.7),
        gate("loads", 0.375, rungs.loads, cap_some=0.7, cap_all=0.1),
        RungSpec("contract", 0.625, rungs.has_the_signature, cap_some=0.7, cap_all=0.5),
        RungSpec("structure", 0.25, rungs.is_open_and_evaluating, cap_some=0.6, cap_all=0.4),
        RungSpec(
            "structure: beyond one call",
            0.0,
            rungs.goes_beyond_one_call,
            cap_all=0.1,
            every_case=True,
            title="adds to the exporter's call",
        ),
        RungSpec("numerics", 0.375, rungs.computes_the_same, cap_some=0.5, cap_all=0.1),
        RungSpec("quality", 0.125, rungs.is_named_alike, cap_some=0.9, cap_all=0.9),
    )

    def view(self, case: Case, answer: Answer, reference: Reference) -> View:
        return View(case, rungs.as_came(case, answer), reference)

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The reference's outputs on the case's inputs: `<run>/0`."""
        data = rungs.as_came(case, answer).files[rungs.MODEL]
        return numerics.pack([numerics.run(data, [values])[0][0] for values in cases.inputs(case)])


JUDGE = ExportJudge()
