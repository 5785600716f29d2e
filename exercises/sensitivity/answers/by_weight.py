"""The layers whose weights rounding changed most, as far as they fit."""

EXPECTED = {"score": 0.6, "rung": "numerics", "message": "hardly depends on it", "shows": "by-weight"}
BASE = "valid_sets"
EDITS = [
    (
        "                tried.append((sqnr(wanted, run(mixed, feeds)), len(tried), mixed))",
        "                tried.append((sum(changed[name] for name in chosen), len(tried), mixed))",
    ),
    (
        """\
    tried = []
""",
        """\
    tried, changed = [], {name: share_lost(model, small, name) for name in names}
""",
    ),
    (
        "def run(model, feeds):",
        """\
def share_lost(model, small, name):
    stored = {each.name: numpy_helper.to_array(each) for each in [*model.graph.initializer, *small.graph.initializer]}
    weight = stored[f"{name}.weight"]
    writer = next(node for node in small.graph.node if node.input[0] == f"{name}.weight_quantized")
    codes, scale, zero = (stored[part].astype(float) for part in writer.input)
    axis = next((a.i for a in writer.attribute), 0)
    shape = [-1 if i == axis and scale.ndim else 1 for i in range(codes.ndim)]
    values = (codes - zero.reshape(shape)) * scale.reshape(shape)
    return ((weight - values) ** 2).sum() / (weight**2).sum()


def run(model, feeds):""",
    ),
    (
        "from onnx import ModelProto",
        "from onnx import ModelProto, numpy_helper",
    ),
]
