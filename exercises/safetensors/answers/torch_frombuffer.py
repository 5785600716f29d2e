"""Makes tensors with torch.frombuffer, which refuses empty ones."""

EXPECTED = {"loses": ["dtypes"], "rung": "numerics", "shows": "torch-frombuffer"}
BASE = "valid_plain"
EDITS = [
    ("import numpy as np", "import torch"),
    ('KINDS = {"U": "<u", "I": "<i", "F": "<f", "C": "<c"}', ""),
    (
        """
def numbers(raw, dtype):
    if dtype == "BF16":
        return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(raw, "?" if dtype == "BOOL" else f"{KINDS[dtype[0]]}{SIZES[dtype]}")""",
        """
TYPES = {
    **{"BOOL": torch.bool, "U8": torch.uint8, "I8": torch.int8, "U16": torch.uint16, "I16": torch.int16, "U32": torch.uint32},
    **{"I32": torch.int32, "U64": torch.uint64, "I64": torch.int64, "F16": torch.float16, "BF16": torch.bfloat16},
    **{"F32": torch.float32, "F64": torch.float64, "C64": torch.complex64},
}


def numbers(raw, dtype):
    tensor = torch.frombuffer(bytearray(raw), dtype=TYPES[dtype])
    return (tensor.float() if dtype == "BF16" else tensor).numpy()""",
    ),
]
