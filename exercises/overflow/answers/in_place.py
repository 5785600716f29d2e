"""Makes every value an output of the model that it was given."""

EXPECTED = {"score": 0.7, "rung": "contract", "message": "add them to a copy", "shows": "in-place"}
BASE = "valid_as_outputs"
EDITS = [("shown = onnx.ModelProto.FromString(model.SerializeToString())", "shown = model")]
