"""Returns a torch.Tensor."""

EXPECTED = {"score": 0.633, "rung": "numerics", "message": "something of type Tensor", "shows": "returns-tensor"}
BASE = "valid_plain"
EDITS = [
    (
        "import numpy as np",
        """import numpy as np
import torch""",
    ),
    (
        'return numbers(raw, header[name]["dtype"]).reshape(header[name]["shape"])',
        'return torch.from_numpy(numbers(raw, header[name]["dtype"]).reshape(header[name]["shape"]).copy())',
    ),
]
