"""What `benchmark` gives points for, and its rungs in their order."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.benchmark.ask import SIGNATURE
from formatlab_exercises.benchmark.judge import evidence, rungs
from formatlab_exercises.benchmark.judge.machine import Machine
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, Server, gate
from nbjudge.rungs import outcome

USUAL = ("two-variants*", "three-variants*", "soon-warm", "late-warm")
EDGES = ("one-variant", "few-rounds", "one-round")
# What a loop around each variant does not do, so that its numbers earn nothing.
EITHER = "structure: either"


class BenchmarkJudge(Judge):
    # Items are questions to the same machines. Whoever lets variants take turns and warms them up
    # keeps half, though the numbers that are made of the times are wrong everywhere: `milliseconds`,
    # `relative`, `rounded`, `start_once`, `warm_up_counted`, `loop_total`. Without a warm-up nothing is
    # wasted either, so that both items go, and whoever does not count it cannot say that little is.
    points = 3.0
    items = (
        ItemSpec(
            name="turns",
            title="variants that take turns",
            points=0.6,
            cases=USUAL,
            needs=("structure",),
        ),
        ItemSpec(
            name="told",
            title="the calls of the warm-up, counted",
            points=0.15,
            cases=USUAL,
            needs=(EITHER, "contract: the count"),
        ),
        ItemSpec(
            name="numbers",
            title="the median and the percentiles of these turns, in seconds",
            points=0.9,
            cases=USUAL,
            needs=("contract", EITHER, "numerics"),
        ),
        ItemSpec(
            name="warm",
            title="a warm-up that is long enough for each variant",
            points=0.45,
            cases=USUAL,
            needs=("quality",),
        ),
        ItemSpec(
            name="frugal",
            title="a warm-up that ends when a variant is warm",
            points=0.3,
            cases=("two-variants*", "soon-warm"),
            needs=("quality", "contract: the count", "quality: frugal"),
        ),
        ItemSpec(
            name="refusals",
            title="an error where there is nothing to measure",
            points=0.15,
            cases=("two-variants*", "soon-warm"),
            needs=(EITHER, "contract: the count", "contract: refusals"),
        ),
        ItemSpec(
            name="edges",
            title="one variant, few rounds, or one round",
            points=0.45,
            cases=EDGES,
            needs=("contract", EITHER, "structure", "contract: the count", "numerics"),
        ),
    )
    rungs = (
        gate("exists", outcome.exists(SIGNATURE, rungs.INTERLEAVING)),
        gate("type", rungs.is_dict, title="returns a dict"),
        RungSpec(
            "contract",
            rungs.keeps_contract,
            title="has three numbers and a count for each variant",
        ),
        RungSpec(
            EITHER,
            rungs.does_more_than_timeit,
            title="does more than a loop around each variant",
        ),
        RungSpec(
            "structure",
            rungs.takes_turns,
            title="lets the variants take turns, and times single calls",
        ),
        RungSpec(
            "contract: the count",
            rungs.tells_its_warm_up,
            title="says how many calls it left out",
            is_property=True,
        ),
        RungSpec(
            "numerics",
            rungs.agrees_with_clock,
            title="has the numbers of the turns that it timed",
        ),
        RungSpec("quality", rungs.is_warm, title="leaves the warm-up out"),
        RungSpec(
            "quality: frugal",
            rungs.is_frugal,
            title="leaves out not much more than the warm-up",
            is_property=True,
        ),
        RungSpec(
            "contract: refusals",
            rungs.refuses,
            title="raises ValueError where there is nothing to measure",
            is_property=True,
        ),
    )

    def server(self, case: Case) -> Server:
        return Machine(case)

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """How often the reference called each variant. The truth is the machine's, so that nothing
        else is needed.
        """
        calls = evidence.run(answer).calls
        return {
            "calls": np.bincount(
                [call.variant for call in calls], minlength=len(case.parameters["variants"])
            ).astype(np.int64)
        }


JUDGE = BenchmarkJudge()
