"""The guide for two files with different numbers, run as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest

from formatlab.measure import float64

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "docs" / "two-files.md").read_text("utf-8")
FENCES = re.findall(r"^```(\w*)\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE)
PAIR = next(block for kind, block in FENCES if kind == "python" and "before.onnx" in block)
# How large an error is in units of rounding depends on the processor's kernels.
UNITS = re.compile(r"\d(?:\.\d+)?e[+-]\d+(?= times| units| to)|\([\d.]+e-\d+\)")


@pytest.fixture(scope="module")
def pair(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("pair")
    subprocess.run([sys.executable, "-c", PAIR], check=True, cwd=folder)
    return folder


@pytest.mark.parametrize("command", ["diff", "why"])
def test_a_command_says_what_the_guide_quotes(pair, command):
    place = next(
        number for number, (_, block) in enumerate(FENCES) if f"formatlab {command} " in block
    )
    typed, said = FENCES[place][1].split()[1:], FENCES[place + 1][1]
    done = subprocess.run(
        [Path(sys.executable).with_name("formatlab"), *typed],
        cwd=pair,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={"COLUMNS": "1000", "PATH": "", "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 1, done.stderr
    wanted, found = (words(UNITS.sub("#", text)) for text in (said, done.stdout))
    assert "#" in wanted
    for line in wanted.split("\n"):
        assert line in found


def words(text: str) -> str:
    """The lines without bullets and columns, which depend on where the text goes."""
    lines = (" ".join(line.split()).removeprefix("- ") for line in text.strip().splitlines())
    return "\n".join(line.removeprefix("attribute ") for line in lines)


def test_the_ten_lines_refuse_the_pair_and_accept_the_file_itself(pair):
    ten = (ROOT / "docs" / "same-function.md").read_text("utf-8")
    names = {}
    exec(re.search(r"```python\n(.*?)```", ten, re.DOTALL)[1], names)
    feeds = dict(np.load(pair / "inputs.npz"))
    original, candidate = (
        ort.InferenceSession(pair / f"{name}.onnx").run(None, feeds)[0]
        for name in ("before", "after")
    )
    exact = float64.of_onnx(onnx.load(pair / "before.onnx"), [feeds]).runs[0][0]
    assert names["same_function"](original, original, exact)
    assert "same_function(candidate, original, exact)  # False" in GUIDE
    assert not names["same_function"](candidate, original, exact)
