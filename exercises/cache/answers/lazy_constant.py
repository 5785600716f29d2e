"""The same tokens for every prompt, and no wiring."""

import numpy as np

EXPECTED = {"score": 0.075, "rung": "structure", "message": "needs its output", "lazy": "constant", "shows": "caches-missing"}


def cache_wiring(session):
    return {}


def generate(session, prompt_ids, steps):
    return np.zeros((len(prompt_ids), steps), np.int64)
