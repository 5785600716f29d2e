"""Lets every weight stay float, times a one that is made of the input, and hangs quantized layers beside them that nobody reads."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "computed-weights"}
BASE = "valid_by_hand"
EDITS = [
    (
        "    nodes, done = [], {}\n",
        """    nodes, done = [], {}
    new.graph.initializer.append(numpy_helper.from_array(np.float32(0), "none"))
    new.graph.initializer.append(numpy_helper.from_array(np.float32(1), "whole"))
    nodes.append(helper.make_node("ReduceMax", [model.graph.input[0].name], ["most"], keepdims=0))
    nodes.append(helper.make_node("Mul", ["most", "none"], ["nothing"]))
    nodes.append(helper.make_node("Add", ["nothing", "whole"], ["one"]))
""",
    ),
    (
        """            node.input[0] = done[x]
            if w not in done:
                done[w] = quantized_weight(new.graph, nodes, weights[w], axis)
                new.graph.initializer.remove(weights[w])
            node.input[1] = done[w]
""",
        """            idle = onnx.NodeProto()
            idle.CopyFrom(node)
            if w not in done:
                done[w] = quantized_weight(new.graph, nodes, weights[w], axis)
                nodes.append(helper.make_node("Mul", [w, "one"], [f"{w}/same"]))
            idle.input[0], idle.input[1], idle.output[0] = done[x], done[w], f"{node.output[0]}/idle"
            idle.name = ""
            nodes.append(idle)
            node.input[1] = f"{w}/same"
""",
    ),
]
