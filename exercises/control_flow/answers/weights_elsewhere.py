"""Saves the weights in another file and returns the model without them."""

EXPECTED = {"loses": ["choice", "choice-weights", "names"], "rung": "loads", "shows": "weights-elsewhere"}
BASE = "valid_script"
EDITS = [
    (
        '    return exported(torch.jit.script(Choice(*traced)), (example,), input_names=["x"], output_names=["y"])',
        """    model = exported(torch.jit.script(Choice(*traced)), (example,), input_names=["x"], output_names=["y"])
    node = next(node for node in model.graph.node if node.op_type == "If")
    graph = node.attribute[0].g
    graph.initializer.add(name="weight", dims=[4], data_type=1, data_location=1).external_data.add(key="location", value="weights.bin")
    return model""",
    ),
]
