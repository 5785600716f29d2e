"""Says that the budget is met."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "always says yes", "shows": "always-met"}
BASE = "valid_static"
EDITS = [
    (
        'return {"artefacts": [*entries, weights], "budget": budget, "chosen": chosen, "met": chosen is not None}',
        'return {"artefacts": [*entries, weights], "budget": budget, "chosen": chosen, "met": True}',
    ),
]
