"""docs/lessons.md holds each trap that a page teaches against each tool: every cell is filled, agrees
with the page's overview, and names a test or a stored answer that exists where it says "obeyed".
"""

import re
from pathlib import Path

import numpy as np
import onnxruntime as ort

import formatlab
from formatlab.models import fixtures

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "lessons.md"
WORDS = {"obeyed", "does not apply", "open"}


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def rows(text):
    """Of the first table in the text: its headings, and its rows."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return cells(lines[0]), [cells(line) for line in lines[2:]]


def test_each_trap_has_an_answer_for_each_tool():
    beginning, *lessons = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    headings, overview = rows(beginning[beginning.index("| trap |") :])
    tools = headings[1:]
    titles = [lesson.partition("\n")[0] for lesson in lessons]
    assert [re.match(r"\[(.+)\]\(#(.+)\)$", row[0])[1] for row in overview] == titles
    for lesson, (_, *verdicts) in zip(lessons, overview, strict=True):
        title = lesson.partition("\n")[0]
        assert re.search(r"\]\((?:\.\./notebooks/|same-function)", lesson), f"{title}: which page?"
        said = {row[0].strip("`"): row[1:] for row in rows(lesson)[1]}
        assert list(said) == tools, title
        assert [verdict for verdict, _ in said.values()] == verdicts, title
        for tool, (verdict, text) in said.items():
            where = f"{title}, {tool}"
            assert verdict in WORDS and len(text.split()) >= (1 if verdict == "obeyed" else 3), (
                where
            )
            answers = re.findall(r"`(exercises/[\w/.]+)`", text)
            assert all((ROOT / answer).is_file() for answer in answers), where
            # tests/test_docs.py holds that the tests exist.
            assert verdict != "obeyed" or answers or "`tests/" in text, where


def test_a_level_that_mends_a_file_is_not_used_by_diff():
    """A default session makes the trained file's Dropouts go, so it would call both the same."""
    right, trained = fixtures.read("bert"), fixtures.read("bert-dropout")
    feeds = {name: np.ones((2, 5), np.int64) for name in ("input_ids", "attention_mask")}
    by_default = [
        ort.InferenceSession(each, providers=["CPUExecutionProvider"]).run(None, feeds)[0]
        for each in (right, trained)
    ]
    assert np.allclose(*by_default, atol=1e-5)
    assert formatlab.diff(right, trained, inputs=1).agreement.verdict != "same"
