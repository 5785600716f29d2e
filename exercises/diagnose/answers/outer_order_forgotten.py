"""Looks for the node that gives a name in the graph of its reader alone."""

EXPECTED = {"score": 0.9, "rung": "structure", "message": "behind the If", "shows": "names-of-one-graph"}
BASE = "valid_ladder"
EDITS = [
    (
        """    return f'output: "{name}"' in str(onnx.load(path, load_external_data=False))""",
        """    graph = onnx.load(path, load_external_data=False).graph
    graphs = [graph, *(attribute.g for node in graph.node for attribute in node.attribute)]
    read = [each for each in graphs if any(name in node.input for node in each.node)]
    return any(name in node.output for each in read for node in each.node)""",
    )
]
