"""Mends a weight once that two layers read, and with it the bias of the first of them alone."""

EXPECTED = {"loses": ["bias-scale"], "rung": "quality: the kernel", "shows": "shared"}
BASE = "valid_halves"
EDITS = [
    (
        '            if source is not None and source.op_type == "DequantizeLinear":',
        """            again = place == 1 and (place, name) in seen
            seen.add((place, name))
            if source is not None and source.op_type == "DequantizeLinear" and not again:""",
    )
]
