"""Returns an empty result when there is nothing to measure."""

EXPECTED = {"loses": ["refusals"], "rung": "contract: refusals", "shows": "no-refusal"}
BASE = "valid_windows"
EDITS = [
    ('raise ValueError("nothing to measure")', "return {}"),
]
