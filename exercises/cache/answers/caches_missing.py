"""Wires the first layer alone."""

EXPECTED = {
    "loses": [
        "wiring",
        "wiring-in-any-order",
        "usual",
        "rows",
        "one-at-a-time",
        "positions-and-mask",
        "any-order",
        "form-of-the-cache",
        "together",
        "once",
    ],
    "rung": "structure",
    "shows": "caches-missing",
}
BASE = 'valid_plain'
EDITS = [
    (
        "    return {name: outputs[behind(name)] for name in pasts}",
        '    return {name: outputs[behind(name)] for name in pasts if "1" not in name}',
    ),
]
