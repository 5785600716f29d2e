"""Unpacks the length without looking for eight bytes."""

EXPECTED = {"loses": ["refused-lengths", "lengths", "valid", "frugal"], "rung": "type", "shows": "unpacks-short-files"}
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
