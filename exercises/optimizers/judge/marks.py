"""What `optimizers` gives points for, and its rungs in their order."""

from __future__ import annotations

import json

import numpy as np

from formatlab_exercises.optimizers.ask import MODEL, SIGNATURE
from formatlab_exercises.optimizers.judge import rungs
from formatlab_exercises.optimizers.judge.rungs import PAGE
from formatlab_exercises.shared.judge import ruler
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, gate
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

COUNTED, SAVED = ("contract: keys", "structure"), ("contract: files", "numerics")
FOLDED = ("constants", "hidden-constants")
NESTED = ("branches", "hidden-nested")
FUSED = ("cnn", "transformer", "hidden-transformer")
LAYOUT = ("quantized", "hidden-quantized")


class OptimizersJudge(Judge):
    # What is counted and what is saved are two questions, so that right counts without files earn
    # theirs, as do right files that are counted wrongly. A session with another level than its own is
    # wrong in both. Every model changes at some level, so that nobody earns anything with the source.
    # What `cnn` becomes depends on the processor, so it has no twin that decides.
    points = 2.0
    items = (
        ItemSpec(
            name="folded",
            title="the operators where basic computes constants",
            points=0.2,
            cases=FOLDED,
            needs=COUNTED,
        ),
        ItemSpec(
            name="source",
            title="the source left as it was",
            points=0.1,
            cases=FOLDED,
            needs=(*COUNTED, "contract: the source"),
        ),
        ItemSpec(
            name="fused",
            title="the operators where extended fuses several into one",
            points=0.2,
            cases=FUSED,
            needs=COUNTED,
        ),
        ItemSpec(
            name="nested",
            title="operators in graphs inside nodes, at any depth",
            points=0.2,
            cases=NESTED,
            needs=COUNTED,
        ),
        ItemSpec(
            name="domains",
            title="local functions, and operators of one name in two domains",
            points=0.2,
            cases=("hidden-functions",),
            needs=COUNTED,
        ),
        ItemSpec(
            name="layout",
            title="what the layout level does that extended does not",
            points=0.15,
            cases=LAYOUT,
            needs=COUNTED,
        ),
        ItemSpec(
            name="all",
            title="what the highest level does that layout does not",
            points=0.15,
            cases=("hidden-half",),
            needs=COUNTED,
        ),
        ItemSpec(
            name="files-folded",
            title="the files where basic computes constants",
            points=0.3,
            cases=(*FOLDED, *NESTED),
            needs=SAVED,
        ),
        ItemSpec(
            name="files-fused",
            title="the files where functions are written out and operators fused",
            points=0.2,
            cases=(*FUSED, "hidden-functions"),
            needs=SAVED,
        ),
        ItemSpec(
            name="files-layout",
            title="the files in which the two highest levels differ from extended",
            points=0.2,
            cases=(*LAYOUT, "hidden-half"),
            needs=SAVED,
        ),
        ItemSpec(
            name="ints",
            title="counts that are ints of 1 or more",
            points=0.1,
            cases=FOLDED,
            needs=(*COUNTED, "quality"),
        ),
    )
    rungs = (
        gate("exists", outcome.exists(SIGNATURE, f"{PAGE}#saved-graphs")),
        gate("type", rungs.is_dict, title="returns a dict"),
        gate("loads", rungs.loads, title="saves graphs of this model that load"),
        RungSpec("contract: keys", rungs.has_keys, title="has a key for each level"),
        RungSpec(
            "contract: files",
            rungs.has_files,
            title="saves a file for each level, for inputs of every size",
        ),
        RungSpec("structure", rungs.counts_the_levels, title="counts what each level leaves"),
        RungSpec(
            "numerics",
            rungs.files_agree,
            title="saves what each level leaves, which computes what the source does",
        ),
        RungSpec(
            "contract: the source",
            rungs.leaves_the_source,
            title="leaves the source as it was",
            is_property=True,
        ),
        RungSpec(
            "quality",
            rungs.is_tidy,
            title="counts operators that are there, as ints",
            is_property=True,
        ),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The counts of the levels that are the same on every processor, and what the source gives."""
        report = known(rungs.report(answer))
        counts = {level: rungs.counts(report, level) for level in rungs.portable(case)}
        stored = np.frombuffer(json.dumps(counts, sort_keys=True).encode(), np.uint8)
        return {rungs.COUNTS: stored, **ruler.digest(case.files[MODEL], rungs.inputs_of(case))}


JUDGE = OptimizersJudge()
