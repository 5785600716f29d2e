"""The rungs of `benchmark` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.benchmark.ask import SIGNATURE
from formatlab_exercises.benchmark.judge import evidence, rungs
from formatlab_exercises.benchmark.judge.machine import Machine
from nbjudge.contract import Answer, Case, Judge, RungSpec, Server, gate
from nbjudge.rungs import outcome


class BenchmarkJudge(Judge):
    # Weights: numbers that no measurement stands behind keep type and contract only, 10 %.
    rungs = (
        gate("exists", 0.0, outcome.exists(SIGNATURE, rungs.INTERLEAVING), cap_some=0.0),
        gate("type", 0.15, rungs.is_dict, title="returns a dict"),
        RungSpec(
            "contract",
            0.15,
            rungs.keeps_contract,
            title="has the asked entries, and refuses where there is nothing to measure",
        ),
        # Each of the two ideas alone earns what it is worth: rounds without a warm-up half, a warm-up
        # without rounds 40 %. In the cases with one variant and with one round there are no turns.
        RungSpec("structure: either", 0.0, rungs.does_more_than_timeit, cap_all=0.1, all_at=0.7),
        RungSpec(
            "structure",
            1.05,
            rungs.takes_turns,
            title="lets the variants take turns, and times single calls",
            cap_some=0.4,
            cap_all=0.4,
        ),
        # A number that is picked at random is right in a case now and then, so one wrong case says as
        # much as all of them.
        RungSpec("numerics", 0.9, rungs.agrees_with_clock, cap_some=0.3, cap_all=0.3),
        # How many machines show a warm-up that is too short or too long depends on the draw.
        RungSpec(
            "quality",
            0.75,
            rungs.is_warm,
            title="leaves the warm-up out, and not much more",
            cap_some=0.5,
            cap_all=0.5,
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
