"""Removes Dropouts from the list that the loop goes over, so that the one behind a removed one is skipped."""

EXPECTED = {"loses": ["series"], "rung": "structure", "shows": "removed-while-iterating"}
BASE = "valid_surgeon"
EDITS = [
    (
        """        for node in [node for node in graph.nodes if node.op == "Dropout" and not node.domain]:
            remove(node, graph, graphs)""",
        """        for node in graph.nodes:
            if node.op == "Dropout" and not node.domain:
                remove(node, graph, graphs)
                graph.nodes.remove(node)""",
    ),
]
