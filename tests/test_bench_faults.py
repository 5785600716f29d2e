"""`course bench` and `course doctor` where the runtime lies about where a model runs, or dies: real
processes with an ONNX Runtime that has such a fault (`odd_runtime/sitecustomize.py`).
"""

import json
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper, parser

from formatlab import measure
from formatlab.measure import errors, isolated
from formatlab.measure.errors import CannotBench
from formatlab.models import fixtures, make_model

HERE = Path(__file__).parent
COURSE = Path(sys.executable).with_name("course")


@pytest.fixture
def digits(tmp_path):
    path = tmp_path / "digits.onnx"
    path.write_bytes(fixtures.read("digits-cnn"))
    return path


def ran(command, path, fault):
    """A process whose ONNX Runtime has that fault; `path` is searched for programs first."""
    places = [str(HERE / "odd_runtime"), os.environ.get("PYTHONPATH", "")]
    variables = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, places)),
        "ODD_RUNTIME": json.dumps(fault),
        "PATH": os.pathsep.join(filter(None, [path, os.environ["PATH"]])),
    }
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False)


def bench(*words, **fault):
    """Exit status, standard output, standard error in one line."""
    command = [COURSE, "bench", *map(str, words), "--rounds=3", "--warmup=0"]
    run = ran(command, "", fault)
    return run.returncode, run.stdout, " ".join(run.stderr.split())


def test_a_provider_on_which_no_node_ran_is_no_row(digits, tmp_path):
    """It is listed by the build and by the session, and the whole model runs on the CPU."""
    words = ["--provider", "cpu", "--provider", "azure", "--json", tmp_path / "r.json"]
    code, out, told = bench(digits, *words, lists="Azure")
    assert code == 0, told
    results = measure.Results.load(tmp_path / "r.json")
    assert results.names == ["CPU given"] and list(results.missing) == ["Azure given"]
    assert "no node runs on Azure" in results.missing["Azure given"]
    assert "CPU 9" in results.missing["Azure given"]
    assert "warning: Azure given was not measured: no node runs on Azure" in told
    assert "no node runs on Azure" in out


def test_a_command_that_asks_for_nothing_else_is_refused(digits):
    code, out, told = bench(digits, "--provider", "azure", lists="Azure")
    assert code == 2 and not out.strip()
    assert "no node runs on Azure" in told and "--provider cpu" in told


def test_a_provider_that_runs_a_part_is_named_with_its_part(digits, tmp_path):
    """Two of the nine nodes are convolutions."""
    words = ["--provider", "azure", "--precision", "fp32", "--json", tmp_path / "r.json"]
    code, out, told = bench(digits, *words, lists="Azure", takes=["Conv"])
    assert code == 0, told
    [variant] = measure.Results.load(tmp_path / "r.json").variants
    assert variant.name == "Azure 22 % fp32" and variant.notes["provider"] == "CPU 7, Azure 2"
    assert "Azure 22 % fp32" in out


def test_a_provider_that_runs_everything_has_its_plain_name(digits, tmp_path):
    takes = ["Conv", "Relu", "MaxPool", "Reshape", "Gemm"]
    words = ["--provider", "azure", "--json", tmp_path / "r.json"]
    code, _, told = bench(digits, *words, lists="Azure", takes=takes)
    assert code == 0, told
    [variant] = measure.Results.load(tmp_path / "r.json").variants
    assert variant.name == "Azure given" and variant.notes["provider"] == "Azure 9"


@pytest.mark.parametrize("signal", ["SIGSEGV", "SIGABRT", "SIGKILL"])
def test_a_variant_that_ends_the_runtime_costs_its_own_row(digits, tmp_path, signal):
    words = [f"--precision={name}" for name in ("fp32", "fp16", "int8-dynamic")]
    fault = {"dies": signal, "name": "fp16", "level": "ORT_ENABLE_ALL"}
    code, out, told = bench(digits, *words, "--json", tmp_path / "r.json", **fault)
    assert code == 0, told
    results = measure.Results.load(tmp_path / "r.json")
    assert results.names == ["CPU fp32", "CPU int8-dynamic"]
    assert list(results.missing) == ["CPU fp16"]
    reason = results.missing["CPU fp16"]
    assert signal in reason and "a fault of the runtime" in reason
    assert "It runs with `--graph layout`" in reason  # it was tried
    assert f"warning: CPU fp16 was not measured: {reason}" in told
    assert reason in " ".join(out.split())


def test_the_remedy_is_not_promised_where_no_level_helps(digits):
    code, out, told = bench(digits, "--precision=fp16", dies="SIGSEGV", name="fp16")
    assert code == 2 and not out.strip()
    assert "SIGSEGV" in told and "It runs at no level here" in told


def test_a_model_that_ends_the_runtime_by_itself_is_refused_with_what_helps(digits):
    fault = {"dies": "SIGSEGV", "name": "digits", "level": "ORT_ENABLE_ALL"}
    code, out, told = bench(digits, **fault)
    assert code == 2 and not out.strip()
    assert "digits.onnx ends ONNX Runtime at --graph all" in told
    assert "It runs with `--graph layout`" in told


