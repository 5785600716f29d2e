"""The same tokens for every prompt, and no wiring."""

import numpy as np

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "caches-missing", "lazy": "constant"}


def cache_wiring(session):
    return {}


def generate(session, prompt_ids, steps):
    return np.zeros((len(prompt_ids), steps), np.int64)
