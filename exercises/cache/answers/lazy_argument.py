"""The prompt as it came, again and again, and every input wired to the logits."""

import numpy as np

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "other-inputs", "lazy": "argument"}


def cache_wiring(session):
    return {each.name: "logits" for each in session.get_inputs()}


def generate(session, prompt_ids, steps):
    return np.tile(prompt_ids, (1, steps))[:, :steps]
