"""Writes products with weights of 8 bits out as sums, and adds the products of integers times 0."""

EXPECTED = {"loses": "everything", "rung": "structure: most", "shows": "idle-products"}
BASE = "valid_by_hand"
EDITS = [
    (
        'helper.make_node("Mul", [f"{y}/float", f"{y}/scale"], [product]),',
        """helper.make_node("Mul", [f"{y}/float", f"{y}/scale"], [f"{y}/idle"]),
                helper.make_node("Mul", [f"{y}/idle", constant("nothing", np.float32(0))], [f"{y}/none"]),
                helper.make_node("Cast", [stored], [f"{y}/codes"], to=onnx.TensorProto.FLOAT),
                helper.make_node("Mul", [f"{y}/codes", scale], [f"{y}/weight"]),
                helper.make_node("Transpose", [f"{y}/weight"], [f"{y}/columns"], perm=[1, 0]),
                helper.make_node("Unsqueeze", [node.input[0], constant("before", np.int64([-2]))], [f"{y}/rows"]),
                helper.make_node("Mul", [f"{y}/rows", f"{y}/columns"], [f"{y}/products"]),
                helper.make_node("ReduceSum", [f"{y}/products", constant("last", np.int64([-1]))], [f"{y}/live"], keepdims=0),
                helper.make_node("Add", [f"{y}/live", f"{y}/none"], [product]),""",
    ),
]
