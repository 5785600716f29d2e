"""Finds nothing in any file, and complains of none."""

import numpy as np

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "other-names", "lazy": "constant"}


def read_header(data):
    return {}


def load_tensor(path, name):
    return np.zeros((2, 3), np.float32)


def validate(path):
    return None
