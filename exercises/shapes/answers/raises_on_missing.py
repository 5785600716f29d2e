"""Looks every value up, and not every value is declared."""

EXPECTED = {
    "loses": ["usual-shapes", "names", "no-dimensions", "declarations", "values", "graphs", "tidy"],
    "rung": "type",
    "shows": "raises-key-error",
}
BASE = "valid_plain"
EDITS = [
    ("counts[kind(declared.get(name))] += 1", "counts[kind(declared[name])] += 1"),
]
