"""Computes nothing and has no return statement."""

EXPECTED = {"score": 0, "rung": "type", "message": "without a return statement", "shows": "returns-nothing"}


def describe(model, directory=None):
    pass
