"""Removes Dropouts from the list that the loop goes over, so that the one behind a removed one is skipped."""

EXPECTED = {"score": 0.4, "rung": "structure", "message": "each right behind another one", "shows": "removed-while-iterating"}
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
