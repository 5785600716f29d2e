"""Takes the mean off the calibration images and divides by their deviation, as other models want it."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "other-units"}
BASE = "valid_entropy"
EDITS = [
    ('        options = {"calibrate_method": CalibrationMethod.Entropy}', ""),
    ("            **options,\n", ""),
    (
        "        return next(self.feeds, None)",
        """\
        feeds = next(self.feeds, None)
        return feeds and {name: (value - value.mean()) / value.std() for name, value in feeds.items()}""",
    ),
]
