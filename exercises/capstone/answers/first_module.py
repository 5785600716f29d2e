"""Converts the module of the first call again and again."""

EXPECTED = {"score": 0.1, "rung": "contract", "message": "input of another shape", "shows": "another-module"}
BASE = "valid_static"
EDITS = [
    (
        """\
def convert(module, example, budget, directory):
    export(""",
        """\
FIRST = []


def convert(module, example, budget, directory):
    FIRST.append((module, example))
    module, example = FIRST[0]
    export(""",
    ),
]
