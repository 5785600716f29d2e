"""Exports a copy whose weights went through half precision."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "half-weights"}
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
