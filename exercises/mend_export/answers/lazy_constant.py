"""Refuses whatever comes."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "raises-value-error", "lazy": "constant"}


def mend(module, arguments, keywords, wanted, limits):
    raise ValueError("no file is right")
