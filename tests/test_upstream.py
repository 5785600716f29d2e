"""Each fault that `upstream/` reports still stands with the locked versions: when one is gone, what a
page or a lab says about it may be out of date.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

UPSTREAM = Path(__file__).resolve().parents[1] / "upstream"
SCRIPTS = sorted(UPSTREAM.glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_fault_stands_and_the_script_needs_nothing_of_the_course(script, tmp_path):
    source = script.read_text()
    assert not re.search(r"^\s*(import|from) (nbjudge|formatlab)", source, re.MULTILINE)
    done = subprocess.run(
        [sys.executable, "-P", str(script)], cwd=tmp_path, capture_output=True, text=True
    )
    assert "expected: " in done.stdout and "\nfound: " in done.stdout, done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 1, f"gone, or another one: {done.stdout}"
    assert re.match(r"(onnx|onnxoptimizer|onnxruntime|torch) \d+\.", done.stdout)


def test_the_table_lists_every_script():
    page = (UPSTREAM / "README.md").read_text()
    assert re.findall(r"^\| \[(\w+\.py)\]", page, re.MULTILINE) == [path.name for path in SCRIPTS]
