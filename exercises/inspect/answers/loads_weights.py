"""Loads the external data into the model that it was given."""

EXPECTED = {"loses": ["argument"], "rung": "contract: the argument", "shows": "model-changed"}
BASE = "valid_plain"
EDITS = [
    (
        "from onnx import TensorProto",
        """from onnx import TensorProto
from onnx.external_data_helper import load_external_data_for_model""",
    ),
    ("return {", "described = {"),
    (
        "    }",
        """    }
    if directory:
        load_external_data_for_model(model, str(directory))
    return described""",
    ),
]
