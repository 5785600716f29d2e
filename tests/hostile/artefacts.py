"""Artefacts: models that are bombs, point elsewhere, hide what should be gone, or remember instead
of computing.
"""

from __future__ import annotations

from onnx import ModelProto

from tests.hostile.attack import Attack, answering, before

# A ladder gives points for each rung that stands: a model that is returned as it came loads and
# computes.
UNCHANGED = 0.3


def _model(source: str) -> str:
    """`remove_dropout` returns the argument with something done to it."""
    body = "\n".join(f"    {line}" for line in source.strip().splitlines())
    return f"import numpy as np\nimport onnx\nfrom onnx import TensorProto, helper\n\n\ndef remove_dropout(model):\n{body}\n    return model"


EXTERNAL = """
for tensor in model.graph.initializer:
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=LOCATION)
    tensor.external_data.add(key="offset", value="0")
    tensor.external_data.add(key="length", value="1000000000000")
"""

NESTED = """
inner = helper.make_graph([], "inner", [], [helper.make_tensor_value_info("c", TensorProto.FLOAT, [1])])
for _ in range(90):
    node = helper.make_node("If", ["c"], ["c"], then_branch=inner, else_branch=inner)
    inner = helper.make_graph([node], "g", [], [helper.make_tensor_value_info("c", TensorProto.FLOAT, [1])])
    if inner.ByteSize() > 30_000_000:
        break
model.graph.node.extend(inner.node)
"""

LOOP = """
body = helper.make_graph(
    [helper.make_node("Identity", ["cond"], ["cond_out"]), helper.make_node("Identity", ["x"], ["x_out"])], "body",
    [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("cond", TensorProto.BOOL, []),
     helper.make_tensor_value_info("x", TensorProto.FLOAT, None)],
    [helper.make_tensor_value_info("cond_out", TensorProto.BOOL, []), helper.make_tensor_value_info("x_out", TensorProto.FLOAT, None)],
)
model.graph.initializer.append(helper.make_tensor("always", TensorProto.BOOL, [], [True]))
for node in model.graph.node:
    if node.op_type == "Dropout":
        node.CopyFrom(helper.make_node("Loop", ["", "always", node.input[0]], [node.output[0]], body=body))
"""

# Ends after seconds, each time that it is run.
OFTEN = """
model.graph.initializer.append(helper.make_tensor("often", TensorProto.INT64, [], [3_000_000]))
"""

HUGE = """
for node in model.graph.node:
    if node.op_type == "Dropout":
        model.graph.initializer.append(helper.make_tensor("size_" + node.output[0], TensorProto.INT64, [1], [10**12]))
        node.CopyFrom(helper.make_node("ConstantOfShape", ["size_" + node.output[0]], [node.output[0]]))
"""

OVERFLOW = """
for tensor in model.graph.initializer:
    tensor.dims[:] = [2**62, 2**62, 4]
"""

DOMAIN = """
for node in model.graph.node:
    if node.op_type == "Dropout":
        node.op_type, node.domain = "Dropout", "../../usr/lib/evil.so"
model.opset_import.add(domain="../../usr/lib/evil.so", version=1)
model.metadata_props.add(key="ep_context", value="/tmp/evil.so")
"""

HIDDEN = """
function = helper.make_function(
    "mine", "Keep", ["x"], ["y"], [helper.make_node("Dropout", ["x"], ["y"])], [helper.make_opsetid("", 17)]
)
for node in model.graph.node:
    if node.op_type == "Dropout":
        node.op_type, node.domain = "Keep", "mine"
        del node.input[1:], node.output[1:]
model.functions.append(function)
model.opset_import.add(domain="mine", version=1)
"""


def _outputs(array: str) -> str:
    """Every output is a constant, made of its `shape`."""
    return f"""
for value in model.graph.output:
    shape = [dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim]
    model.graph.initializer.append(onnx.numpy_helper.from_array({array}, "odd_" + value.name))
del model.graph.node[:]
for value in model.graph.output:
    model.graph.node.append(helper.make_node("Identity", ["odd_" + value.name], [value.name]))
"""


MANY = """
for number in range(3_000_000):
    model.graph.node.add(op_type="Identity", input=["a"], output=["a"])
"""

# The external data of a sparse initializer, whose values and indices are tensors of their own.
SPARSE = """
values = TensorProto(data_type=TensorProto.FLOAT, dims=[1], name="odd", data_location=TensorProto.EXTERNAL)
values.external_data.add(key="location", value="/etc/passwd")
indices = TensorProto(data_type=TensorProto.INT64, dims=[1], data_location=TensorProto.EXTERNAL)
indices.external_data.add(key="location", value="../../secret.txt")
model.graph.sparse_initializer.add(values=values, indices=indices, dims=[4])
"""

BRANCH = """
model.graph.initializer.append(helper.make_tensor("always", TensorProto.BOOL, [], [True]))
for node in model.graph.node:
    if node.op_type == "Dropout":
        inner = helper.make_node("Dropout", [node.input[0]], ["kept"])
        value = helper.make_tensor_value_info("kept", TensorProto.FLOAT, None)
        branch = helper.make_graph([inner], "branch", [], [value])
        node.CopyFrom(helper.make_node("If", ["always"], [node.output[0]], then_branch=branch, else_branch=branch))
"""

