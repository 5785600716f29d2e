"""The first and the last layer, as far as they fit."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "ends-alone"}
BASE = "valid_sets"
EDITS = [
    (
        """\
    for count in range(len(names) + 1):
        for chosen in combinations(names, count):
""",
        """\
    for count in range(1, 3):
        for chosen in combinations((names[0], names[-1]), count):
""",
    ),
]
