"""Wires the positions and the mask as well."""

EXPECTED = {"loses": ["wiring", "wiring-in-any-order", "wiring-of-one-tensor"], "rung": "structure", "shows": "other-inputs"}
BASE = 'valid_plain'
EDITS = [
    (
        "    return {name: outputs[behind(name)] for name in pasts}",
        """    found = {name: outputs[behind(name)] for name in pasts}
    others = [each.name for each in session.get_inputs() if each.name.endswith(("_ids", "mask"))]
    return {**dict.fromkeys(others, "logits"), **found}""",
    ),
    (
        """    wires = cache_wiring(session)
""",
        """    wires = {past: present for past, present in cache_wiring(session).items() if present != "logits"}
""",
    ),
]
