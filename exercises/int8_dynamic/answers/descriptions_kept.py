"""One scale for each channel, and the descriptions of initializers left in value_info."""

EXPECTED = {
    "loses": ["most-products", "gemm", "shared-weights", "size", "signature", "argument"],
    "rung": "type",
    "shows": "as-exported",
}
BASE = "as_exported"
EDITS = [
    ("quantize_dynamic(new, path)", "quantize_dynamic(new, path, per_channel=True)"),
]
