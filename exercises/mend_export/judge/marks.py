"""The rungs of `mend_export` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.mend_export.ask import SIGNATURE
from formatlab_exercises.mend_export.judge import rungs
from formatlab_exercises.mend_export.judge.misconceptions import IDEAS
from formatlab_exercises.mend_export.judge.rungs import FileView
from nbjudge.contract import Answer, Case, Judge, Reference, RungSpec, gate
from nbjudge.rungs import outcome


class MendExportJudge(Judge[FileView]):
    # A file for the example's sizes alone is worth a tenth, and so is raising whatever comes: six in
    # ten of the hidden modules have a right file. A file for a module that has none costs half.
    rungs = (
        gate("exists", 0.0, outcome.exists(SIGNATURE, IDEAS), cap_some=0.0),
        RungSpec(
            "type", 0.5, rungs.returns_a_model, cap_some=0.6, cap_all=0.0, all_at=0.6, gate=True
        ),
        gate("loads", 0.25, rungs.loads, cap_some=0.6, cap_all=0.1),
        RungSpec("contract", 1.0, rungs.has_the_signature, cap_some=0.6, cap_all=0.4, all_at=0.55),
        RungSpec("structure", 1.25, rungs.refuses_what_no_file_can_keep, cap_some=0.5),
        RungSpec(
            "numerics",
            1.0,
            rungs.computes_the_same_at_every_size,
            cap_some=0.5,
            cap_all=0.1,
            all_at=0.55,
        ),
    )

    def view(self, case: Case, answer: Answer, reference: Reference) -> FileView:
        return FileView(case, rungs.as_came(case, answer), reference)

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The module's output in float64 for each run, and what is allowed beside it; of a module that
        has no right file, that it is refused.
        """
        return rungs.truths(case) or {"refused": np.array(1, np.uint8)}


JUDGE = MendExportJudge()
