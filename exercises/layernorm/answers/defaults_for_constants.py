"""Takes the default of a graph input for a constant."""

EXPECTED = {"score": 0.8, "rung": "structure: left alone"}
BASE = "valid_ir"
EDITS = [
    ("tensor = None if value.is_graph_input() else ir.convenience.get_const_tensor(value)", "tensor = ir.convenience.get_const_tensor(value)"),
]
