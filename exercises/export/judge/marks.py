"""What `export` gives points for, and its rungs in their order."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.export.ask import SIGNATURE
from formatlab_exercises.export.judge import cases, rungs
from formatlab_exercises.export.judge.rungs import PAGE
from formatlab_exercises.shared.judge import ruler
from nbjudge.contract import Answer, Case, ItemSpec, Judge, Reference, RungSpec, View, gate
from nbjudge.rungs import outcome

RIGHT = ("contract", "structure", "numerics")
# The modules of the items that are about more than the file's numbers: an ordinary one, one of two
# inputs, and one whose parts are in several modes, with another one of which there is no valid file.
ORDINARY = ("mlp", "hidden-mlp")
TWO_INPUTS = ("two-inputs-one-row", "hidden-one-row")
NEWER = ("newer-operator", "hidden-newer-operator")


class ExportJudge(Judge):
    # A file that holds for the example's rows alone, or that needs another one, is none: it earns
    # nothing. Whoever refuses an example of one row loses both items that have one, and whoever forgets
    # a second input the items that have two. Where no valid file can be made, whoever leaves one loses
    # the item of the module as well, which looks at what an exception leaves.
    points = 2.0
    items = (
        ItemSpec(
            name="ordinary",
            title="an ordinary module, for any number of rows",
            points=0.4,
            cases=ORDINARY,
        ),
        ItemSpec(
            name="convolutions",
            title="a network of convolutions",
            points=0.2,
            cases=("hidden-cnn",),
        ),
        ItemSpec(
            name="whole-numbers",
            title="an input of whole numbers",
            points=0.2,
            cases=("hidden-tokens",),
        ),
        ItemSpec(
            name="one-row",
            title="two inputs, and an example of one row",
            points=0.1,
            cases=TWO_INPUTS,
        ),
        ItemSpec(
            name="encoder",
            title="a layer of a transformer, and a tuple with an example of one row",
            points=0.1,
            cases=("encoder-one-row", "hidden-encoder"),
        ),
        ItemSpec(
            name="no-valid-file",
            title="an exception and no file where no valid file can be made",
            points=0.3,
            cases=NEWER,
            controls=("hidden-cnn",),
        ),
        ItemSpec(
            name="module",
            title="the module left as it was",
            points=0.2,
            cases=(*ORDINARY, *NEWER),
            needs=(*RIGHT, "contract: the module"),
        ),
        ItemSpec(
            name="names",
            title="the names, the order and the sizes of inputs and output",
            points=0.2,
            cases=(*ORDINARY, *TWO_INPUTS),
            needs=(*RIGHT, "contract: the names"),
        ),
        ItemSpec(
            name="opset",
            title="opset 18",
            points=0.1,
            cases=(*ORDINARY, "hidden-cnn"),
            needs=(*RIGHT, "contract: the opset"),
        ),
        ItemSpec(
            name="folder",
            title="nothing left beside the file",
            points=0.1,
            cases=ORDINARY,
            needs=(*RIGHT, "contract: the folder"),
        ),
        ItemSpec(
            name="rows",
            title="one name for the rows, the same everywhere",
            points=0.1,
            cases=ORDINARY,
            needs=(*RIGHT, "quality"),
        ),
    )
    rungs = (
        gate("exists", outcome.exists(SIGNATURE, f"{PAGE}#open-axes")),
        gate("type", rungs.writes_a_file, title="writes a file, or raises and leaves none"),
        gate("loads", rungs.loads, title="writes one file that loads"),
        RungSpec(
            "contract",
            rungs.has_open_rows,
            title="has forward's inputs, one output, and open rows",
        ),
        RungSpec(
            "structure",
            rungs.is_open_and_evaluating,
            title="runs for any number of rows, in evaluation mode",
        ),
        RungSpec("numerics", rungs.computes_the_same, title="computes what the module does"),
        RungSpec(
            "contract: the module",
            rungs.leaves_the_module,
            title="leaves the module as it was",
            is_property=True,
        ),
        RungSpec(
            "contract: the names",
            rungs.has_the_names,
            title="has the names and sizes that were asked for",
            is_property=True,
        ),
        RungSpec(
            "contract: the opset",
            rungs.has_the_opset,
            title="has the opset that was asked for",
            is_property=True,
        ),
        RungSpec(
            "contract: the folder",
            rungs.leaves_one_file,
            title="leaves nothing beside its file",
            is_property=True,
        ),
        RungSpec(
            "quality",
            rungs.is_named_alike,
            title="has one name for the rows",
            is_property=True,
        ),
    )

    def view(self, case: Case, answer: Answer, reference: Reference) -> View:
        return View(case, rungs.as_came(case, answer), reference)

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The outputs of the reference's file on the case's inputs, in float32 and in float64."""
        data = rungs.as_came(case, answer).files[rungs.MODEL]
        return ruler.digest(data, cases.inputs(case))


JUDGE = ExportJudge()
