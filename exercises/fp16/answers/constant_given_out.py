"""An initializer that is an output is rounded under its name, which a Cast writes as well."""

EXPECTED = {"loses": ["inputs-and-outputs"], "rung": "loads", "shows": "constant-given-out"}
BASE = "valid_new_names"
EDITS = [
    ('        if name in graph_outputs:\n            rename[name] = fresh(f"{name}/half")\n            name = rename[name]\n', ''),
]
