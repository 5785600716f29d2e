"""Says that the budget is met."""

EXPECTED = {"loses": ["impossible"], "rung": "quality: choice", "shows": "always-met"}
BASE = "valid_static"
EDITS = [
    (
        'return {"artefacts": [*entries, weights], "budget": budget, "chosen": chosen, "met": chosen is not None}',
        'return {"artefacts": [*entries, weights], "budget": budget, "chosen": chosen, "met": True}',
    ),
]
