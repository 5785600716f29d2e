"""The first and the last layer, as far as they fit."""

EXPECTED = {"score": 0.6, "rung": "numerics", "message": "the first and the last", "shows": "ends-alone"}
BASE = "valid_sets"
EDITS = [
    (
        """\
    for count in range(len(names) + 1):
        for chosen in combinations(names, count):
""",
        """\
    for count in range(3):
        for chosen in combinations((names[0], names[-1]), count):
""",
    ),
]
