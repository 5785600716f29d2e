"""Computes nothing and has no return statement."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "returns-nothing"}


def describe(model, directory=None):
    pass
