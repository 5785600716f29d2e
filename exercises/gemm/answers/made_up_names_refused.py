"""Takes a name that inference made up for no name."""

EXPECTED = {"loses": ["names"], "rung": "structure", "shows": "made-up-names"}
BASE = "valid_proto"
EDITS = [
    ('return dim.dim_param or (', 'return name_of(dim) or ('),
    ("def fuse(", """\
def name_of(dim):
    return "" if dim.dim_param.startswith("unk__") else dim.dim_param


def fuse("""),
]
