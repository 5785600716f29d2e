"""Puts back the layer that brings most for its bytes, and then the next, as long as one fits."""

EXPECTED = {"loses": ["large-or-small"], "rung": "numerics", "shows": "one-after-the-other"}
BASE = "valid_sets"
EDITS = [
    (
        """\
    tried = []
    for count in range(len(names) + 1):
        for chosen in combinations(names, count):
            mixed = in_float(model, small, chosen)
            if mixed.ByteSize() <= room:
                tried.append((sqnr(wanted, run(mixed, feeds)), len(tried), mixed))
    return max(tried)[2]
""",
        """\
    chosen, found = [], small
    while True:
        tried = []
        for name in names:
            mixed = in_float(model, small, [*chosen, name])
            if name not in chosen and mixed.ByteSize() <= room:
                gain = sqnr(wanted, run(mixed, feeds)) - sqnr(wanted, run(found, feeds))
                tried.append((gain / (mixed.ByteSize() - found.ByteSize()), name, mixed))
        if not tried:
            return found
        _, name, found = max(tried, key=lambda one: one[:2])
        chosen.append(name)
""",
    ),
]
