"""Exchanges keys and values on their way."""

EXPECTED = {
    "loses": ["usual", "rows", "one-at-a-time", "positions-and-mask", "any-order", "form-of-the-cache", "together", "once"],
    "rung": "numerics",
    "shows": "keys-for-values",
}
BASE = 'valid_plain'
EDITS = [
    (
        """    wires = cache_wiring(session)
""",
        """    wires = cache_wiring(session)
    swap = {"key": "value", "value": "key", "k": "v", "v": "k"}
    for past, present in wires.items():
        parts = present.replace("_", ".").split(".")
        twin = [swap.get(part, part) for part in parts]
        wires[past] = next(
            (name for name in outputs if name.replace("_", ".").split(".") == twin), present
        )
""",
    ),
]
