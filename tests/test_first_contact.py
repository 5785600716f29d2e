"""The script for a first GPU, on whatever machine this is: every row is there, with its numbers or
with the reason why it has none, and one row that fails costs no other.
"""

import json

import first_contact
import numpy as np
import pytest
import torch
from first_contact import CannotRun, Row

# The machine of these tests may have a device, and what it does is not for them to say.
pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="it says what a CPU does")
TIMES = ["--size", "small", "--batch", "1", "--seconds", "0"]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    path = tmp_path_factory.mktemp("gpu") / "results.json"
    first_contact.main([str(path), *TIMES])
    return json.loads(path.read_text())


def row(results, library, precision):
    return next(
        each
        for each in results["rows"]
        if (each["library"], each["precision"]) == (library, precision)
    )


def test_every_row_has_numbers_or_a_reason(results):
    assert len(results["rows"]) == 3 * len(first_contact.PRECISIONS)
    for each in results["rows"]:
        assert bool(each["not_run"]) == (each["milliseconds"] is None)
        assert not each["not_run"] or each["not_run"].startswith(
            (first_contact.NO_GPU, "PyTorch has no", "this build", "TF32 is")
        ), each


def test_rows_that_need_a_gpu_say_so(results):
    for precision in first_contact.PRECISIONS:
        assert row(results, "ONNX Runtime, CUDA", precision)["not_run"] == first_contact.NO_GPU
    assert first_contact.NO_GPU in row(results, "PyTorch", "tf32")["not_run"]


def test_what_runs_is_compared_with_fp32_first(results):
    whole, small = (row(results, "ONNX Runtime, CPU", kind) for kind in ("fp32", "int8"))
    assert whole["decibels"] > 100 > 60 > small["decibels"] > 5
    assert whole["nodes"].keys() == {"CPUExecutionProvider"}


def test_results_name_the_device_and_the_versions(results):
    assert {"device", "torch", "python"} <= results["machine"].keys()


def test_a_row_that_fails_costs_no_other(tmp_path, monkeypatch):
    def fails(*_):
        raise MemoryError("no room")

    monkeypatch.setattr(first_contact, "as_int8", fails)
    first_contact.main([str(tmp_path / "results.json"), *TIMES])
    found = json.loads((tmp_path / "results.json").read_text())
    assert row(found, "ONNX Runtime, CPU", "int8")["not_run"] == "MemoryError: no room"
    assert row(found, "ONNX Runtime, CPU", "fp32")["milliseconds"] is not None


def test_results_are_written_after_every_row(tmp_path, monkeypatch):
    def ends(row, *_):
        if row.precision == "tf32":
            raise KeyboardInterrupt
        row.milliseconds, row.spread, row.decibels = 1.0, 0.0, 120.0

    monkeypatch.setattr(first_contact, "in_torch", ends)
    with pytest.raises(KeyboardInterrupt):
        first_contact.main([str(tmp_path / "results.json"), *TIMES])
    assert len(json.loads((tmp_path / "results.json").read_text())["rows"]) == 1


def test_numbers_that_are_not_finite_are_no_result():
    with pytest.raises(CannotRun, match="not finite"):
        first_contact.decibels(np.ones(3), np.array([1, np.nan, 1]))


def test_tf32_is_as_it_was_afterwards():
    before = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    with first_contact.tf32(on=not before[0]):
        assert torch.backends.cuda.matmul.allow_tf32 is not before[0]
    assert (torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32) == before


def test_a_row_is_shown_with_its_numbers():
    filled = Row(
        library="PyTorch", precision="fp32", batch=1, milliseconds=1.0, spread=0.1, decibels=120.0
    )
    assert "1.000 ms" in first_contact.shown(filled) and "120.0 dB" in first_contact.shown(filled)
