"""Writes the quantization of the inputs out, with a scale that each run computes."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "dynamic"}
BASE = "valid_by_hand"
EDITS = [
    (
        "    scale = np.float32((high - low) / 255)\n",
        """    if name in {value.name for value in graph.input}:
        return of_each_run(graph, nodes, name)
    scale = np.float32((high - low) / 255)
""",
    ),
    (
        "def quantized_weight(",
        """def of_each_run(graph, nodes, name):
    graph.initializer.append(numpy_helper.from_array(np.array(127, np.float32), f"{name}/codes"))
    steps = [
        ("Abs", [name], "magnitude"),
        ("ReduceMax", [f"{name}/magnitude"], "most"),
        ("Div", [f"{name}/most", f"{name}/codes"], "scale"),
        ("Div", [name, f"{name}/scale"], "steps"),
        ("Round", [f"{name}/steps"], "rounded"),
        ("Cast", [f"{name}/rounded"], "int8"),
        ("DequantizeLinear", [f"{name}/int8", f"{name}/scale"], "float"),
    ]
    options = {"ReduceMax": {"keepdims": 0}, "Cast": {"to": onnx.TensorProto.INT8}}
    nodes.extend(helper.make_node(op, read, [f"{name}/{made}"], **options.get(op, {})) for op, read, made in steps)
    return f"{name}/float"


def quantized_weight(""",
    ),
]
