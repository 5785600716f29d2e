"""The rungs of `optimizers` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import json

import numpy as np

from formatlab import numerics
from formatlab_exercises.optimizers.ask import SIGNATURE
from formatlab_exercises.optimizers.judge import rungs
from formatlab_exercises.optimizers.judge.findings import PAGE
from nbjudge.contract import Answer, Case, Judge, RungSpec, gate
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known


class OptimizersJudge(Judge):
    # Right counts without files, or with files for one size alone, are worth half, right files with
    # the counts of something else 30 %, one confused level about 65 %.
    rungs = (
        gate("exists", 0.0, outcome.exists(SIGNATURE, f"{PAGE}#saved-graphs"), cap_some=0.0),
        gate("type", 0.0, rungs.is_dict, title="returns a dict", cap_some=0.7),
        gate("loads", 0.5, rungs.loads, cap_some=0.7),
        RungSpec("contract", 0.2, rungs.is_complete, cap_some=0.7, cap_all=0.5),
        RungSpec("structure", 0.7, rungs.counts_the_levels, cap_some=0.7, cap_all=0.3),
        RungSpec("numerics", 0.5, rungs.files_agree, cap_some=0.7, cap_all=0.3),
        RungSpec(
            "quality",
            0.1,
            rungs.is_tidy,
            title="counts operators that are there, as ints",
            cap_some=0.95,
            cap_all=0.95,
        ),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The counts of the levels that are the same on every processor, and the outputs of the
        unoptimized graph: `<run>/<position>`.
        """
        report = known(rungs.report(answer))
        counts = {level: rungs.counts(report, level) for level in rungs.portable(case)}
        outputs = numerics.run(answer.files["disable.onnx"], rungs.inputs_of(case))
        stored = np.frombuffer(json.dumps(counts, sort_keys=True).encode(), np.uint8)
        return {rungs.COUNTS: stored, **numerics.pack([run[0] for run in outputs])}


JUDGE = OptimizersJudge()
