"""Returns a torch.Tensor."""

EXPECTED = {"loses": ["tensors", "bfloat16", "dtypes", "large-files", "frugal"], "rung": "numerics", "shows": "returns-tensor"}
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
