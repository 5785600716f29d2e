"""Takes ORT_ENABLE_EXTENDED for the layout level, which older versions do not have."""

EXPECTED = {"loses": ["layout", "files-layout"], "rung": "structure", "shows": "layout-is-extended"}
BASE = "valid_plain"
EDITS = [
    ('"layout": "ORT_ENABLE_LAYOUT"', '"layout": "ORT_ENABLE_EXTENDED"'),
]
