"""Takes the size of the initializers for that of the file."""

EXPECTED = {
    "loses": ["hash-and-size"],
    "rung": "quality: hash and size",
    "shows": "size-of-weights",
}
BASE = "valid_static"
EDITS = [
    (
        '        "sqnr_db": measure(expected, path, example),',
        """\
        "sqnr_db": measure(expected, path, example),
        "bytes": sum(numpy_helper.to_array(tensor).nbytes for tensor in model.graph.initializer),""",
    ),
]
