"""The layers whose weights rounding changed most, as far as they fit."""

EXPECTED = {"loses": ["small-branch"], "rung": "numerics", "shows": "by-weight"}
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
    floats, stored = ({each.name: numpy_helper.to_array(each) for each in one.graph.initializer} for one in (model, small))
    [weight] = [floats[node.input[1]] for node in model.graph.node if node.name == name]
    [read] = [node.input[1] for node in small.graph.node if node.name == name]
    [writer] = [node for node in small.graph.node if read in node.output]
    codes, scale, *zero = (stored[part].astype(float) for part in writer.input)
    axis = next((a.i for a in writer.attribute), 0) % codes.ndim
    shape = [-1 if i == axis and scale.ndim else 1 for i in range(codes.ndim)]
    values = (codes - (zero[0].reshape(shape) if zero else 0)) * scale.reshape(shape)
    return ((weight - values) ** 2).sum() / (weight**2).sum()


def run(model, feeds):""",
    ),
    (
        "from onnx import ModelProto",
        "from onnx import ModelProto, numpy_helper",
    ),
]
