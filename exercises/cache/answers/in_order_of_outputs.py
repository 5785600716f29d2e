"""Passes caches on in the order of the outputs."""

EXPECTED = {"loses": ["any-order", "together"], "rung": "numerics", "shows": "in-order-of-outputs"}
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
