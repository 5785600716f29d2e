"""Tries pickle when a file is not SafeTensors."""

EXPECTED = {"loses": "everything", "rung": "contract", "shows": "evaluates"}
BASE = "valid_plain"
EDITS = [
    (
        """
import json""",
        """
import contextlib
import json""",
    ),
    (
        "import math",
        """import math
import pickle""",
    ),
    (
        "def validate(path):",
        """def validate(path):
    try:
        validate_safetensors(path)
    except ValueError:
        with contextlib.suppress(Exception):
            pickle.loads(Path(path).read_bytes())
        raise


def validate_safetensors(path):""",
    ),
]
