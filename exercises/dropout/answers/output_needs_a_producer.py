"""Lets the writer of the Dropout's input take a graph output's name, and a graph input has no writer."""

EXPECTED = {"loses": ["graph-outputs"], "rung": "type", "shows": "raises-index-error"}
BASE = "valid_rename"
EDITS = [("elif producers and source not in outputs:", "elif (producers or graph.input) and source not in outputs:")]
