"""The cases of `sensitivity`: CNNs with a few coarse layers, and a budget for some of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from onnx import ModelProto
from safetensors.numpy import save

from formatlab_exercises.sensitivity.ask import FEEDS, SMALL
from formatlab_exercises.sensitivity.judge import choices, spelling
from formatlab_exercises.shared.judge import kinds
from formatlab_exercises.shared.judge.twins import Layer, Plan, feeds, twins
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Case

ID = "sensitivity"
IMAGES = 64
CONV = Layer("Conv", 14)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What a case is about.

    `pays_for` are the layers whose weights the budget pays for, and `room` is by how much it is
    larger, so that their codes may stay in the file unused. The models are drawn again until
    `drawn_until` is true of their SQNRs on the images that a student gets, and on those of the check.
    `spelled` writes them in another way.
    """

    plan: Plan
    pays_for: tuple[str, ...]
    room: float = 1.08
    drawn_until: Callable[[choices.Measure, choices.Measure], bool] | None = None
    spelled: Callable[[bytes, bytes], spelling.Pair] | None = None


KINDS = {
    "in-the-middle": Kind(
        plan=[
            (CONV,),
            (Layer("Conv", 12, limit=7),),
            (Layer("GemmT", 20),),
            (Layer("MatMul", 14),),
        ],
        pays_for=("layer_1",),
        drawn_until=partial(choices.stands_out, "layer_1"),
        spelled=spelling.bias_behind,
    ),
    # The coarsest weight belongs to a branch that hardly counts in the sum.
    "small-branch": Kind(
        plan=[
            (CONV,),
            (Layer("Conv", 12), Layer("Conv", 12, limit=4, size=0.02)),
            (Layer("Gemm", 16, limit=9),),
            (Layer("MatMul", 20),),
        ],
        pays_for=("layer_2",),
        spelled=spelling.names_taken,
    ),
    # Of two coarse layers the larger one does not fit. The other is so much coarser that it counts
    # for every seed: at limits of 7 and 9 it brought a decibel or less now and then.
    "too-large": Kind(
        plan=[
            (CONV,),
            (Layer("Conv", 16, limit=4),),
            (Layer("GemmT", 60, limit=15),),
            (Layer("Gemm", 9),),
        ],
        pays_for=("layer_1",),
        spelled=spelling.otherwise,
    ),
    "two-coarse": Kind(
        plan=[
            (Layer("Conv", 14, limit=5),),
            (CONV,),
            (Layer("Gemm", 20),),
            (Layer("GemmT", 24, limit=5),),
            (Layer("MatMul", 6),),
        ],
        pays_for=("layer_0", "layer_3"),
    ),
    # Three layers are coarse, one of them a MatMul.
    "three-coarse": Kind(
        plan=[
            (Layer("Conv", 14, limit=5),),
            (Layer("Conv", 12),),
            (Layer("MatMul", 24, limit=5),),
            (Layer("GemmT", 26, limit=5),),
            (Layer("Gemm", 6),),
        ],
        pays_for=("layer_0", "layer_2", "layer_3"),
    ),
    "at-the-start": Kind(
        plan=[(Layer("Conv", 20, limit=7, per_channel=False),), (CONV,), (Layer("MatMul", 7),)],
        pays_for=("layer_0",),
        spelled=spelling.bias_behind,
    ),
    "at-the-end": Kind(
        plan=[(CONV,), (Layer("Conv", 10),), (Layer("GemmT", 12, limit=7),)],
        pays_for=("layer_2",),
    ),
    # The budget pays for the layer that brings most, or for two of half its size, which bring more
    # together. Neither of them fits beside it, even where the codes of both are taken out: one scale
    # for all channels leaves little else to take out.
    "one-large-or-two": Kind(
        plan=[
            (CONV,),
            (Layer("Conv", 24, limit=7),),
            (Layer("GemmT", 22, limit=8),),
            (Layer("Gemm", 140, limit=10, per_channel=False),),
            (Layer("MatMul", 60),),
        ],
        pays_for=("layer_1", "layer_3"),
        room=1.03,
        drawn_until=partial(choices.beat_the_best_layer, ("layer_1", "layer_3"), "layer_2"),
    ),
    # The budget pays for one large layer, or for a small one that brings more for each byte.
    "large-or-small": Kind(
        plan=[
            (CONV,),
            (Layer("Conv", 4, limit=9),),
            (Layer("GemmT", 60, limit=5),),
            (Layer("Gemm", 80),),
        ],
        pays_for=("layer_2",),
        drawn_until=partial(choices.beats_the_cheap_layer, "layer_2", "layer_1", 5),
    ),
    # Two layers read one weight, and the budget pays for it once.
    "shared-weight": Kind(
        plan=[
            (CONV,),
            (Layer("Conv", 14, limit=6),),
            (Layer("Conv", 14, limit=6, weight_of="layer_1"),),
            (Layer("Gemm", 14),),
        ],
        pays_for=("layer_1", "layer_2"),
    ),
}
PUBLIC = (
    "in-the-middle",
    "small-branch",
    "too-large",
    "two-coarse",
    "shared-weight",
    "one-large-or-two",
    "large-or-small",
)


def case_of(name: str, kind: str, seed: int, public: bool) -> Case:
    """A case of a kind."""
    rng = np.random.default_rng([seed, sum(kind.encode())])
    (model, small), seen = _drawn(KINDS[kind], rng, seed)
    files = {MODEL: model, SMALL: small, FEEDS: save(seen)}
    return Case(name, files, {"spare": _spare(KINDS[kind], model)}, public, seed)


def _drawn(
    kind: Kind, rng: np.random.Generator, seed: int
) -> tuple[spelling.Pair, dict[str, np.ndarray]]:
    """The two models of a kind, and the images that a student gets."""
    while True:
        model, small = twins(rng, kind.plan)
        seen = feeds(model, rng, IMAGES)
        several = (seen, choices.fresh(model, seed))
        if kind.drawn_until is None or kind.drawn_until(
            *(choices.measure(model, small, images) for images in several)
        ):
            return kind.spelled(model, small) if kind.spelled else (model, small), seen


def _spare(kind: Kind, model: bytes) -> int:
    """The bytes of what the budget pays for, and some."""
    numbers = sum(
        int(np.prod(tensor.dims))
        for tensor in ModelProto.FromString(model).graph.initializer
        if tensor.name.partition(".")[0] in kind.pays_for
    )
    return int(4 * kind.room * numbers) + 256


public_cases, cases = kinds.all_hidden(case_of, ID, KINDS, PUBLIC)
