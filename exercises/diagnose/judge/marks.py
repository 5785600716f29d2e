"""What `diagnose` gives points for, and its rungs in their order."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.diagnose.ask import SIGNATURE
from formatlab_exercises.diagnose.judge import rungs
from formatlab_exercises.diagnose.judge.cases import KINDS_OF
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, gate
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known


def _files(*diagnoses: str) -> tuple[str, ...]:
    """The public and the hidden cases that have one of these diagnoses."""
    return tuple(f"*{kind}" for diagnosis in diagnoses for kind in KINDS_OF[diagnosis])


CORE = ("structure", "numerics")


class DiagnoseJudge(Judge):
    # Two diagnoses that are taken for each other share an item, so that one word for both earns
    # nothing. A diagnosis that stands alone has a healthy file beside it, and healthy files have one
    # that only its numbers give away. `wrong-numbers` holds what every short cut misses: who runs too
    # little, or compares too exactly, loses it.
    points = 5.0
    items = (
        ItemSpec(
            name="files",
            title="files that cannot be read, or whose weights are missing",
            points=0.7,
            cases=_files("unreadable", "external-data"),
        ),
        ItemSpec(
            name="session",
            title="versions and operators that the runtime does not have",
            points=0.5,
            cases=_files("bad-versions", "no-kernel"),
        ),
        ItemSpec(
            name="operators-and-names",
            title="operators that do not exist, and names that are given twice",
            points=0.5,
            cases=_files("unknown-operator", "duplicate-name"),
        ),
        ItemSpec(
            name="order",
            title="values that are missing, or written too late",
            points=0.7,
            cases=_files("missing-value", "not-sorted"),
        ),
        ItemSpec(
            name="shapes",
            title="operators that do not fit, and false declarations",
            points=0.8,
            cases=_files("operand-mismatch", "false-declaration"),
        ),
        ItemSpec(
            name="batch",
            title="a batch size that is fixed",
            points=0.25,
            cases=_files("static-batch"),
            controls=("hidden-healthy-tabular",),
        ),
        ItemSpec(
            name="random",
            title="outputs that are random",
            points=0.3,
            cases=_files("random-output"),
            controls=("hidden-healthy-tabular",),
        ),
        ItemSpec(
            name="numbers",
            title="numbers or labels that are wrong",
            points=0.5,
            cases=_files("wrong-numbers", "wrong-labels"),
        ),
        ItemSpec(
            name="healthy",
            title="healthy models that look broken",
            points=0.5,
            cases=_files("healthy"),
            controls=("hidden-transposed-weight",),
        ),
        ItemSpec(
            name="tidy",
            title="the files left as they were",
            points=0.25,
            cases=("*inner-dimensions", "hidden-healthy-tabular", "*unsorted"),
            needs=(*CORE, "quality"),
        ),
    )
    rungs = (
        gate("exists", outcome.exists(SIGNATURE, rungs.READ)),
        gate("type", rungs.is_diagnosis, title="returns one of the diagnoses"),
        gate(
            "loads",
            rungs.stops_at_the_right_part,
            title="stops at the right part of the ladder",
        ),
        RungSpec(
            "structure",
            rungs.is_right(about_behaviour=False),
            title="names the fault of a file",
        ),
        RungSpec(
            "numerics",
            rungs.is_right(about_behaviour=True),
            title="names the fault of its behaviour",
        ),
        RungSpec(
            "quality",
            rungs.is_tidy,
            title="leaves the files as they were",
            is_property=True,
        ),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        return {
            "diagnosis": np.frombuffer(known(rungs.read(answer))["diagnosis"].encode(), np.uint8)
        }


JUDGE = DiagnoseJudge()