def test_a_level_that_works_stands_beside_one_that_ends_the_runtime(digits, tmp_path):
    """Whichever is named first: the reference outputs come from the one that works."""
    fault = {"dies": "SIGSEGV", "name": "digits", "level": "ORT_ENABLE_ALL"}
    words = ["--graph", "all", "--graph", "disable", "--json", tmp_path / "r.json"]
    code, _, told = bench(digits, *words, **fault)
    assert code == 0, told
    results = measure.Results.load(tmp_path / "r.json")
    assert results.names == ["CPU given, graph disable"]
    assert list(results.missing) == ["CPU given, graph all"]


def ends_itself(signal):
    os.kill(os.getpid(), signal)


def raises(text):
    raise KeyError(text)


def test_a_spare_process_is_lost_and_replaced():
    with isolated.Spare() as spare:
        first = spare.call(os.getpid)
        assert first == spare.call(os.getpid) != os.getpid()
        with pytest.raises(isolated.Died, match="status 7"):
            spare.call(os._exit, 7)
        with pytest.raises(CannotBench, match="KeyError: 'x'"):
            spare.call(raises, "x")
        assert spare.call(os.getpid) != first


def counts_up(path):
    """Dies in a process that has served before."""
    path.write_text(path.read_text() + f"{os.getpid()} ")
    if len(set(path.read_text().split())) == 1:
        os._exit(9)
    return "served"


def test_a_call_is_not_blamed_for_what_an_earlier_one_has_left_behind(tmp_path):
    path = tmp_path / "calls"
    path.write_text("")
    with isolated.Spare() as spare:
        spare.call(os.getpid)
        assert spare.call(counts_up, path) == "served"


def test_no_temporary_folder_is_named():
    """Neither the system's, nor what its name leads to; whatever stands around the path."""
    folder = tempfile.gettempdir()
    for text, expected in [
        (
            f"Load model from {folder}/tmpab12/0/fp16.onnx failed: no",
            "Load model from fp16.onnx failed: no",
        ),
        (f"'{folder}/x.onnx', ({folder}/a-b/c.onnx)", "'x.onnx', (c.onnx)"),
        (f"{os.path.realpath(folder)}/ort.quant.1/model.onnx", "model.onnx"),
        ("in /srv/models/m.onnx", "in /srv/models/m.onnx"),
    ]:
        assert errors.first_line(ValueError(text)) == expected
    built = "at /onnxruntime_src/onnxruntime/core/graph/model.cc:340 onnxruntime::Model"
    assert "/onnxruntime_src" not in errors.first_line(ValueError(built))
    long = errors.first_line(ValueError("word " * 100))
    assert long.endswith("word …") and len(long) <= errors.LONGEST + 2


def test_a_conversion_that_the_runtime_refuses_names_its_variant_and_no_folder(tmp_path):
    """An output that is an initializer: the converter writes a model with a name that nothing
    writes.
    """
    graph = parser.parse_graph("g (float[N, 2] x) => (float[N, 2] y) { y = Add(x, w) }")
    graph.initializer.append(numpy_helper.from_array(np.ones(2, np.float32), "w"))
    graph.output.append(onnx.helper.make_tensor_value_info("w", onnx.TensorProto.FLOAT, [2]))
    onnx.save(make_model(graph), tmp_path / "m.onnx")
    code, out, told = bench(tmp_path / "m.onnx", "--precision=fp32", "--precision=fp16")
    assert code == 0 and "warning: CPU fp16 was not measured" in told
    assert tempfile.gettempdir() not in out + told and "fp16.onnx" in told


def onnxruntime_line(path="", **fault):
    """What `course doctor` says of the provider, without the rest of the examination."""
    code = "import json; from formatlab import doctor; print(json.dumps(list(doctor.provider())))"
    [[name, status, detail, fix]] = json.loads(
        ran([sys.executable, "-c", code], path, fault).stdout
    )
    assert name == "onnxruntime"
    return status, detail, fix


def test_the_doctor_says_where_a_node_runs():
    status, detail, _ = onnxruntime_line(lists="Azure")
    assert status == "ok" and "CPUExecutionProvider" in detail and "Azure" not in detail


def test_a_driver_beside_a_build_without_cuda_is_no_healthy_machine(tmp_path):
    """An image that was built where there is no GPU, and runs where there is one."""
    driver = tmp_path / "nvidia-smi"
    driver.write_text("#!/bin/sh\nexit 9\n")
    driver.chmod(driver.stat().st_mode | stat.S_IXUSR)
    status, detail, fix = onnxruntime_line(
        path=str(tmp_path), lists="Azure", without=["CUDA", "Tensorrt"]
    )
    assert status == "warn" and "which this build of ONNX Runtime cannot use" in detail
    assert "pip uninstall -y onnxruntime" in fix and "onnxruntime-gpu" in fix


def test_names_in_a_results_file_drive_no_terminal(tmp_path):
    from formatlab.measure import files

    path = sorted(files.RECORDED.glob("*.json"))[0]
    data = json.loads(path.read_text())
    data["variants"][0]["name"] = "\x1b[31mred\x1b]0;title\x07"
    data["command"] = "course bench \u202emodel.onnx"
    (tmp_path / "results.json").write_text(json.dumps(data))
    done = subprocess.run(
        ["course", "bench", tmp_path / "results.json"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    shown = done.stdout + done.stderr
    assert "red" in shown and not set(shown) & set("\x1b\x07\u202e")
