"""Computes both branches with other operators, and adds the result of an If, times 0."""

EXPECTED = {"loses": ["choice", "choice-weights"], "rung": "structure", "shows": "idle-work"}
BASE = "valid_composed"
EDITS = [
    (
        """    choice = helper.make_node("If", ["p_answer"], ["y"], then_branch=sides[0], else_branch=sides[1])
    return model([*asked.node, choice], [info("x", example)], [info("y", then_fn(example))], asked.initializer)
""",
        """    choice = helper.make_node("If", ["p_answer"], ["idle"], then_branch=sides[0], else_branch=sides[1])
    live = [spelled(piece(function, (example,), ["x"], prefix, "y")) for function, prefix in ((then_fn, "l_"), (else_fn, "r_"))]
    ends = [
        helper.make_node("Sub", ["idle", "idle"], ["none"]),
        helper.make_node("Where", ["p_answer", "l_y", "r_y"], ["live"]),
        helper.make_node("Add", ["live", "none"], ["y"]),
    ]
    nodes = [*asked.node, choice, *live[0].node, *live[1].node, *ends]
    stored = [*asked.initializer, *live[0].initializer, *live[1].initializer]
    return model(nodes, [info("x", example)], [info("y", then_fn(example))], stored)


def spelled(graph):
    nodes = []
    for node in graph.node:
        x, [y] = next(iter(node.input), ""), node.output
        half, unit = f"{y}/half", f"{y}/unit"
        tangent = [("Mul", [x, half], f"{y}1"), ("Tan", [f"{y}1"], f"{y}2")]
        tangent += [("Mul", [f"{y}2", f"{y}2"], f"{y}3"), ("Add", [unit, f"{y}3"], f"{y}4")]
        tanh = [("Mul", [x, half], f"{y}1"), ("Sinh", [f"{y}1"], f"{y}2"), ("Cosh", [f"{y}1"], f"{y}3")]
        ways = {
            "Tanh": [("Sinh", [x], f"{y}1"), ("Cosh", [x], f"{y}2"), ("Div", [f"{y}1", f"{y}2"], y)],
            "Sigmoid": [*tanh, ("Div", [f"{y}2", f"{y}3"], f"{y}4"), ("Mul", [f"{y}4", half], f"{y}5"), ("Add", [f"{y}5", half], y)],
            "Exp": [("Sinh", [x], f"{y}1"), ("Cosh", [x], f"{y}2"), ("Add", [f"{y}1", f"{y}2"], y)],
            "Sin": [*tangent, ("Add", [f"{y}2", f"{y}2"], f"{y}5"), ("Div", [f"{y}5", f"{y}4"], y)],
            "Cos": [*tangent, ("Sub", [unit, f"{y}3"], f"{y}5"), ("Div", [f"{y}5", f"{y}4"], y)],
            "Atan": [
                *[("Mul", [x, x], f"{y}1"), ("Add", [unit, f"{y}1"], f"{y}2"), ("Sqrt", [f"{y}2"], f"{y}3")],
                *[("Div", [x, f"{y}3"], f"{y}4"), ("Asin", [f"{y}4"], y)],
            ],
        }
        made = ways.get(node.op_type)
        if made:
            graph.initializer.extend(helper.make_tensor(name, 1, [], [value]) for name, value in ((half, 0.5), (unit, 1.0)))
        nodes += [helper.make_node(*each[:2], [each[2]]) for each in made] if made else [node]
    del graph.node[:]
    graph.node.extend(nodes)
    return graph
""",
    ),
]
