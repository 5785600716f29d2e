"""Writes the weights with torch.save."""

EXPECTED = {"loses": ["weights", "module"], "rung": "numerics: weights", "shows": "pickled"}
BASE = "valid_static"
EDITS = [
    ("save_file(module.state_dict(), path)", "torch.save(module.state_dict(), path)"),
    (
        'return {**facts(path), "elements": count(load_file(path).values())}',
        'return {**facts(path), "elements": count(value.numpy() for value in torch.load(io.BytesIO(path.read_bytes())).values())}',
    ),
]
