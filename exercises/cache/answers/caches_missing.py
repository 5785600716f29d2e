"""Wires the first layer alone."""

EXPECTED = {'score': 0.0, 'rung': 'type', 'message': 'it raises', 'shows': 'raises-value-error'}
BASE = 'valid_plain'
EDITS = [
    (
        "    return {name: outputs[behind(name)] for name in pasts}",
        '    return {name: outputs[behind(name)] for name in pasts if "1" not in name}',
    ),
]