NAMES = """
long = "x" * 50_000_000
model.producer_name = long
model.graph.name = "\\x1b[2J" + long[:1000]
for node in model.graph.node:
    node.name = "\\u202e<script>"
"""

RAW = """from nbjudge.boxes.inside import collect
from nbjudge.contract import Answer

REPORT = b'{"argument_changed": false, "again": "same"}'
collect.ask = lambda exercise, functions, case, *given, **named: Answer("returned", {"model.onnx": DATA, "report.json": REPORT})"""

# The graph field of a ModelProto that says that two gigabytes follow; a varint that never ends; a
# name that is no UTF-8.
CLAIM = 'b"\\x08\\x08\\x3a\\xff\\xff\\xff\\xff\\x07" + b"x" * 1000'
VARINT = 'b"\\x3a" + b"\\xff" * 100_000'
UTF8 = 'b"\\x08\\x08\\x12\\x04\\xff\\xfe\\xfd\\xfc"'
PICKLE = "b\"cposix\\nsystem\\n(S'touch /tmp/planted-by-a-submission'\\ntR.\""
LIES = 'case.files["model.onnx"], "../../etc/passwd": b"x", "/tmp/planted-by-a-submission": b"x", "extra" * 19: b"x"'

# Answers in JSON that no honest function gives.
JSON = {
    "long-number": 'b"[" + b"9" * 1_000_000 + b"]"',
    "deep": 'b"[" * 1_000_000 + b"]" * 1_000_000',
    "twice": """b'{"opset": 17, "opset": 1, "opset": {}, "ir_version": []}'""",
    "infinite": """b'{"opset": NaN, "ir_version": Infinity, "bytes": 1e999, "parameters": -0.0, "operators": {"NaN": NaN}}'""",
    "utf-16": '"{}".encode("utf-16")',
    "surrogates": """b'{"operators": {"\\\\ud800": 1}, "\\\\u0000": "\\\\udfff"}'""",
    "many": 'b"[" + b"0," * 20_000_000 + b"0]"',
    "keys": 'b"{" + b",".join(b"\\"%d\\":0" % number for number in range(4_000_000)) + b"}"',
}


def _anothers(notebook: dict) -> None:
    """Somebody else's right answer to a public case, as bytes, whatever the argument is."""
    import base64

    from nbjudge import exercises
    from tests.mutants import reference_functions

    model = ModelProto.FromString(exercises.get("dropout").public_cases()[0].files["model.onnx"])
    answer = reference_functions("dropout")["remove_dropout"](model).SerializeToString()
    answering(
        "import base64\nimport onnx\n\n\ndef remove_dropout(model):\n"
        f"    return onnx.load_from_string(base64.b64decode({base64.b64encode(answer).decode()!r}))"
    )(notebook)


def _bomb(name: str, source: str, most: float = UNCHANGED, **more) -> Attack:
    return Attack(
        name, "artefacts", "dropout", "stub", most, deed=answering(_model(source)), **more
    )


def _bytes(name: str, data: str, most: float = UNCHANGED) -> Attack:
    return Attack(
        name, "artefacts", "dropout", "unchanged", most, deed=before(RAW.replace("DATA", data))
    )


ATTACKS = [
    *(
        _bomb(f"external-{name}", EXTERNAL.replace("LOCATION", repr(location)))
        for name, location in (
            ("up", "../../secret.txt"),
            ("absolute", "/etc/passwd"),
            ("endless", "/dev/zero"),
            ("line", "/proc/self/fd/0"),
        )
    ),
    _bomb("nested", NESTED),
    _bomb("loop", LOOP, costly=True),
    _bomb("slow-each-time", LOOP.replace('["", ', '["often", ') + OFTEN, costly=True),
    _bomb("constant-of-shape", HUGE),
    _bomb("overflow", OVERFLOW),
    _bomb("domain", DOMAIN),
    _bomb("hidden-in-a-function", HIDDEN),
    _bomb("hidden-in-a-branch", BRANCH),
    _bomb("nothing-but-nan", _outputs("np.full(shape, np.nan, np.float32)")),
    _bomb("nothing-but-zeros", _outputs("np.zeros(shape, np.float32)")),
    _bomb("one-number", _outputs("np.zeros(1, np.float32)")),
    _bomb("text", _outputs("np.full(shape, 'x', object)")),
    _bomb("external-sparse", SPARSE),
    _bomb("many-nodes", MANY, costly=True),
    _bomb("names", NAMES),
    _bytes("claims-gigabytes", CLAIM),
    _bytes("endless-varint", VARINT),
    _bytes("no-utf-8", UTF8),
    _bytes("pickle", PICKLE),
    _bytes("other-files", LIES),
    *(
        Attack(
            f"json-{name}",
            "artefacts",
            "inspect",
            "returns_nothing",
            0.0,
            deed=before(RAW.replace("model.onnx", "answer.json").replace("DATA", data)),
            costly=name in ("many", "keys"),
        )
        for name, data in JSON.items()
    ),
    Attack("anothers-answer", "artefacts", "dropout", "stub", 0.1, deed=_anothers),
    Attack(
        "other-type",
        "artefacts",
        "dropout",
        "stub",
        0.0,
        deed=answering("def remove_dropout(model):\n    return model.SerializeToString()"),
    ),
]
