"""What `inspect` gives points for, and its rungs in their order."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.inspect.ask import SIGNATURE
from formatlab_exercises.inspect.judge import rungs
from formatlab_exercises.inspect.judge.misconceptions import PAGE
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, gate
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

CORE = ("structure", "numerics")


def _models(*names: str) -> tuple[str, ...]:
    """Cases of these models, public and hidden ones."""
    return tuple(f"*{name}" for name in names)


class InspectJudge(Judge):
    # An item for each kind of model. A key that is forgotten costs three of them, so that what is left
    # is worth about half. Nodes and weights inside other graphs are in every model that has such, and
    # so are names of domains: whoever never looks there loses several items.
    points = 3.0
    items = (
        ItemSpec(
            name="plain",
            title="a plain model, with all five keys",
            points=0.45,
            cases=_models("plain"),
            needs=("contract", *CORE),
        ),
        ItemSpec(
            name="versions",
            title="the opset, behind other domains or under its other name",
            points=0.45,
            cases=_models("vendor_first", "alias"),
            needs=("contract", *CORE),
        ),
        ItemSpec(
            name="branches",
            title="the branches of an If",
            points=0.3,
            cases=_models("branches"),
        ),
        ItemSpec(
            name="nested",
            title="graphs at any depth, in any attribute",
            points=0.45,
            cases=_models("nested", "scan", "graph_list"),
        ),
        ItemSpec(
            name="functions",
            title="the bodies of functions",
            points=0.3,
            cases=_models("functions"),
        ),
        ItemSpec(
            name="external",
            title="external data",
            points=0.45,
            cases=(*_models("external"), "hidden-external_subgraph"),
            needs=("contract", *CORE),
        ),
        ItemSpec(
            name="types",
            title="initializers of other types than float32",
            points=0.15,
            cases=("hidden-low_precision",),
        ),
        ItemSpec(
            name="defaults",
            title="initializers that are the defaults of inputs",
            points=0.15,
            cases=("hidden-defaults",),
        ),
        ItemSpec(
            name="whole-numbers",
            title="whole numbers",
            points=0.15,
            cases=_models("plain"),
            needs=(*CORE, "quality"),
        ),
        ItemSpec(
            name="argument",
            title="the model left as it was",
            points=0.15,
            cases=_models("external"),
            needs=(*CORE, "contract: the argument"),
        ),
    )
    rungs = (
        gate("exists", outcome.exists(SIGNATURE, f"{PAGE}#bytes")),
        gate("type", rungs.is_dict, title="returns a dict"),
        gate("loads", rungs.describes_this_model, title="describes this model"),
        RungSpec("contract", rungs.has_keys, title="has the five keys", is_property=True),
        RungSpec(
            "structure",
            rungs.is_right(*rungs.STRUCTURE),
            title="has the right versions and operators",
        ),
        RungSpec(
            "numerics",
            rungs.is_right(*rungs.NUMERICS),
            title="has the right parameters and bytes",
        ),
        RungSpec(
            "quality",
            rungs.has_whole_numbers,
            title="has whole numbers",
            is_property=True,
        ),
        RungSpec(
            "contract: the argument",
            rungs.leaves_the_argument,
            title="leaves the model as it was",
            is_property=True,
        ),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        description = known(rungs.read(answer))["description"]
        counts = description["operators"]["counts"]
        numbers = {
            key: np.array([description[key]], np.int64)
            for key in rungs.DEFINITIONS
            if key != "operators"
        }
        names = np.frombuffer("\n".join(counts).encode(), np.uint8)
        return {
            **numbers,
            "operator_names": names,
            "operator_counts": np.array(list(counts.values()), np.int64),
        }


JUDGE = InspectJudge()
