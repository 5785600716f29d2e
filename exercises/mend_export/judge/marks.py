"""What `mend_export` gives points for, and its rungs in their order."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.mend_export.ask import SIGNATURE
from formatlab_exercises.mend_export.judge import rungs
from formatlab_exercises.mend_export.judge.misconceptions import IDEAS
from formatlab_exercises.mend_export.judge.rungs import FileView
from nbjudge.contract import Answer, Case, ItemSpec, Judge, Reference, RungSpec, gate
from nbjudge.rungs import outcome

# Each refusal has the look of a case that has to be exported, and these are two, so that nobody earns
# these by refusing.
EXPORTED = ("one-row", "hidden-usual")


CORE = ("contract", "structure", "numerics")
EVERY_NAME = (*CORE, "contract: every name")


class MendExportJudge(Judge[FileView]):
    # Whoever leaves it to the exporter what may be open (Dim.AUTO, Dim.DYNAMIC, an export in one step)
    # gets right files and refuses too little, and a wrong file does more harm than none: refusals are
    # three eighths of the points. Two items are lost by whoever declares one Dim for sizes that are
    # equal (an example of one row in two axes has such, too), leaves the example as it is (a multiple
    # may be its own size), declares inputs by the names in the file (the case of keywords is nested
    # as well), or names inputs by their place.
    points = 4.0
    items = (
        ItemSpec(
            name="usual",
            title="a file that is right for every size of its open axes",
            points=0.5,
            cases=("hidden-usual",),
        ),
        ItemSpec(
            name="names",
            title="inputs and sizes called as wanted says",
            points=0.2,
            cases=("hidden-usual",),
            needs=(*CORE, "contract: the names"),
        ),
        ItemSpec(
            name="one",
            title="an example in which an open size is 1",
            points=0.4,
            cases=("one-row", "hidden-two-ones"),
        ),
        ItemSpec(
            name="equal",
            title="two open sizes that are equal by chance, or because they have one word",
            points=0.3,
            cases=("equal-by-chance", "hidden-equal-by-chance", "hidden-one-word-twice"),
        ),
        ItemSpec(
            name="nested",
            title="inputs in dicts, lists and tuples",
            points=0.3,
            cases=("nested-deeper", "hidden-nested-deeper"),
            needs=EVERY_NAME,
        ),
        ItemSpec(
            name="order",
            title="keywords in another order than wanted and forward have",
            points=0.3,
            cases=("nested", "hidden-keywords"),
        ),
        ItemSpec(
            name="limits",
            title="sizes with a smallest or a largest value",
            points=0.3,
            cases=("between", "one-limit", "hidden-between", "hidden-one-limit"),
        ),
        ItemSpec(
            name="multiples",
            title="a size that comes in multiples",
            points=0.2,
            cases=("in-pairs", "hidden-in-threes"),
            needs=EVERY_NAME,
        ),
        ItemSpec(
            name="stored",
            title="refusing a module that stores a size of the example",
            points=0.4,
            cases=("refuse-counted", "refuse-mask", "hidden-refuse-counted", "hidden-refuse-mask"),
            controls=EXPORTED,
        ),
        ItemSpec(
            name="tied",
            title="refusing a module that needs two open sizes to be equal",
            points=0.3,
            cases=("refuse-tied", "hidden-refuse-tied"),
            controls=EXPORTED,
        ),
        ItemSpec(
            name="narrower",
            title="refusing a module that works for fewer sizes than wanted and limits allow",
            points=0.5,
            cases=(
                *("refuse-unlimited", "hidden-refuse-unlimited"),
                *("hidden-refuse-few", "hidden-refuse-beyond"),
            ),
            controls=EXPORTED,
        ),
        ItemSpec(
            name="choice",
            title="refusing a module that chooses by a value in Python",
            points=0.3,
            cases=("hidden-refuse-choice",),
            controls=EXPORTED,
        ),
    )
    rungs = (
        gate("exists", outcome.exists(SIGNATURE, IDEAS)),
        gate("type", rungs.returns_a_model, title="returns a model"),
        gate("loads", rungs.loads, title="loads"),
        RungSpec(
            "contract",
            rungs.has_the_signature,
            title="has open sizes where wanted has words, and no others",
        ),
        RungSpec(
            "structure",
            rungs.refuses_what_no_file_can_keep,
            title="refuses what no file can keep",
        ),
        RungSpec(
            "numerics",
            rungs.computes_the_same_at_every_size,
            title="computes the same at every size",
        ),
        RungSpec(
            "contract: the names",
            rungs.names_as_wanted,
            title="calls inputs and sizes as wanted does",
            is_property=True,
        ),
        RungSpec(
            "contract: every name",
            rungs.names_every_size,
            title="calls all sizes as wanted does, or none",
            is_property=True,
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
