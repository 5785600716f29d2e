"""The cases of `saturation`: small QDQ models with one difficulty each."""

from __future__ import annotations

import numpy as np

from autograder.contract import Case
from exercises.shared.judge import kinds
from exercises.shared.judge.twins import Layer, Plan, twins
from exercises.shared.surgery import MODEL

ID = "saturation"
CONV, GEMM = Layer("Conv", 14), Layer("Gemm", 18)
# Weights of seven bits, as `reduce_range` makes them: no two of them leave 16 bits.
SAFE = Layer("Conv", 14, limit=64)
# One large weight in each channel and small ones beside it: no pair leaves 16 bits either.
ONE_LARGE = Layer("GemmT", 40, limit=120, spread=15)
# Each layer that saturates has 378 weights or more, so that its ties tell one way of
# rounding from another (`mended`).
KINDS: dict[str, Plan] = {
    "channels": [(CONV,), (Layer("GemmT", 40),), (Layer("MatMul", 11),)],
    "one-scale": [(Layer("Conv", 12, per_channel=False),), (Layer("Gemm", 9, per_channel=False),)],
    "seven-bits": [(CONV,), (SAFE,), (GEMM,), (Layer("GemmT", 6, limit=64),)],
    "unsigned-weights": [
        (CONV,),
        (Layer("Conv", 14, per_channel=False, weights=np.uint8),),
        (GEMM,),
    ],
    "one-large-weight": [(CONV,), (GEMM,), (ONE_LARGE,), (Layer("MatMul", 11),)],
    "two-branches": [(CONV,), (CONV, SAFE), (Layer("MatMul", 8),)],
}
PUBLIC = ("channels", "seven-bits", "unsigned-weights")


def _case(name: str, kind: str, seed: int, public: bool) -> Case:
    rng = np.random.default_rng([seed, sum(kind.encode())])
    _, quantized = twins(rng, KINDS[kind])
    return Case(name, {MODEL: quantized}, {"again": False, "integers": {}}, public, seed)


public_cases, cases = kinds.all_hidden(_case, ID, KINDS, PUBLIC)
