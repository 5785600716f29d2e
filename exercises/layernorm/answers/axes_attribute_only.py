"""Reads the axes from the attribute of ReduceMean, which went with opset 18."""

EXPECTED = {"loses": ["spelt-out", "series", "outputs", "inner-values", "left-over", "argument"], "rung": "type", "shows": "raises-key-error"}
BASE = "valid_ir"
EDITS = [
    (
        'found = mean.attributes["axes"].as_ints() if "axes" in mean.attributes else constant(mean.inputs[1])',
        'found = mean.attributes["axes"].as_ints()',
    ),
]
