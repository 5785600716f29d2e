"""Maps the file, and copies all of the map."""

EXPECTED = {"loses": ["frugal"], "rung": "quality", "shows": "copies-map"}
BASE = "valid_plain"
EDITS = [
    (
        "import math",
        """import math
import mmap""",
    ),
    (
        "        return head + file.read(length if length <= most else 0)",
        """        return head + file.read(length if length <= most else 0)


def data_of(path):
    with open(path, "rb") as file:
        return bytes(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))""",
    ),
    ("check_cover(header.values(), Path(path).stat().st_size - len(head))", "check_cover(header.values(), len(data_of(path)) - len(head))"),
]
