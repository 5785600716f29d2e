"""The right edits, written back into the argument."""

EXPECTED = {"loses": ["argument"], "rung": "contract: the argument", "shows": "mutates-argument"}
BASE = "valid_ir"
EDITS = [
    (
        "    return ir.to_proto(copy)",
        """\
    model.CopyFrom(ir.to_proto(copy))
    return model""",
    ),
]
