"""What `shapes` gives points for, and its rungs in their order."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.shapes.judge import rungs
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, gate

# What each case has to pass: a rung that is about one function alone is looked at for its cases.
CORE = ("loads", "contract", "structure", "numerics")


class ShapesJudge(Judge):
    # Each difficulty is in one public and one hidden case. What is about all values or all windows (a
    # shape that is there is static, inference comes first, a quotient is no number of windows) costs
    # what a function is worth. One table of names for all graphs costs `declarations`, and `graphs` too,
    # because what the body of a loop leaves undeclared then counts as what the main graph declares.
    # A pooling layer computes the usual lists; `usual-sizes` has inputs beside them for which it does
    # not refuse rightly.
    points = 3.0
    items = (
        ItemSpec(
            name="usual-sizes",
            title="the number of windows",
            points=0.4,
            cases=("*defaults", "*strides"),
            controls=("hidden-too-short",),
        ),
        ItemSpec(
            name="padding-and-dilation",
            title="padding at either end, and dilation",
            points=0.3,
            cases=("*padding", "*dilations"),
        ),
        ItemSpec(
            name="ceil", title="an incomplete last step", points=0.2, cases=("ceil", "hidden-ceil")
        ),
        ItemSpec(
            name="short-inputs",
            title="inputs that are shorter than the window",
            points=0.2,
            cases=("*too-short", "*ceil-short"),
        ),
        ItemSpec(
            name="all-arguments", title="all arguments together", points=0.15, cases=("*mixed",)
        ),
        ItemSpec(
            name="usual-shapes",
            title="shapes that are static, named, unknown or missing",
            points=0.3,
            cases=("*chain",),
        ),
        ItemSpec(
            name="names",
            title="names that inference made up, and those that only look so",
            points=0.3,
            cases=("*called-unk", "*made-up", "*name-and-gap", "hidden-called-in-capitals"),
        ),
        ItemSpec(
            name="no-dimensions",
            title="scalars, dimensions of size 0, and types without a shape",
            points=0.2,
            cases=("*zero", "*scalars", "*no-shape"),
        ),
        ItemSpec(
            name="declarations",
            title="the declarations of the right graph, those of its outputs too",
            points=0.3,
            cases=("*graph-output", "*twins", "hidden-outputs-of-branches"),
        ),
        ItemSpec(
            name="values",
            title="the values that count: what nodes write, and has a name",
            points=0.3,
            cases=("*optional", "*exported"),
        ),
        ItemSpec(
            name="graphs",
            title="graphs in the attributes of nodes",
            points=0.2,
            cases=(
                *("branches", "hidden-branches", "*nested", "*list-of-graphs"),
                *("hidden-deeper", "hidden-names-of-a-body"),
            ),
        ),
        ItemSpec(
            name="tidy",
            title="whole numbers, and the model left as it was",
            points=0.15,
            cases=("*defaults", "*chain", "*exported"),
            needs=(*CORE, "quality"),
        ),
    )
    rungs = (
        gate("exists", rungs.exists),
        gate("type", rungs.is_answer, title="returns what the task asks for"),
        gate(
            "loads",
            rungs.looks_at_its_argument,
            title="follows from the argument",
        ),
        RungSpec(
            "contract",
            rungs.counts_each_value_once,
            title="counts each value once",
            function="shape_coverage",
        ),
        RungSpec(
            "structure",
            rungs.judges_shapes_rightly,
            title="judges shapes rightly",
            function="shape_coverage",
        ),
        RungSpec(
            "numerics",
            rungs.computes_sizes,
            title="computes sizes",
            function="conv_output_size",
        ),
        RungSpec(
            "quality",
            rungs.is_tidy,
            title="has whole numbers, and leaves the model as it was",
            is_property=True,
        ),
    )

    def function_of(self, case: Case) -> str:
        return str(case.parameters["function"])

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        if rungs.asks_for_sizes(case):
            return {"sizes": np.array(rungs.sizes(case, answer), np.int64)}
        return {
            "counts": np.array(
                [rungs.counts(case, answer)[name] for name in rungs.CLASSES], np.int64
            )
        }


JUDGE = ShapesJudge()
