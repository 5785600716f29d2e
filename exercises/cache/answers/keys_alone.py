"""Leaves the values out of the wiring, and takes them along elsewhere."""

EXPECTED = {"loses": ["wiring", "wiring-in-any-order", "wiring-of-one-tensor"], "rung": "structure", "shows": "caches-missing"}
BASE = 'valid_plain'
EDITS = [
    (
        "    return {name: outputs[behind(name)] for name in pasts}",
        '    return {name: outputs[behind(name)] for name in pasts if "val" not in name}',
    ),
    (
        """    wires = cache_wiring(session)
""",
        """    rests = {behind(name): name for name in outputs}
    wires = {name: rests[behind(name)] for name in inputs if name.startswith("past")}
""",
    ),
]
