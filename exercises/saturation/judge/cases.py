"""The cases of `saturation`: small QDQ models with one difficulty each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from formatlab_exercises.saturation.judge import case_rows, sharing
from formatlab_exercises.shared.judge import kinds, qdq_spelling
from formatlab_exercises.shared.judge.twins import Layer, Plan, twins
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Case

ID = "saturation"
CONV, GEMM = Layer("Conv", 14), Layer("Gemm", 18)
# Weights of seven bits, as `reduce_range` makes them: no two of them leave 16 bits. None is 64, so
# that no draw has two that add up to the limit of 128, which is the business of another case.
SAFE = Layer("Conv", 14, limit=63)
GEMMT = Layer("GemmT", 24)
# With one scale for all channels, so that two layers can share it.
WHOLE, SAFE_WHOLE = Layer("Conv", 14, per_channel=False), Layer("Conv", 14, 63, False)
# No pair of these leaves 16 bits either.
ONE_LARGE = [
    (Layer("Conv", 12, limit=case_rows.LARGE, per_channel=False, codes=case_rows.one_in_all),),
    (Layer("Conv", 13, limit=case_rows.LARGE, codes=case_rows.opposite),),
    (Layer("GemmT", 40, limit=case_rows.LARGE, codes=case_rows.one_for_each_output),),
    (Layer("Gemm", 23, limit=case_rows.LARGE, codes=case_rows.of_one_input),),
    (Layer("GemmT", 18, limit=case_rows.LARGE, codes=case_rows.of_one_input),),
    (Layer("MatMul", 16, limit=case_rows.LARGE, codes=case_rows.just_fitting),),
]
# Of these some pairs do.
SOME_PAIRS = [
    (Layer("Conv", 14, codes=case_rows.negative),),
    (Layer("Conv", 13, limit=case_rows.LARGE, codes=case_rows.two_apart),),
    (Layer("Gemm", 18, codes=case_rows.positive),),
]
# Of these one pair is just beyond the limit, or there is one in a single output.
ONE_PAIR = [
    (Layer("GemmT", 18, limit=case_rows.LARGE, codes=case_rows.just_above),),
    (Layer("MatMul", 17, limit=case_rows.LARGE, codes=case_rows.just_below),),
    (Layer("GemmT", 16, limit=case_rows.LARGE, per_channel=False, codes=case_rows.in_one_row),),
]
# Each layer that saturates has 378 weights or more, so that its ties tell one way of
# rounding from another (`mended`).
KINDS: dict[str, Plan] = {
    "channels": [(CONV,), (Layer("GemmT", 40),), (Layer("MatMul", 11),)],
    "seven-bits": [(CONV,), (SAFE,), (GEMM,), (Layer("GemmT", 6, limit=63),)],
    "unsigned-weights": [
        (CONV,),
        (Layer("Conv", 14, per_channel=False, weights=np.uint8),),
        (GEMM,),
    ],
    "one-large-weight": [(CONV,), *ONE_LARGE, (Layer("MatMul", 24),)],
    "some-pairs": [(CONV,), *SOME_PAIRS, (Layer("MatMul", 22),)],
    "one-pair": [(CONV,), *ONE_PAIR, (Layer("MatMul", 24),)],
    "shared-weight": [(CONV,), (GEMMT,), (GEMMT,), (GEMMT,), (Layer("MatMul", 8),)],
    "shared-scale": [(CONV,), (WHOLE, SAFE_WHOLE), (GEMMT,)],
    "taken-names": [(CONV,), (GEMMT,), (GEMMT,), (GEMMT,), (Layer("MatMul", 24),)],
    "other-spelling": [(CONV,), (GEMMT,), (Layer("MatMul", 11),)],
}
# What is done to the models of a kind. Layers that share a tensor have names.
EDITED: dict[str, Callable[[bytes], bytes]] = {
    "shared-weight": partial(sharing.one_weight, first="layer_2", second="layer_3"),
    "shared-scale": partial(sharing.one_scale, first="layer_1a", second="layer_1b"),
    "taken-names": partial(sharing.taken_names, first="layer_2", second="layer_3"),
    "other-spelling": qdq_spelling.otherwise,
}
PUBLIC = (
    "channels",
    "seven-bits",
    "unsigned-weights",
    "one-large-weight",
    "shared-weight",
    "shared-scale",
    "other-spelling",
)


def _case(name: str, kind: str, seed: int, public: bool) -> Case:
    rng = np.random.default_rng([seed, sum(kind.encode())])
    _, quantized = twins(rng, KINDS[kind])
    if kind in EDITED:
        quantized = EDITED[kind](quantized)
    return Case(name, {MODEL: quantized}, {"again": False, "integers": {}}, public, seed)


public_cases, cases = kinds.all_hidden(_case, ID, KINDS, PUBLIC)
