"""Gives each layer the cache of the next one."""

EXPECTED = {
    "loses": ["usual", "rows", "one-at-a-time", "positions-and-mask", "any-order", "form-of-the-cache", "together", "once"],
    "rung": "numerics",
    "shows": "layers-shifted",
}
BASE = 'valid_plain'
EDITS = [
    (
        """    wires = cache_wiring(session)
""",
        """    wires = cache_wiring(session)
    parts = len(wires) // 2 or 1
    ordered = sorted(wires, key=lambda name: ("".join(c for c in name if not c.isdigit()), name))
    halves = [ordered[:parts], ordered[parts:]]
    right = dict(wires)
    for half in halves:
        for name, other in zip(half, [*half[1:], *half[:1]]):
            wires[name] = right[other]
""",
    ),
]
