"""Names the inputs in the order of forward's arguments."""

EXPECTED = {"loses": ["order"], "rung": "numerics", "shows": "swapped-names"}
BASE = "valid_walk"
EDITS = [
    (
        "    program = torch.export.export(",
        """\
    in_order = [name for each in names for name in wanted if name.startswith(each)]
    program = torch.export.export(""",
    ),
    ("verbose=False).model_proto", "verbose=False, input_names=in_order).model_proto"),
]
