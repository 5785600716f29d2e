"""Goes over what is declared, not over what the nodes write."""

EXPECTED = {
    "loses": ["usual-shapes", "names", "no-dimensions", "declarations", "values", "graphs", "tidy"],
    "rung": "contract",
    "shows": "counts-declarations",
}
BASE = "valid_plain"
EDITS = [
    ("        declared = {value.name: value for value in [*graph.value_info, *graph.output]}", ""),
    (
        """            for name in node.output:
                if name:
                    counts[kind(declared.get(name))] += 1""",
        """        for value in [*graph.value_info, *graph.output]:
            counts[kind(value)] += 1""",
    ),
]
