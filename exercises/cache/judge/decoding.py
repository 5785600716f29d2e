"""Generating from a case's own file, rightly or with one known mistake: what an answer gives is
recognised by it.

Nothing of a student's is run here. The file is the case's, and so is the prompt.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import onnxruntime as ort

from formatlab_exercises.cache.session import TOKENS, open_session

POSITIONS = "position_ids"
MASK = "attention_mask"
LOGITS = "logits"
PAST = ("past_key_values", "past")
PRESENT = ("present_key_values", "present")
TYPES = {"tensor(float)": np.float32, "tensor(float16)": np.float16}
# A table of positions ends somewhere, and a file that is asked for a later one refuses.
REFUSALS = (
    ort.capi.onnxruntime_pybind11_state.InvalidArgument,
    ort.capi.onnxruntime_pybind11_state.Fail,
)
# What `mistakes` replays, in the order in which an answer is held against it.
MISTAKES = (
    "cache_forgotten",
    "cache_and_positions_forgotten",
    "first_cache_kept",
    "keys_for_values",
    "in_order_of_outputs",
    "layers_shifted",
    "positions_restart",
    "positions_late",
    "first_row_for_all",
    "first_position",
    "all_tokens_again",
    "last_token_again",
    "first_token_lost",
)


class Generated(NamedTuple):
    """Token ids of shape (batch, steps), and the smallest lead of a chosen token over the next."""

    tokens: np.ndarray
    lead: float


def rest(name: str, prefixes: tuple[str, ...]) -> str | None:
    """A cache's name without its first word; None where it begins with none of the prefixes."""
    return next((name.removeprefix(word) for word in prefixes if name.startswith(word)), None)


def wiring(session: ort.InferenceSession) -> dict[str, str]:
    """Which output continues which cache input, in the order of the inputs."""
    outputs = {rest(each.name, PRESENT): each.name for each in session.get_outputs()}
    found = {each.name: rest(each.name, PAST) for each in session.get_inputs()}
    return {name: outputs[known] for name, known in found.items() if known is not None}


@lru_cache(maxsize=16)
def session_of(data: bytes) -> ort.InferenceSession:
    return open_session(data)


def generate(data: bytes, prompt: np.ndarray, steps: int, mistake: str = "") -> Generated | None:
    """The tokens that a case's file gives, or those that come out with that mistake; None where the
    mistake makes the file refuse.
    """
    loop = _Loop(session_of(data), prompt, mistake)
    try:
        return loop.run(steps)
    except REFUSALS:
        return None


