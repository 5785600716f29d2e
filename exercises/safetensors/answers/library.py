"""Leaves validation to the library."""

EXPECTED = {"loses": ["strict", "entries"], "rung": "structure", "shows": "library"}
BASE = "valid_library"
EDITS = [
    (
        """def once(pairs):
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)

""",
        "",
    ),
    (
        """    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        text = file.read(length).decode()
    if length % 8 or not text.startswith("{"):
        raise ValueError("not as the format says")
    header = json.loads(text, object_pairs_hook=once)
    if header.get("__metadata__", {}) is None:
        raise ValueError("metadata are an object")
    for name, entry in header.items():
        if name != "__metadata__" and (type(entry) is not dict or len(entry) != 3):
            raise ValueError("an entry has three fields")""",
        "",
    ),
]
