"""Lets the writer of the Dropout's input take the output's name, although that input is an output too."""

EXPECTED = {"loses": ["graph-outputs"], "rung": "loads", "shows": "producer-renamed"}
BASE = "valid_rename"
EDITS = [("elif producers and source not in outputs:", "elif producers:")]