class _Loop:
    """The loop, with the places where it can go wrong."""

    def __init__(self, session: ort.InferenceSession, prompt: np.ndarray, mistake: str):
        self.session = session
        self.prompt = prompt
        self.mistake = mistake
        self.inputs = {each.name: each for each in session.get_inputs()}
        self.outputs = [each.name for each in session.get_outputs()]
        self.takes_one = self.inputs[TOKENS].shape[1] == 1
        self.wires = self.mistaken_wiring()
        self.empty = {name: self.nothing(name) for name in self.wires}
        self.cache = self.empty
        self.calls = self.done = self.kept = 0
        self.lead = np.inf

    def run(self, steps: int) -> Generated:
        wanted = steps + (self.mistake == "first_token_lost")
        logits = self.read(self.prompt)
        if self.mistake == "last_token_again":
            logits = self.read(self.prompt[:, -1:])
        chosen = [self.choose(logits)]
        while len(chosen) < wanted:
            feed = chosen[-1][:, None]
            if self.mistake == "all_tokens_again":
                feed = np.concatenate([self.prompt, np.stack(chosen, axis=1)], axis=1)
            chosen.append(self.choose(self.read(feed)))
        return Generated(np.stack(chosen, axis=1)[:, wanted - steps :], float(self.lead))

    def read(self, ids: np.ndarray) -> np.ndarray:
        """Feed all columns, in as many calls as the file needs; the logits of the last call."""
        columns = [ids[:, i : i + 1] for i in range(ids.shape[1])] if self.takes_one else [ids]
        for column in columns:
            logits = self.call(column)
        return logits

    def call(self, ids: np.ndarray) -> np.ndarray:
        rows, new = ids.shape
        forgets = self.mistake in ("cache_forgotten", "cache_and_positions_forgotten")
        cache = self.empty if forgets else self.cache
        feeds: dict[str, np.ndarray] = {TOKENS: ids, **cache}
        held = 0 if forgets else self.done
        if self.mistake == "first_cache_kept" and self.calls:
            held = self.kept
        if POSITIONS in self.inputs:
            restarts = self.mistake in ("positions_restart", "cache_and_positions_forgotten")
            start = 0 if restarts else self.done + (self.mistake == "positions_late")
            feeds[POSITIONS] = np.tile(np.arange(start, start + new), (rows, 1))
        if MASK in self.inputs:
            feeds[MASK] = np.ones((rows, held + new), np.int64)
        outputs = dict(zip(self.outputs, self.session.run(None, feeds), strict=True))
        if self.mistake != "first_cache_kept" or not self.calls:
            self.cache = {past: outputs[present] for past, present in self.wires.items()}
            self.kept = new
        self.calls += 1
        self.done += new
        return outputs[LOGITS]

    def choose(self, logits: np.ndarray) -> np.ndarray:
        behind = logits[:, 0 if self.mistake == "first_position" else -1].astype(float)
        ordered = np.sort(behind, axis=-1)
        self.lead = min(self.lead, float((ordered[:, -1] - ordered[:, -2]).min()))
        chosen = behind.argmax(axis=-1)
        return np.full_like(chosen, chosen[0]) if self.mistake == "first_row_for_all" else chosen

    def nothing(self, name: str) -> np.ndarray:
        asked = self.inputs[name]
        named = {"batch": len(self.prompt)}
        shape = [dim if isinstance(dim, int) else named.get(dim, 0) for dim in asked.shape]
        return np.zeros(shape, TYPES[asked.type])

    def mistaken_wiring(self) -> dict[str, str]:
        right = wiring(self.session)
        past = list(right)
        present = list(right.values())
        if self.mistake == "keys_for_values":
            twins = {name: _twin(name, present) for name in present}
            return {name: twins[right[name]] for name in past}
        if self.mistake == "layers_shifted":
            ordered = sorted(past, key=lambda name: (_part(name), name))
            half = len(ordered) // 2
            groups = [ordered[:half], ordered[half:]]
            moved = {
                name: next_name
                for group in groups
                for name, next_name in zip(group, [*group[1:], *group[:1]], strict=True)
            }
            return {name: right[moved[name]] for name in past}
        if self.mistake == "in_order_of_outputs":
            others = [name for name in self.outputs if name != LOGITS]
            return dict(zip(past, others, strict=True))
        return right


def _part(name: str) -> str:
    """A cache's name without its layer's number, so that keys and values are told apart."""
    return "".join(letter for letter in name if not letter.isdigit())


def _twin(name: str, names: list[str]) -> str:
    """The other cache of the same layer."""
    digits = [letter for letter in name if letter.isdigit()]
    others = (
        other
        for other in names
        if other != name and [letter for letter in other if letter.isdigit()] == digits
    )
    return next(others, name)


def mistakes(data: bytes, prompt: np.ndarray, steps: int) -> Mapping[str, np.ndarray]:
    """What each mistake gives that is another way of generating, and that the file lets pass."""
    return _mistakes(data, json.dumps(np.asarray(prompt).tolist()), steps)


@lru_cache(maxsize=64)
def _mistakes(data: bytes, prompt: str, steps: int) -> dict[str, np.ndarray]:
    ids = np.array(json.loads(prompt), np.int64)
    found = {name: generate(data, ids, steps, name) for name in applying(data, ids)}
    return {name: one.tokens for name, one in found.items() if one is not None}


def applying(data: bytes, prompt: np.ndarray) -> list[str]:
    """The mistakes that are another way of generating from this file and this prompt."""
    session = session_of(data)
    right = wiring(session)
    inputs = {each.name: each.shape for each in session.get_inputs()}
    outputs = [each.name for each in session.get_outputs() if each.name != LOGITS]
    asks_one = inputs[TOKENS][1] == 1
    applies = dict.fromkeys(MISTAKES, True) | {
        "cache_and_positions_forgotten": POSITIONS in inputs,
        "keys_for_values": len(right) > 1,
        "in_order_of_outputs": outputs != list(right.values()),
        "layers_shifted": len(right) > 2,
        "positions_restart": POSITIONS in inputs,
        "positions_late": POSITIONS in inputs,
        "first_row_for_all": len(prompt) > 1,
        "first_position": prompt.shape[1] > 1 and not asks_one,
    }
    return [name for name in MISTAKES if applies[name]]
