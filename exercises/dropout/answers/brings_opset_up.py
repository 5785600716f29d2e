"""Brings models of an old opset up to date first, so that a ratio is an input in each."""

EXPECTED = {"loses": ["settings"], "rung": "contract", "shows": "other-versions"}
BASE = "valid_rename"
EDITS = [
    (
        """\
    new = onnx.ModelProto.FromString(model.SerializeToString())
""",
        """\
    new = onnx.ModelProto.FromString(model.SerializeToString())
    if any(one.domain in ("", "ai.onnx") and one.version < 12 for one in new.opset_import):
        new = version_converter.convert_version(new, 13)
""",
    ),
    ("from onnx import TensorProto, helper", "from onnx import TensorProto, helper, version_converter"),
]
