"""Keeps the names that it has counted in a set, although branches use one name for two values."""

EXPECTED = {"loses": ["declarations"], "rung": "contract", "shows": "each-name-once"}
BASE = "valid_plain"
EDITS = [
    ("    graphs = [model.graph]\n", "    graphs, seen = [model.graph], set()\n"),
    ("                if name:\n", "                if name and name not in seen:\n                    seen.add(name)\n"),
]
