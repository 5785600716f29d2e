"""Takes ORT_ENABLE_EXTENDED for the layout level, which older versions do not have."""

EXPECTED = {
    "score": 0.65,
    "rung": "structure",
    "message": "layout: the operators that ORT_ENABLE_EXTENDED leaves",
    "shows": "layout-is-extended",
}
BASE = "valid_plain"
EDITS = [
    ('"layout": "ORT_ENABLE_LAYOUT"', '"layout": "ORT_ENABLE_EXTENDED"'),
]
