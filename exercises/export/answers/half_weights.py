"""Exports a copy whose weights went through half precision."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "half precision", "shows": "half-weights"}
BASE = "valid_torchscript"
EDITS = [
    (
        "import inspect",
        """\
import copy
import inspect""",
    ),
    ("                module,", "                copy.deepcopy(module).half().float(),"),
]
