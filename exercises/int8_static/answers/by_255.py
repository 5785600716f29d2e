"""Divides the calibration images by 255, as if they were bytes."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "other-units"}
BASE = "valid_entropy"
EDITS = [
    ('        options = {"calibrate_method": CalibrationMethod.Entropy}', ""),
    ("            **options,\n", ""),
    (
        "        return next(self.feeds, None)",
        """\
        feeds = next(self.feeds, None)
        return feeds and {name: value / 255 for name, value in feeds.items()}""",
    ),
]
