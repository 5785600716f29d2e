"""Wires the positions and the mask as well."""

EXPECTED = {'score': 0.75, 'rung': 'structure', 'message': 'Only the caches go round', 'shows': 'other-inputs'}
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
