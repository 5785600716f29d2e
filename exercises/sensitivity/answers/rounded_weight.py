"""Turns the codes back into floats."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "rounded-weight"}
BASE = "valid_sets"
EDITS = [
    (
        """\
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
""",
        """\
    tensors = {tensor.name: restored(model, small, tensor) for tensor in model.graph.initializer}
""",
    ),
    (
        "def run(model, feeds):",
        """\
def restored(model, small, tensor):
    layer, place = next((node.name, list(node.input).index(tensor.name)) for node in model.graph.node if tensor.name in node.input)
    read = next((node.input[place] for node in small.graph.node if node.name == layer), "")
    writer = next((node for node in small.graph.node if read in node.output), None)
    if writer is None:
        return tensor
    stored = {each.name: numpy_helper.to_array(each) for each in small.graph.initializer}
    codes, scale, *zero = (stored[name].astype(float) for name in writer.input)
    axis = next((a.i for a in writer.attribute), 0) % codes.ndim
    shape = [-1 if i == axis and scale.ndim else 1 for i in range(codes.ndim)]
    values = (codes - (zero[0].reshape(shape) if zero else 0)) * scale.reshape(shape)
    return numpy_helper.from_array(values.astype("float32"), tensor.name)


def run(model, feeds):""",
    ),
    (
        "from onnx import ModelProto",
        "from onnx import ModelProto, numpy_helper",
    ),
]
