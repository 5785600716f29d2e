"""The speech detector of the page on real networks, and the sound that it is tried on."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest

from formatlab import voices
from formatlab.models import silero


def test_the_detector_is_found_without_running_its_package():
    code = "import sys; from formatlab.models import silero; print(silero.installed()); assert 'silero_vad' not in sys.modules"
    found = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout
    assert Path(found.strip()).name == silero.FILE


def test_a_file_with_one_flipped_byte_is_refused_by_name(tmp_path):
    data = bytearray(silero.installed().read_bytes())
    data[len(data) // 2] ^= 1
    changed = tmp_path / silero.FILE
    changed.write_bytes(data)
    with pytest.raises(silero.WeightsRefused) as refusal:
        silero.verified(changed)
    assert str(changed) in str(refusal.value) and silero.SHA256 in str(refusal.value)


def test_without_the_package_or_its_file_the_error_says_what_to_type(monkeypatch, tmp_path):
    with pytest.raises(silero.WeightsMissing, match="there is no"):
        silero.verified(tmp_path / silero.FILE)
    monkeypatch.setattr(silero, "FILE", "a-file-of-another-version.onnx")
    with pytest.raises(silero.WeightsMissing, match="--force-reinstall silero-vad=="):
        silero.installed()
    monkeypatch.setattr(silero, "PACKAGE", "no-such-package-for-this-course")
    with pytest.raises(silero.WeightsMissing, match="pip install --no-deps no-such-package"):
        silero.installed()


def test_a_recording_is_the_same_for_the_same_seed_and_has_a_label_for_each_frame():
    sound, is_speech = voices.recording(1, 3)
    again, _ = voices.recording(1, 3)
    other, _ = voices.recording(2, 3)
    assert sound.shape == (len(is_speech), silero.CONTEXT + silero.FRAME)
    assert sound.dtype == np.float32 and is_speech.dtype == bool
    assert np.array_equal(sound, again) and other.shape != sound.shape
    # A frame begins with the end of the one before it.
    assert np.array_equal(sound[1:, : silero.CONTEXT], sound[:-1, -silero.CONTEXT :])
    assert not sound[0, : silero.CONTEXT].any()


@pytest.mark.parametrize("seed", [3, 4])
def test_the_detector_takes_the_sound_for_speech_and_the_silence_for_none(seed):
    sound, is_speech = voices.recording(seed, 12)
    session = ort.InferenceSession(silero.installed(), providers=["CPUExecutionProvider"])
    state = np.zeros((1, 1, 128), np.float32)
    found = session.run(None, {"input": sound, "h": state, "c": state})[0] > 0.5
    assert 0.3 < is_speech.mean() < 0.8
    assert (found == is_speech).mean() > 0.9
