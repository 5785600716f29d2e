"""The cases of `cache`: tiny decoders, whose files differ in one thing each, and a prompt. Each kind is
generated from, and some are wired.

Weights and prompt are drawn until every known mistake gives other tokens than the right way, and no
choice is close: so a mistake costs the same for every seed, on every processor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from formatlab.models import one_step, to_bytes
from formatlab.models.one_step import Form
from formatlab_exercises.cache.ask import GENERATE, MODEL, WIRING
from formatlab_exercises.cache.judge import decoding
from nbjudge.contract import Case, case_seed

ID = "cache"
STEPS = 7
# Another number of tokens, so that what was right for a public case does not even have the shape.
HIDDEN_STEPS = 6
ATTEMPTS = 400
# In logits that are spread over some ten units; float32 and float16 differ by far less.
LEAD = 0.02
# No row gives fewer different tokens: a row of one token would be guessed.
DIFFERENT = 3


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A form of file and a prompt: so many rows, so many tokens in each."""

    form: Form
    rows: int = 1
    length: int = 4


SHORT: Mapping[str, Any] = {"past": "past.{layer}.{part}", "present": "present.{layer}.{part}"}
OTHER: Mapping[str, Any] = {
    "past": "past_{part}_{layer}",
    "present": "present_{part}_{layer}",
    "tokens": "kv_length",
}
KINDS = {
    "plain": Kind(form=Form()),
    "two-rows": Kind(form=Form(heads=3, **SHORT), rows=2),
    "prompt-of-one": Kind(form=Form(size=6), length=1),
    "one-at-a-time": Kind(form=Form(one_token=True), length=5),
    "positions": Kind(form=Form(positions=True, **SHORT), length=3),
    "mask": Kind(form=Form(positions=True, mask=True, one_token=True, heads=1, size=8), rows=2),
    "other-order": Kind(form=Form(layers=3, shuffled=True, **OTHER), length=3),
    "one-tensor": Kind(
        form=Form(past="past_key_values", present="present_key_values", joined=True, heads=3),
        rows=2,
        length=3,
    ),
    "tokens-before-heads": Kind(
        form=Form(tokens_first=True, one_token=True, heads=3, tokens="past_length", **SHORT)
    ),
    "half-cache": Kind(form=Form(half=True, one_token=True), length=3),
    "attention": Kind(form=Form(opset=23, heads=4, parts=("k", "v")), length=5),
}
# Several of them together, and only among the hidden cases.
TOGETHER = {
    "many-rows": Kind(
        form=Form(opset=23, positions=True, shuffled=True, heads=1, size=6, tokens="held", **SHORT),
        rows=4,
    ),
    "all-together": Kind(
        form=Form(
            layers=3,
            heads=3,
            opset=23,
            one_token=True,
            positions=True,
            mask=True,
            tokens_first=True,
            half=True,
            mixed=True,
            shuffled=True,
            **OTHER,
        ),
        rows=3,
        length=3,
    ),
}
WIRED = ("plain", "mask", "other-order", "one-tensor")
# What follows in the names of a hidden file that is wired: the right answer to a public one is no
# answer to it.
ENDS = (".decoder", ".self", "_attn", ".0")
# The same word stands behind the first one again, and numbers have two digits.
PAST_AGAIN = ".of_past"
MANY_LAYERS = 11


def public_cases() -> list[Case]:
    return [
        *(_wires(kind, f"wires-{kind}", 0, public=True) for kind in WIRED),
        *(_generates(kind, kind, 0, public=True) for kind in KINDS),
    ]


def cases(seed: int) -> list[Case]:
    wired = [*WIRED, "all-together"]
    return [
        *(_wires(kind, f"wires-{kind}-new", seed) for kind in wired),
        *(_generates(kind, f"{kind}-new" if kind in KINDS else kind, seed) for kind in ALL),
        _generates("plain", "one-step", seed, steps=1),
    ]


ALL = {**KINDS, **TOGETHER}


def _wires(kind: str, name: str, seed: int, public: bool = False) -> Case:
    own_seed = case_seed(seed, ID, name)
    rng = np.random.default_rng(own_seed)
    drawn = ALL[kind]
    if not public:
        end = PAST_AGAIN if kind == "plain" else str(rng.choice(ENDS))
        form = replace(drawn.form, past=drawn.form.past + end, present=drawn.form.present + end)
        if kind == "other-order":
            form = replace(form, layers=MANY_LAYERS)
        drawn = replace(drawn, form=form)
    data = _model(drawn, rng)
    # In the order of a file that is drawn, a wiring by place may be right by chance.
    while drawn.form.shuffled and not _is_out_of_order(data):
        data = _model(drawn, rng)
    parameters = {"function": WIRING, "prompt": [], "steps": 0}
    return Case(name, {MODEL: data}, parameters, public, own_seed)


def _generates(
    kind: str, name: str, seed: int, public: bool = False, steps: int | None = None
) -> Case:
    own_seed = case_seed(seed, ID, name)
    rng = np.random.default_rng(own_seed)
    if steps is None:
        steps = STEPS if public else HIDDEN_STEPS
    for _ in range(ATTEMPTS):
        data = _model(ALL[kind], rng)
        prompt = _prompt(ALL[kind], rng)
        if _is_telling(ALL[kind], data, prompt, max(steps, HIDDEN_STEPS)):
            parameters = {"function": GENERATE, "prompt": prompt.tolist(), "steps": steps}
            return Case(name, {MODEL: data}, parameters, public, own_seed)
    raise RuntimeError(f"no model of the kind {kind} tells its mistakes apart")


def _model(kind: Kind, rng: np.random.Generator) -> bytes:
    return to_bytes(one_step.model(kind.form, rng))


def _prompt(kind: Kind, rng: np.random.Generator) -> np.ndarray:
    """No two rows of a prompt begin alike."""
    first = rng.permutation(kind.form.vocabulary)[: kind.rows, None]
    others = rng.integers(0, kind.form.vocabulary, (kind.rows, kind.length - 1))
    return np.concatenate([first, others], axis=1)


def _is_out_of_order(data: bytes) -> bool:
    session = decoding.open_session(data)
    outputs = [each.name for each in session.get_outputs()]
    others = [name for name in outputs if name != decoding.LOGITS]
    return outputs[0] != decoding.LOGITS and others != list(decoding.wiring(session).values())


def _is_telling(kind: Kind, data: bytes, prompt: np.ndarray, steps: int) -> bool:
    """Whether no choice is close, rows differ, and each known mistake shows in the tokens, no two of
    them in the same ones.
    """
    if kind.form.shuffled and not _is_out_of_order(data):
        return False
    right = decoding.generate(data, prompt, steps)
    if right is None or right.lead < LEAD:
        return False
    rows = {tuple(row) for row in right.tokens.tolist()}
    if len(rows) < len(prompt) or min(len(set(row)) for row in rows) < DIFFERENT:
        return False
    wrong = [each.tobytes() for each in decoding.mistakes(data, prompt, steps).values()]
    return len({right.tokens.tobytes(), *wrong}) == 1 + len(wrong)
