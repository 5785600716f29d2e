"""What `docs/choosing-a-format.md` says of ONNX Runtime's destinations is what the installed one
says.
"""

import re

import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from formatlab.models import make_model
from tests.notebook_tools import ROOT

PAGE = (ROOT / "docs" / "choosing-a-format.md").read_text(encoding="utf-8")
_, DESTINATIONS = PAGE.split("## One ONNX file, many destinations")
CPU = ["CPUExecutionProvider"]


@pytest.fixture
def model(tmp_path):
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3]) for name in "xy")
    nodes = [helper.make_node("Abs", ["x"], ["h"]), helper.make_node("Neg", ["h"], ["y"])]
    path = tmp_path / "model.onnx"
    onnx.save(make_model(helper.make_graph(nodes, "g", [x], [y])), path)
    return path


def test_the_providers_that_the_page_names_are_known_to_the_runtime():
    named = set(re.findall(r"`(\w+ExecutionProvider)`", DESTINATIONS))
    assert len(named) > 5
    assert named <= set(onnxruntime.get_all_providers())


def test_what_was_not_run_leads_to_its_makers_page():
    not_run = [line for line in DESTINATIONS.splitlines() if "not run here" in line]
    assert len(not_run) > 6
    for line in not_run:
        assert re.search(r"\[described\]\(https://[^)]+\), not run here", line), line


def test_compiling_for_the_cpu_writes_the_operators_that_it_read(model, tmp_path):
    compiled = tmp_path / "compiled.onnx"
    compiler = onnxruntime.ModelCompiler(onnxruntime.SessionOptions(), model)
    compiler.compile_to_file(str(compiled))
    assert [node.op_type for node in onnx.load(compiled).graph.node] == ["Abs", "Neg"]


def test_compiling_for_the_cpu_is_refused_with_the_flag(model, tmp_path):
    flag = onnxruntime.OrtCompileApiFlags.ERROR_IF_NO_NODES_COMPILED
    compiler = onnxruntime.ModelCompiler(onnxruntime.SessionOptions(), model, flags=flag)
    with pytest.raises(Exception, match=r"(?i)compil"):
        compiler.compile_to_file(str(tmp_path / "compiled.onnx"))


def test_the_cpu_refuses_a_file_that_was_compiled_for_another_provider(tmp_path):
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3]) for name in "xy")
    node = helper.make_node(
        "EPContext",
        ["x"],
        ["y"],
        domain="com.microsoft",
        embed_mode=1,
        ep_cache_context="",
        source="QNNExecutionProvider",
    )
    graph = helper.make_graph([node], "g", [x], [y])
    path = tmp_path / "compiled.onnx"
    onnx.save(make_model(graph, domains={"com.microsoft": 1}), path)
    with pytest.raises(Exception, match="EPContext"):
        onnxruntime.InferenceSession(path, providers=CPU)
