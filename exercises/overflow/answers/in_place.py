"""Makes every value an output of the model that it was given."""

EXPECTED = {"loses": ["model"], "rung": "contract: the model", "shows": "in-place"}
BASE = "valid_as_outputs"
EDITS = [("shown = onnx.ModelProto.FromString(model.SerializeToString())", "shown = model")]
