"""Puts an Identity where each LayerNorm was."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "identity-instead"}
BASE = "valid_ir"
EDITS = [
    ("if result.is_graph_output():", "if result.producer():"),
    (
        """\
        result.name, new.name = None, name
    else:
        result.replace_all_uses_with(x)""",
        '        result.name, new.name = f"{name}/unread", name',
    ),
]
