"""Removes the declarations of weights from the model that it is given."""

EXPECTED = {"loses": ["tidy"], "rung": "quality", "shows": "changes-the-model"}
BASE = "valid_plain"
EDITS = [
    (
        '    counts = {"static": 0, "named": 0, "unknown": 0, "missing": 0}',
        """    counts = {"static": 0, "named": 0, "unknown": 0, "missing": 0}
    weights = {tensor.name for tensor in model.graph.initializer}
    for value in [value for value in model.graph.value_info if value.name in weights]:
        model.graph.value_info.remove(value)""",
    ),
]
