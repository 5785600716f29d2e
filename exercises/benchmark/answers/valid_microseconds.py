"""Rounds to microseconds, with numpy's definition that takes one of the turns."""

EXPECTED = {"rung": None}
BASE = "valid_windows"
EDITS = [
    ('np.percentile(times, [10, 50, 90])', 'np.percentile(times, [10, 50, 90], method="closest_observation").round(6)'),
]
