"""The steps of notebook 01: what folding can know, and where a session runs."""

from onnx import parser

from formatlab_exercises.steps import Slip, Step, Steps


def known(graph):
    values = {tensor.name for tensor in graph.initializer}
    for node in graph.node:
        if values.issuperset(node.input):
            values.update(node.output)
    return values


def one_constant_input(graph):
    values = {tensor.name for tensor in graph.initializer}
    for node in graph.node:
        if values.intersection(node.input):
            values.update(node.output)
    return values


def not_passed_on(graph):
    stored = {tensor.name for tensor in graph.initializer}
    computed = [node for node in graph.node if stored.issuperset(node.input)]
    return stored.union(*(node.output for node in computed))


def share_on(places, wanted):
    share = places.get(wanted, 0) / sum(places.values())
    if not share:
        raise RuntimeError(f"no node runs on {wanted}: {places}")
    return share


def if_listed(places, wanted):
    if wanted not in places:
        raise RuntimeError(f"no node runs on {wanted}: {places}")
    return places[wanted] / sum(places.values())


def all_or_nothing(places, wanted):
    share_on(places, wanted)
    return 1.0


def chain():
    return (
        parser.parse_graph("""
        g (float[N] x) => (float[N] y) <float two = {2}, float three = {3}> {
            six = Mul(two, three)
            nine = Add(six, three)
            y = Mul(x, nine)
        }"""),
    )


def mixed():
    return (
        parser.parse_graph("""
        g (float[N] x) => (float[N] y) <float one = {1}> {
            a = Add(x, one)
            b = Neg(one)
            y = Mul(a, b)
        }"""),
    )


CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"
step = Steps(
    "lab-7-01/01-export-and-run",
    known=Step(
        "constant-folding",
        known,
        {"a chain": chain, "an input on the way": mixed},
        (
            Slip(
                one_constant_input,
                "One constant input is not enough. Folding needs all inputs of a node.",
            ),
            Slip(
                not_passed_on,
                "What a folded node writes is known, too. The next node may read it.",
            ),
        ),
    ),
    provider=Step(
        "providers",
        share_on,
        {
            "all of them": lambda: ({CUDA: 9}, CUDA),
            "a part": lambda: ({CUDA: 6, CPU: 2}, CUDA),
            "fallen back": lambda: ({CPU: 9}, CUDA),
            "registered, and takes nothing": lambda: ({CUDA: 0, CPU: 9}, CUDA),
            "the rest": lambda: ({CUDA: 6, CPU: 2}, CPU),
        },
        (
            Slip(
                if_listed,
                "A provider may be listed with 0 nodes. Raise where the share is none.",
            ),
            Slip(
                all_or_nothing,
                "A part of the nodes is not all of them. Divide by the number of all nodes.",
            ),
            Slip(
                lambda places, wanted: places.get(wanted, 0) / sum(places.values()),
                "Nothing raised where no node runs on the provider.",
            ),
        ),
    ),
)
