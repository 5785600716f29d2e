"""Unpacks the length without looking for eight bytes."""

EXPECTED = {"score": 0.826, "rung": "type", "message": "it raises error", "shows": "unpacks-short-files"}
BASE = "valid_plain"
EDITS = [
    (
        "import math",
        """import math
import struct""",
    ),
    (
        """    if len(data) < 8:
        raise ValueError("too short")
    length = int.from_bytes(data[:8], "little")""",
        '    (length,) = struct.unpack("<Q", data[:8])',
    ),
]
