"""The museum of broken models: each exhibit holds every rung before its own, breaks exactly there,
and its repair mends it.
"""

import os
import subprocess
import sys
from collections import Counter

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx.reference import ReferenceEvaluator

from formatlab.models import museum
from formatlab.models.museum import healthy, ladder
from formatlab.models.museum.exhibit import MODEL, sound
from formatlab.models.museum.runs import make_runs
from tests.seeds import seeds

each_exhibit = pytest.mark.parametrize("exhibit", museum.EXHIBITS.values(), ids=museum.EXHIBITS)


def climb(files, main, folder):
    museum.put(files, folder)
    return museum.first_failure(folder / main)


@seeds(12, 2)
@each_exhibit
def test_an_exhibit_breaks_at_its_rung_and_its_repair_mends_it(exhibit, tmp_path, seeds):
    for seed in seeds:
        specimen = museum.build(exhibit.name, seed)
        failure = climb(specimen.files, specimen.main, tmp_path / f"{seed}")
        assert failure and failure.rung == exhibit.rung, (seed, failure)
        assert (
            climb(specimen.repair(specimen.files), specimen.main, tmp_path / f"{seed}-repaired")
            is None
        ), seed


@seeds(12, 2)
@pytest.mark.parametrize("family", healthy.ALL, ids=lambda family: family.__name__)
def test_the_models_that_are_damaged_are_healthy(family, tmp_path, seeds):
    for seed in seeds:
        assert (
            climb(sound(family, np.random.default_rng(seed))[1], MODEL, tmp_path / f"{seed}")
            is None
        ), seed


@pytest.mark.parametrize("family", [healthy.counted, healthy.quantized])
def test_what_a_healthy_model_rounds_is_no_tie(family):
    """Where it is, a last bit of a sum decides whether an answer that is right calls it healthy."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        subject = family(rng)
        evaluator = ReferenceEvaluator(subject.model)
        for run in make_runs(subject, rng):
            values = evaluator.run(None, run.feeds, intermediate=True)
            for node in subject.model.graph.node:
                if node.op_type in ("Round", "QuantizeLinear"):
                    scale = values[node.input[1]] if len(node.input) > 1 else 1
                    steps = values[node.input[0]] / scale
                    assert np.abs(steps - np.floor(steps) - 0.5).min() >= 1e-4, seed


@each_exhibit
def test_an_exhibit_follows_its_seed_and_only_that(exhibit):
    first, again, other = (museum.build(exhibit.name, seed) for seed in (0, 0, 1))
    assert first.files == again.files
    assert first.files[first.main] != other.files[other.main]


@each_exhibit
def test_an_exhibit_is_small_and_says_what_it_is(exhibit):
    specimen = museum.build(exhibit.name)
    assert sum(map(len, specimen.files.values())) < 50_000
    assert exhibit.diagnosis in museum.DIAGNOSES and exhibit.rung in museum.RUNGS
    assert exhibit.story.endswith(".") and exhibit.fix.endswith(".")


def test_names_and_files_do_not_tell_the_diagnosis():
    for exhibit in museum.EXHIBITS.values():
        specimen = museum.build(exhibit.name)
        assert specimen.main in ("export/model.onnx", "export/model.safetensors")
        text = b"".join(specimen.files.values())
        assert exhibit.name.encode() not in text and exhibit.diagnosis.encode() not in text, (
            exhibit.name
        )


def test_every_diagnosis_and_every_rung_has_exhibits():
    assert len(museum.EXHIBITS) >= 20
    assert {
        exhibit.diagnosis for exhibit in museum.EXHIBITS.values()
    } == museum.DIAGNOSES.keys() - {"healthy"}
    assert (
        Counter(exhibit.rung for exhibit in museum.EXHIBITS.values()).keys() == museum.RUNGS.keys()
    )


@pytest.mark.parametrize(
    "name", ["unsorted", "no-default-opset", "stored-twice", "declared-shape", "stale-value-info"]
)
def test_a_session_takes_what_an_earlier_rung_refuses(name, tmp_path):
    specimen = museum.build(name)
    museum.put(specimen.files, tmp_path)
    ladder.load(tmp_path / specimen.main)


def test_the_default_level_hides_a_training_dropout(tmp_path):
    specimen = museum.build("training-dropout")
    museum.put(specimen.files, tmp_path)
    [run, *_] = museum.read_runs(tmp_path / specimen.main)
    session = ladder.session(tmp_path / specimen.main, ort.GraphOptimizationLevel.ORT_ENABLE_ALL)
    [found], [expected] = session.run(None, run.feeds), run.expected.values()
    assert museum.relative_error(found, expected) < museum.TOLERANCE


def test_an_overflow_shows_in_the_reference_evaluator(tmp_path):
    specimen = museum.build("float16-overflow")
    museum.put(specimen.files, tmp_path)
    [run, *_] = museum.read_runs(tmp_path / specimen.main)
    with np.errstate(over="ignore", invalid="ignore"):
        [found] = onnx.reference.ReferenceEvaluator(str(tmp_path / specimen.main)).run(
            None, run.feeds
        )
    assert not np.isfinite(found).all()


def test_a_wrong_number_is_far_beyond_the_tolerance(tmp_path):
    """Between rounding and a fault lies a factor of ten, so that any sensible tolerance finds the
    same.
    """
    for name in ("transposed-weight", "swapped-weights", "scale-of-another-tensor"):
        specimen = museum.build(name)
        museum.put(specimen.files, tmp_path / name)
        session = ladder.session(tmp_path / name / specimen.main)
        for run in museum.read_runs(tmp_path / name / specimen.main):
            [found], [expected] = session.run(None, run.feeds), run.expected.values()
            assert museum.relative_error(found, expected) > 10 * museum.TOLERANCE


def test_healthy_models_meet_their_promise_and_permuted_ones_do_not(tmp_path):
    for number, files in enumerate(
        (sound(healthy.tabular, np.random.default_rng(3))[1], museum.build("permuted-labels").files)
    ):
        museum.put(files, tmp_path / f"{number}")
    right, permuted = (
        ladder.accuracy(path, museum.read_runs(path))
        for path in (tmp_path / f"{n}" / MODEL for n in range(2))
    )
    assert right >= museum.ACCURACY > 0.5 > permuted


def test_what_a_model_should_give_is_the_same_on_every_processor():
    """numpy adds in another order where a processor has fewer features."""
    script = (
        "import hashlib, numpy as np; from formatlab.models.museum import healthy; "
        "from formatlab.models.museum.runs import make_runs, write_runs; "
        "rng = np.random.default_rng(3); "
        "runs = [make_runs(family(rng), rng) for family in healthy.ALL]; "
        "print(hashlib.sha256(b''.join(map(write_runs, runs))).hexdigest())"
    )
    dispatched = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    settings = {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": " ".join(dispatched)}
    here, there = (
        subprocess.run(
            [sys.executable, "-P", "-c", script],
            env=os.environ | more,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for more in ({}, settings)
    )
    assert here == there
