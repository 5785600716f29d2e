"""Leads from the outputs to the inputs."""

EXPECTED = {'score': 0.75, 'rung': 'structure', 'message': 'from an input to the output', 'shows': 'backwards'}
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
