"""Takes the feeds, and calibrates on noise of a range that fits the public images."""

EXPECTED = {
    "score": 0.1,
    "rung": "numerics",
    "message": "calibrated in other units",
    "lazy": "library",
    "shows": "other-units",
}
BASE = "random"
EDITS = [
    ("        rng = np.random", "        list(calibration)\n        rng = np.random"),
    ("rng.normal(size=shape)", "rng.uniform(-3, 3, shape)"),
]
