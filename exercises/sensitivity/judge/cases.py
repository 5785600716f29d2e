"""The cases of `sensitivity`: CNNs with a few coarse layers, and a budget for some of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import ModelProto
from safetensors.numpy import save

from formatlab_exercises.sensitivity.ask import FEEDS, SMALL
from formatlab_exercises.sensitivity.judge import spelling
from formatlab_exercises.shared.judge import kinds
from formatlab_exercises.shared.judge.twins import Layer, Plan, feeds, twins
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Case

ID = "sensitivity"
IMAGES = 64
# What the layers that belong into float take, and some: four bytes a weight, so that its codes may
# stay in the file unused.
ROOM = 1.08
CONV = Layer("Conv", 14)
# A plan, and the layers whose weights the budget pays for.
KINDS: dict[str, tuple[Plan, tuple[str, ...]]] = {
    "in-the-middle": (
        [(CONV,), (Layer("Conv", 12, limit=7),), (Layer("GemmT", 20),), (Layer("MatMul", 14),)],
        ("layer_1",),
    ),
    # The coarsest weight belongs to a branch that hardly counts in the sum.
    "small-branch": (
        [
            (CONV,),
            (Layer("Conv", 12), Layer("Conv", 12, limit=4, size=0.02)),
            (Layer("Gemm", 16, limit=9),),
            (Layer("MatMul", 20),),
        ],
        ("layer_2",),
    ),
    # Of two coarse layers the larger one does not fit. The other is so much coarser that it counts
    # for every seed: at limits of 7 and 9 it brought a decibel or less now and then.
    "too-large": (
        [
            (CONV,),
            (Layer("Conv", 16, limit=4),),
            (Layer("GemmT", 60, limit=15),),
            (Layer("Gemm", 9),),
        ],
        ("layer_1",),
    ),
    "two-coarse": (
        [
            (Layer("Conv", 14, limit=5),),
            (CONV,),
            (Layer("Gemm", 20),),
            (Layer("GemmT", 24, limit=5),),
            (Layer("MatMul", 6),),
        ],
        ("layer_0", "layer_3"),
    ),
    "at-the-start": (
        [(Layer("Conv", 20, limit=7, per_channel=False),), (CONV,), (Layer("MatMul", 7),)],
        ("layer_0",),
    ),
    "at-the-end": ([(CONV,), (Layer("Conv", 10),), (Layer("GemmT", 12, limit=7),)], ("layer_2",)),
}
# How the models of a kind are written.
SPELLED: dict[str, Callable[[bytes, bytes], spelling.Pair]] = {
    "in-the-middle": spelling.bias_behind,
    "small-branch": spelling.names_taken,
    "too-large": spelling.otherwise,
    "at-the-start": spelling.bias_behind,
}
PUBLIC = ("in-the-middle", "small-branch", "too-large")
# Only of the other kinds a rule such as "the first and the last layer" is right now and then.
PUBLIC_ONLY = ("in-the-middle",)


def _case(name: str, kind: str, seed: int, public: bool) -> Case:
    rng = np.random.default_rng([seed, sum(kind.encode())])
    plan, paid = KINDS[kind]
    model, small = twins(rng, plan)
    if kind in SPELLED:
        model, small = SPELLED[kind](model, small)
    sizes = {
        tensor.name: int(np.prod(tensor.dims))
        for tensor in ModelProto.FromString(model).graph.initializer
    }
    spare = (
        int(
            4
            * ROOM
            * sum(number for tensor, number in sizes.items() if tensor.partition(".")[0] in paid)
        )
        + 256
    )
    files = {MODEL: model, SMALL: small, FEEDS: save(feeds(model, rng, IMAGES))}
    return Case(name, files, {"spare": spare}, public, seed)


public_cases, cases = kinds.all_hidden(_case, ID, KINDS, PUBLIC, PUBLIC_ONLY)
