"""Asks of the texts that they are Unicode, and not of the tensors' names."""

EXPECTED = {"loses": ["strict"], "rung": "structure", "shows": "half-a-pair"}
BASE = "valid_plain"
EDITS = [
    ("    json.dumps(header, ensure_ascii=False).encode()\n", "    json.dumps(list(header.values()), ensure_ascii=False).encode()\n"),
]
