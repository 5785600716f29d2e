"""The right edits, written back into the argument."""

EXPECTED = {"score": 0.7, "rung": "contract", "message": "the model that was passed in is changed", "shows": "mutates-argument"}
BASE = "valid_ir"
EDITS = [
    (
        "    return ir.to_proto(copy)",
        """\
    model.CopyFrom(ir.to_proto(copy))
    return model""",
    ),
]
