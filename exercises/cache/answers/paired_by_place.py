"""Pairs inputs and outputs by their places, and generates by the names."""

EXPECTED = {"loses": ["wiring-in-any-order"], "rung": "structure", "shows": "paired-by-place"}
BASE = 'valid_plain'
EDITS = [
    (
        "    return {name: outputs[behind(name)] for name in pasts}",
        "    return dict(zip(pasts, [each.name for each in session.get_outputs()][1:]))",
    ),
    (
        """    wires = cache_wiring(session)
""",
        """    rests = {behind(name): name for name in outputs}
    wires = {name: rests[behind(name)] for name in inputs if name.startswith("past")}
""",
    ),
]
