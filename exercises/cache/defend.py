"""What `cache` asks of a student's own code: decoders of ten tokens whose next token anybody can add
up.

The next token is the last digit of: the sum of all tokens so far, which the first cache holds, and
twice their number, which the second one holds; where the file asks for them, also the token's
position, and the ones of the mask.
"""

from __future__ import annotations

import html
import json

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

from formatlab_exercises.cache.ask import ANSWER, GENERATE, MODEL, WIRING
from nbjudge.contract import Answer, Case, Defence

DIGITS = 10
RULE = {
    "position_ids": "its position",
    "attention_mask": "the number of ones in its row of the mask",
}


class CacheDefence(Defence):
    def inputs(self, instance: int) -> list[Case]:
        """Other tokens in another instance."""
        one = [[3 + instance, 1, 4]]
        two = [[2, 5 + instance], [7, 1 + 2 * instance]]
        position, mask = "position_ids", "attention_mask"
        swapped = ("past.1", "past.0")
        return [
            _case(_step(), one),
            _case(_step(), two),
            _case(_step(is_one=True), one),
            _case(_step(position), one),
            _case(_step(position, mask), two),
            _case(_step(position, mask, is_one=True), two),
            _case(_step(pasts=swapped), one),
            _case(_step(pasts=swapped, is_one=True), [[6 - instance]]),
            _case(_step(pasts=swapped), None),
            _case(_step(pasts=("past_key_values.0.key", "past_key_values.0.value")), None),
        ]

    def drawn(self, case: Case) -> str:
        graph = ModelProto.FromString(case.files[MODEL]).graph
        names = [one.name for one in graph.input]
        inputs = [f"{one.name}: {_kind(one)}" for one in graph.input]
        outputs = [f"{one.name}: {_kind(one)}" for one in graph.output]
        more = "".join(f", plus {what}" for name, what in RULE.items() if name in names)
        lines = ["inputs", *(f"  {one}" for one in inputs)]
        lines += ["outputs", *(f"  {one}" for one in outputs)]
        if case.parameters["function"] == GENERATE:
            lines += [
                "The next token is the last digit of the",
                "sum of all tokens so far and twice their",
                f"number{more}.",
                f"prompt_ids = {case.parameters['prompt']}",
                f"steps = {case.parameters['steps']}",
            ]
        else:
            lines += ["cache_wiring(session) is called"]
        return f"<pre>{html.escape(chr(10).join(lines))}</pre>"

    def outcome(self, case: Case, answer: Answer) -> str:
        found = json.loads(answer.files[ANSWER])
        if "wiring" in found:
            wires = sorted(found["wiring"].items())
            return f"{{{', '.join(f'{past}: {present}' for past, present in wires)}}}"
        tokens = np.array(found["tokens"]).reshape(found["shape"]).tolist()
        return f"{tokens}, after {found['fed']} tokens were fed"

    def value(self, value: object) -> str | None:
        if type(value) is np.ndarray and value.dtype.kind in "biuf" and value.size <= 8:
            return str(value.tolist())
        if isinstance(value, np.generic) and value.dtype.kind in "biuf":
            return f"{value.item():g}"
        return None


def _case(model: ModelProto, prompt: list[list[int]] | None) -> Case:
    """A prompt to go on from; without one, a file to be wired."""
    function = WIRING if prompt is None else GENERATE
    parameters = {"function": function, "prompt": prompt or [], "steps": 3}
    return Case("", {MODEL: model.SerializeToString()}, parameters, public=True)


def _kind(value) -> str:
    shape = value.type.tensor_type.shape.dim
    sizes = [one.dim_param or str(one.dim_value) for one in shape]
    kind = "int64" if value.type.tensor_type.elem_type == TensorProto.INT64 else "float"
    return f"{kind} [{', '.join(sizes)}]"


def _step(
    *asked: str, is_one: bool = False, pasts: tuple[str, str] = ("past.0", "past.1")
) -> ModelProto:
    """The step as a file. `asked` are further inputs; `pasts` the caches' names in their order as
    inputs, of which the one that sorts first holds the tokens.
    """
    tokens, count = sorted(pasts)
    present = {
        name: f"present{name.removeprefix('past_key_values').removeprefix('past')}"
        for name in pasts
    }
    new: int | str = 1 if is_one else "sequence"
    cache: list[int | str] = ["batch", 1, "past_sequence", 1]
    held: list[int | str] = ["batch", 1, "total_sequence", 1]
    columns: dict[str, int | str] = {"position_ids": new, "attention_mask": "total_sequence"}
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", new])
    inputs = [
        ids,
        *(helper.make_tensor_value_info(name, TensorProto.FLOAT, cache) for name in pasts),
    ]
    inputs += [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", columns[name]])
        for name in asked
    ]
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", new, DIGITS])
    outputs = [
        logits,
        *(helper.make_tensor_value_info(present[n], TensorProto.FLOAT, held) for n in pasts),
    ]
    nodes = [
        helper.make_node("Cast", ["input_ids"], ["ids"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["ids", "outer"], ["new"]),
        helper.make_node("Concat", [tokens, "new"], [present[tokens]], axis=2),
        helper.make_node("Mul", ["new", "zero"], ["zeros"]),
        helper.make_node("Add", ["zeros", "one"], ["ones"]),
        helper.make_node("Concat", [count, "ones"], [present[count]], axis=2),
        helper.make_node("CumSum", [present[tokens], "axis"], ["sums"]),
        helper.make_node("CumSum", [present[count], "axis"], ["counts"]),
        helper.make_node("Mul", ["counts", "two"], ["twice"]),
        helper.make_node("Add", ["sums", "twice"], ["all"]),
        helper.make_node("Shape", [tokens], ["length"], start=2, end=3),
        helper.make_node("Slice", ["all", "length", "end", "axes"], ["last"]),
        helper.make_node("Squeeze", ["last", "outer"], ["own"]),
    ]
    total = "own"
    if "position_ids" in asked:
        nodes += [
            helper.make_node("Cast", ["position_ids"], ["positions"], to=TensorProto.FLOAT),
            helper.make_node("Add", [total, "positions"], ["placed"]),
        ]
        total = "placed"
    if "attention_mask" in asked:
        nodes += [
            helper.make_node("Cast", ["attention_mask"], ["seen"], to=TensorProto.FLOAT),
            helper.make_node("ReduceSum", ["seen", "last_axis"], ["attended"], keepdims=1),
            helper.make_node("Add", [total, "attended"], ["masked"]),
        ]
        total = "masked"
    nodes += [
        helper.make_node("Mod", [total, "ten"], ["digit"], fmod=1),
        helper.make_node("Cast", ["digit"], ["next"], to=TensorProto.INT64),
        helper.make_node("OneHot", ["next", "depth", "values"], ["logits"]),
    ]
    numbers = {
        "outer": np.array([1, 3]),
        "axis": np.array(2),
        "axes": np.array([2]),
        "last_axis": np.array([1]),
        "end": np.array([1 << 30]),
        "depth": np.array(DIGITS),
        "zero": np.float32(0),
        "one": np.float32(1),
        "two": np.float32(2),
        "ten": np.float32(DIGITS),
        "values": np.array([0, 1], np.float32),
    }
    read = {name for node in nodes for name in node.input}
    weights = [
        numpy_helper.from_array(np.asarray(array), name)
        for name, array in numbers.items()
        if name in read
    ]
    graph = helper.make_graph(nodes, "step", inputs, outputs, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


DEFENCE = CacheDefence()
