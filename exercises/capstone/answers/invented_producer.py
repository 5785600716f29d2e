"""Says that PyTorch made every file."""

EXPECTED = {"loses": ["entries"], "rung": "quality: entries", "shows": "invented-producer"}
BASE = "valid_static"
EDITS = [
    (
        '"producer": {"name": model.producer_name, "version": model.producer_version},',
        '"producer": {"name": "pytorch", "version": torch.__version__.partition("+")[0]},',
    ),
]
