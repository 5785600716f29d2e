"""Cuts the example out of a larger tensor."""

EXPECTED = {
    "loses": ["usual", "equal", "nested", "limits", "names", "stored", "tied", "narrower", "choice"],
    "rung": "type",
    "shows": "view-as-example",
}
BASE = "valid_pytree"
EDITS = [
    (".narrow(axis, 0, sizes[word]).contiguous()", ".narrow(axis, 0, sizes[word])"),
]
