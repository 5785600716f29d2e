"""Removes the declarations from the file itself."""

EXPECTED = {"loses": ["tidy"], "rung": "quality", "shows": "mends-in-place"}
BASE = "valid_plain"
EDITS = [
    (
        "    model = onnx.load(path, load_external_data=False)",
        """    model = onnx.load(path, load_external_data=False)
    path.with_name("checked.txt").write_text(str(len(model.graph.node)))""",
    ),
]
