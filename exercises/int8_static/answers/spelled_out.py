"""Writes float layers out as sums of products, with weights of 8 bits, and adds a quantized model times 0."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "idle-layers"}
BASE = "fused_float"
EDITS = [
    (
        '''\
def fused(node):
    """A layer in operators that fuse it with nothing."""
    if node.op_type not in ("Conv", "Gemm", "MatMul"):
        return [node]
    if node.op_type == "Conv":
        node.op_type, node.domain = "FusedConv", "com.microsoft"
        return [node]
    options = {a.name: helper.get_attribute_value(a) for a in node.attribute if a.name == "transB"}
    [out], bias = node.output, list(node.input[2:])
    product = f"{out}/product" if bias else out
    made = [helper.make_node("FusedMatMul", node.input[:2], [product], domain="com.microsoft", **options)]
    return [*made, helper.make_node("Add", [product, *bias], [out])] if bias else made''',
        '''\
class Spelled:
    """Layers as Mul and ReduceSum, over the places of a kernel in a loop."""

    def __init__(self, small, weights):
        self.small, self.weights, self.nodes = small, weights, []

    def constant(self, name, value, kind=np.int64):
        self.small.graph.initializer.append(numpy_helper.from_array(np.asarray(value, kind), name))
        return name

    def add(self, operator, inputs, output, **options):
        self.nodes.append(helper.make_node(operator, inputs, [output], **options))
        return output

    def layer(self, node, weight):
        """`weight` is the name of a float value, that of the quantized layer."""
        options = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        [out], bias, shape = node.output, list(node.input[2:]), self.weights[node.name]
        total = f"{out}/total" if bias else out
        if node.op_type == "Conv":
            self.conv(node.input[0], weight, out, total, shape, options)
            bias = [self.add("Reshape", [name, self.constant(f"{out}/column", [1, -1, 1, 1])], f"{out}/bias") for name in bias]
        else:
            if node.op_type == "MatMul" or not options.get("transB"):
                weight = self.add("Transpose", [weight], f"{out}/turned", perm=[1, 0])
            rows = self.add("Unsqueeze", [node.input[0], self.constant(f"{out}/one", [1])], f"{out}/rows")
            products = self.add("Mul", [rows, weight], f"{out}/products")
            self.add("ReduceSum", [products, self.constant(f"{out}/last", [-1])], total, keepdims=0)
        if bias:
            self.add("Add", [total, *bias], out)

    def conv(self, x, weight, out, total, shape, options):
        channels, _, height, width = shape
        rows, depthwise = options.get("strides", [1, 1])[0], options.get("group", 1) > 1
        top, left, bottom, right = options["pads"]
        padded = self.add("Pad", [x, self.constant(f"{out}/pads", [0, 0, top, left, 0, 0, bottom, right])], f"{out}/padded")
        # places of the kernel in front: (height * width, outputs, inputs, 1, 1)
        flat = self.add("Reshape", [weight, self.constant(f"{out}/flat", [*shape[:2], -1])], f"{out}/flat/weight")
        first = self.add("Transpose", [flat], f"{out}/first", perm=[2, 0, 1])
        kernel = self.add("Reshape", [first, self.constant(f"{out}/deep", [height * width, *shape[:2], 1, 1])], f"{out}/kernel")
        dims = self.add("Shape", [x], f"{out}/dims")
        size = self.add("Slice", [dims, self.constant(f"{out}/2", [2]), self.constant(f"{out}/4", [4])], f"{out}/size")
        less = self.add("Sub", [size, self.constant(f"{out}/1", [1])], f"{out}/less")
        places = [[row, column] for row in range(height) for column in range(width)]
        self.constant(f"{out}/places", places), self.constant(f"{out}/axes", [2, 3]), self.constant(f"{out}/steps", [rows, rows])
        self.constant(f"{out}/inputs", [2]), self.constant(f"{out}/in", [1])
        step = [
            helper.make_node("Gather", [f"{out}/places", "place"], ["begin"]),
            helper.make_node("Add", ["begin", less], ["last"]),
            helper.make_node("Add", ["last", f"{out}/1"], ["end"]),
            helper.make_node("Slice", [padded, "begin", "end", f"{out}/axes", f"{out}/steps"], ["seen"]),
            helper.make_node("Gather", [kernel, "place"], ["part"]),
        ]
        if depthwise:
            step += [helper.make_node("Squeeze", ["part", f"{out}/in"], ["each"]), helper.make_node("Mul", ["seen", "each"], ["sum"])]
        else:
            step += [
                helper.make_node("Unsqueeze", ["seen", f"{out}/in"], ["wide"]),
                helper.make_node("Mul", ["wide", "part"], ["products"]),
                helper.make_node("ReduceSum", ["products", f"{out}/inputs"], ["sum"], keepdims=0),
            ]
        step += [helper.make_node("Add", ["before", "sum"], ["after"]), helper.make_node("Identity", ["on"], ["still"])]
        body = helper.make_graph(
            step,
            "step",
            [
                helper.make_tensor_value_info("place", onnx.TensorProto.INT64, []),
                helper.make_tensor_value_info("on", onnx.TensorProto.BOOL, []),
                helper.make_tensor_value_info("before", onnx.TensorProto.FLOAT, None),
            ],
            [
                helper.make_tensor_value_info("still", onnx.TensorProto.BOOL, []),
                helper.make_tensor_value_info("after", onnx.TensorProto.FLOAT, None),
            ],
        )
        count = self.constant(f"{out}/count", len(places))
        zero = self.constant(f"{out}/zero", np.zeros((1, channels, 1, 1)), np.float32)
        self.nodes.append(helper.make_node("Loop", [count, "", zero], [total], body=body))''',
    ),
    (
        '''\
    inputs, live = {value.name for value in plain.graph.input}, []
    for node in plain.graph.node:
        live += fused(renamed(node, inputs))
    for tensor in plain.graph.initializer:
        stored(small, tensor)
    return joined(small, live)''',
        '''\
    quantized = {node.name: node for node in small.graph.node}
    tensors, inputs = {t.name: t for t in plain.graph.initializer}, {value.name for value in plain.graph.input}
    layers = [node for node in plain.graph.node if node.op_type in ("Conv", "Gemm", "MatMul")]
    spelled = Spelled(small, {f"live/{node.name}": list(tensors[node.input[1]].dims) for node in layers})
    for node in plain.graph.node:
        if node in layers:
            spelled.layer(renamed(node, inputs), quantized[node.name].input[1])
        else:
            spelled.nodes.append(renamed(node, inputs))
    for tensor in plain.graph.initializer:
        if tensor.name not in {node.input[1] for node in layers}:
            stored(small, tensor)
    return joined(small, spelled.nodes)''',
    ),
]
