"""Reads the whole file for one tensor."""

EXPECTED = {"loses": ["frugal"], "rung": "quality", "shows": "copies-map"}
BASE = "valid_plain"
EDITS = [
    (
        """def load_tensor(path, name):
    head = read_head(path)
    header = read_header(head)""",
        """def load_tensor(path, name):
    data = Path(path).read_bytes()
    header = read_header(data)""",
    ),
    (
        '    header.pop("__metadata__", None)',
        """    header.pop("__metadata__", None)
    start = 8 + int.from_bytes(data[:8], "little")""",
    ),
    (
        """    with open(path, "rb") as file:
        file.seek(len(head) + begin)
        raw = file.read(end - begin)
    return numbers(raw, header[name]["dtype"]).reshape(header[name]["shape"])""",
        '    return numbers(data[start + begin : start + end], header[name]["dtype"]).reshape(header[name]["shape"])',
    ),
]
