"""Says that PyTorch made every file."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "wrote it last", "shows": "invented-producer"}
BASE = "valid_static"
EDITS = [
    (
        '"producer": {"name": model.producer_name, "version": model.producer_version},',
        '"producer": {"name": "pytorch", "version": torch.__version__.partition("+")[0]},',
    ),
]
