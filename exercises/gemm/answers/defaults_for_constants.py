"""Takes the dimensions of an initializer, also where it is only the default of a graph input."""

EXPECTED = {"score": 0.75, "rung": "structure", "message": "another name than the product's", "shows": "unproven"}
BASE = "valid_proto"
EDITS = [
    (
        """\
    known = {tensor.name: (tensor.data_type, tuple(tensor.dims)) for tensor in graph.initializer}
    for value""",
        """\
    stored = {tensor.name: (tensor.data_type, tuple(tensor.dims)) for tensor in graph.initializer}
    known = {}
    for value""",
    ),
    ("    return known\n\n\ndef size", "    return known | stored\n\n\ndef size"),
]
