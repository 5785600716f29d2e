"""Passes caches on in the order of the outputs."""

EXPECTED = {'score': 0.808, 'rung': 'numerics', 'message': 'in the order of the outputs', 'shows': 'in-order-of-outputs'}
BASE = 'valid_plain'
EDITS = [
    (
        """    wires = cache_wiring(session)
""",
        """    presents = [name for name in outputs if name.startswith("present")]
    wires = dict(zip(cache_wiring(session), presents, strict=True))
""",
    ),
]
