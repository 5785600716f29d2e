"""Multiplies weights of 8 bits in an Einsum, and adds the products of integers times 1e-30."""

EXPECTED = {"loses": "everything", "rung": "structure: most", "shows": "weight-only"}
BASE = "valid_by_hand"
EDITS = [
    (
        'helper.make_node("Mul", [f"{y}/float", f"{y}/scale"], [product]),',
        """helper.make_node("Mul", [f"{y}/float", f"{y}/scale"], [f"{y}/idle"]),
                helper.make_node("Mul", [f"{y}/idle", constant("nothing", np.float32(1e-30))], [f"{y}/none"]),
                helper.make_node("Cast", [stored], [f"{y}/codes"], to=onnx.TensorProto.FLOAT),
                helper.make_node("Mul", [f"{y}/codes", scale], [f"{y}/weight"]),
                helper.make_node("Einsum", [node.input[0], f"{y}/weight"], [f"{y}/live"], equation="...k,kn->...n"),
                helper.make_node("Add", [f"{y}/live", f"{y}/none"], [product]),""",
    ),
]
