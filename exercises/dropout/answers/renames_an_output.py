"""Lets the writer of the Dropout's input take the output's name, although that input is an output too."""

EXPECTED = {"score": 0.7, "rung": "loads", "message": "an output of the graph needs a name", "shows": "producer-renamed"}
BASE = "valid_rename"
EDITS = [("elif producers and source not in outputs:", "elif producers:")]
