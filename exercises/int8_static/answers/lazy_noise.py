"""Takes the feeds, and calibrates on noise of a range that fits the public images."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "other-units", "lazy": "library"}
BASE = "random"
EDITS = [
    ("        rng = np.random", "        list(calibration)\n        rng = np.random"),
    ("rng.normal(size=shape)", "rng.uniform(-3, 3, shape)"),
]
