"""`quiet` silences Python and native code, and nothing stays silent afterwards."""

import os
import sys

import pytest

from formatlab.show.quiet import quiet


def speak(word):
    print(word)
    print(word, file=sys.stderr)
    for descriptor in (1, 2):
        os.write(descriptor, f"native {word}\n".encode())


def test_nothing_is_printed_inside_and_everything_after(capfd):
    with quiet():
        speak("inside")
    speak("after")
    for stream in capfd.readouterr():
        assert sorted(stream.split("\n")) == ["", "after", "native after"]


def test_an_exception_ends_the_silence(capfd):
    with pytest.raises(ValueError, match="loud"), quiet():
        raise ValueError("loud")
    speak("after")
    assert all("native after" in stream for stream in capfd.readouterr())
