"""The cases of `benchmark`: how many variants and rounds, and how long the variants take to get
warm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from formatlab_exercises.shared.judge import kinds
from nbjudge.contract import Case

ID = "benchmark"
NAMES = (
    "eager",
    "compiled",
    "fp16",
    "int8",
    "folded",
    "pruned",
    "batched",
    "threads",
    "fused",
    "static",
)
SHORT, MIDDLE, LONG = (2, 8), (20, 60), (110, 160)
# Between what the latest needs and what the soonest allow lies no number that suits both.
SOONEST, LATEST = (2, 6), (152, 160)


@dataclass(frozen=True)
class Kind:
    """What a case is about. The pairs are bounds; those of `warm_ups`, in calls, are dealt out to
    the variants in turn.

    With `refuses` the function is also asked for what cannot be measured.
    """

    variants: tuple[int, int] = (2, 3)
    rounds: tuple[int, int] = (40, 60)
    warm_ups: tuple[tuple[int, int], ...] = (SHORT, MIDDLE)
    outliers: float = 0.05
    refuses: bool = False


PUBLIC = {
    "two-variants": Kind(variants=(2, 2), warm_ups=(SHORT,), refuses=True),
    "three-variants": Kind(variants=(3, 3), warm_ups=(LONG, SHORT, MIDDLE)),
}
HIDDEN = {
    **{f"{name}-new": kind for name, kind in PUBLIC.items()},
    "soon-warm": Kind(warm_ups=(SOONEST,), refuses=True),
    "late-warm": Kind(variants=(3, 5), warm_ups=(LATEST, SHORT)),
    "one-variant": Kind(variants=(1, 1), warm_ups=(MIDDLE,), outliers=0.1),
    "few-rounds": Kind(rounds=(8, 12), warm_ups=(MIDDLE,)),
    "one-round": Kind(rounds=(1, 1), warm_ups=(MIDDLE,)),
}


def kind_of(case: Case) -> Kind:
    return {**PUBLIC, **HIDDEN}[case.name]


def _case(name: str, kind: Kind, seed: int, public: bool) -> Case:
    rng = np.random.default_rng([seed, len(name), sum(name.encode())])
    names = rng.permutation(NAMES)[: rng.integers(kind.variants[0], kind.variants[1] + 1)].tolist()
    rounds = int(rng.integers(kind.rounds[0], kind.rounds[1] + 1))
    return Case(
        name, {}, {"variants": names, "rounds": rounds, "refuses": kind.refuses}, public, seed
    )


public_cases, cases = kinds.of(_case, ID, PUBLIC, HIDDEN)
