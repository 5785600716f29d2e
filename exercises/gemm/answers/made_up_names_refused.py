"""Takes a name that inference made up for no name."""

EXPECTED = {"score": 0.75, "rung": "structure", "message": "It is a name like any other", "shows": "made-up-names"}
BASE = "valid_proto"
EDITS = [
    ("dim.dim_param or dim.dim_value or object() for", "name_of(dim) or dim.dim_value or object() for"),
    ("def fuse(", """\
def name_of(dim):
    return "" if dim.dim_param.startswith("unk__") else dim.dim_param


def fuse("""),
]
