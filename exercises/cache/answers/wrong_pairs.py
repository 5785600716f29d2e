"""Pairs each cache with the one of its layer's other part, and generates by the names."""

EXPECTED = {"loses": ["wiring", "wiring-in-any-order"], "rung": "structure", "shows": "wrong-pairs"}
BASE = 'valid_plain'
EDITS = [
    (
        "    return {name: outputs[behind(name)] for name in pasts}",
        "    return dict(zip(sorted(pasts), sorted(outputs[behind(name)] for name in pasts)[::-1]))",
    ),
    (
        """    wires = cache_wiring(session)
""",
        """    rests = {behind(name): name for name in outputs}
    wires = {name: rests[behind(name)] for name in inputs if name.startswith("past")}
""",
    ),
]
