"""Computes nothing and has no return statement."""

EXPECTED = {"score": 0, "rung": "type", "message": "without a return statement"}


def describe(model, directory=None):
    pass
