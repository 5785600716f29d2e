"""Leaves out the key of the values that nobody declares."""

EXPECTED = {
    "loses": ["usual-shapes", "names", "no-dimensions", "declarations", "values", "graphs", "tidy"],
    "rung": "contract",
    "shows": "absent-keys",
}
BASE = "valid_plain"
EDITS = [
    ("return counts", 'return {name: count for name, count in counts.items() if name != "missing"}'),
]
