"""The pipeline of passes: the right ones keep the function, each planted one changes it, and the
lab's optional part finds all of them.
"""

import contextlib
import io

import nbformat
import numpy as np
import onnx
import pytest

from formatlab import numerics
from formatlab.models import passes
from tests.notebook_tools import ROOT

SAMPLES = [
    {"x": np.random.default_rng(batch).normal(size=(batch, 3, 4)).astype(np.float32)}
    for batch in (1, 3)
]


def agrees(steps, batch):
    """Whether the subject still computes what it did, for the sample of that batch, after all of
    the steps.
    """
    subject = edited = passes.subject()
    for step in steps:
        edited = step(edited)
    sample = [feeds for feeds in SAMPLES if len(feeds["x"]) == batch]
    [[[expected]]], [[[found]]] = (
        numerics.run(subject.SerializeToString(), sample),
        numerics.run(edited.SerializeToString(), sample),
    )
    return expected.shape == found.shape and numerics.relative_error(expected, found) < 1e-5


@pytest.mark.parametrize("batch", [1, 3])
def test_the_right_passes_keep_the_function(batch):
    assert agrees(passes.pipeline(), batch)


def test_the_right_passes_leave_a_valid_model():
    model = passes.subject()
    for step in passes.pipeline():
        model = step(model)
        onnx.checker.check_model(model, full_check=True)


def test_every_pass_has_something_to_do():
    model = passes.subject()
    for step in passes.pipeline():
        before, model = model, step(model)
        # Nothing is static, nothing stands twice.
        if step.name not in ("fold_shapes", "deduplicate_initializers"):
            assert before.graph != model.graph, step.name


@pytest.mark.parametrize("wrong", passes.WRONG)
def test_a_planted_pass_is_found_at_its_place_and_not_with_one_example(wrong):
    steps = passes.pipeline(wrong)
    place = next(at for at, step in enumerate(steps) if step.name == wrong)
    assert agrees(steps[:place], 3)
    assert not agrees(steps[: place + 1], 3) and not agrees(steps, 3)
    assert wrong != "fold_shapes" or (agrees(steps, 1) and agrees(steps[place : place + 1], 3)), (
        "it hides behind one example and alone"
    )


def test_a_pass_leaves_its_argument_as_it_was():
    model = passes.subject()
    before = model.SerializeToString(deterministic=True)
    for step in passes.pipeline("merge_scales"):
        step(model)
    assert model.SerializeToString(deterministic=True) == before


def test_the_optional_part_of_the_lab_finds_each_of_them_in_three_runs():
    said, namespace = io.StringIO(), {}
    with contextlib.redirect_stdout(said):
        for cell in nbformat.read(
            ROOT / "solutions" / "day-50" / "optimizers.ipynb", as_version=4
        ).cells:
            if cell.cell_type == "code" and cell.id in (
                "imports",
                "find-wrong-pass",
                "judge",
                "self-check",
            ):
                exec(cell.source, namespace)
    found = [line.split() for line in said.getvalue().splitlines()]
    assert [(line[1], line[3].rstrip(","), line[5]) for line in found] == [
        (wrong, wrong, "3") for wrong in passes.WRONG
    ]
