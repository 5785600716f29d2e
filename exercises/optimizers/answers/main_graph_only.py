"""Does not count the nodes in subgraphs."""

EXPECTED = {"loses": ["nested"], "rung": "structure", "shows": "main-graph-only"}
BASE = "valid_ir"
EDITS = [
    ("import onnx_ir as ir", "import onnx"),
    (
        """        save_level(path.read_bytes(), level, directory / f"{key}.onnx")
        found = Counter()
        for node in ir.traversal.RecursiveGraphIterator(ir.load(directory / f"{key}.onnx").graph):
            found["::".join(filter(None, [node.domain, node.op_type]))] += 1
        counts[key] = found""",
        """        save_level(path, level, directory / f"{key}.onnx")
        graph = onnx.load(directory / f"{key}.onnx").graph
        counts[key] = dict(Counter(f"{node.domain}::{node.op_type}" for node in graph.node))""",
    ),
]
