"""Leads from the outputs to the inputs."""

EXPECTED = {"loses": ["wiring", "wiring-in-any-order", "wiring-of-one-tensor"], "rung": "structure", "shows": "backwards"}
BASE = 'valid_plain'
EDITS = [
    (
        "    return {name: outputs[behind(name)] for name in pasts}",
        "    return {outputs[behind(name)]: name for name in pasts}",
    ),
    (
        """    wires = cache_wiring(session)
""",
        """    wires = {past: present for present, past in cache_wiring(session).items()}
""",
    ),
]
