"""Finds nothing in any file, and complains of none."""

import numpy as np

EXPECTED = {
    "score": 0.033,
    "rung": "loads",
    "message": "The keys of the header are the names of the tensors, and __metadata__",
    "lazy": "constant",
    "shows": "other-names",
}


def read_header(data):
    return {}


def load_tensor(path, name):
    return np.zeros((2, 3), np.float32)


def validate(path):
    return None
