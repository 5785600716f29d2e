"""Refuses whatever comes."""

EXPECTED = {"score": 0.0, "rung": "type", "message": "raises", "shows": "raises-value-error", "lazy": "constant"}


def mend(module, arguments, keywords, wanted, limits):
    raise ValueError("no file is right")
