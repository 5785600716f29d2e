"""The words that readers meet outside the notebooks: labs, their messages, and the messages of
Day 50's steps. Riddles stay out.
"""

import ast
import re
from pathlib import Path

import nbformat
import pytest
from test_notebooks import BANNED, RIDDLES

from formatlab.models import museum

ROOT = Path(__file__).resolve().parents[1]
LABS = sorted((ROOT / "solutions").glob("*/*.ipynb"))
REPORT = sorted((ROOT / "autograder" / "nbjudge" / "course" / "report").glob("*.py"))
SHARED = [ROOT / "exercises" / "shared" / "judge", ROOT / "autograder" / "nbjudge" / "rungs"]
DAY_50_STEPS = [
    ROOT / "exercises" / "steps" / f"{path.stem.partition('-')[2].replace('-', '_')}.py"
    for path in (ROOT / "notebooks" / "day-50").glob("0[1-7]-*.ipynb")
]
# Words that are right and hard to read: each has a plain form.
DENSE = (
    r"whosever|spelt|misspelt|otherwise than|looks? otherwise|asks? otherwise|spells? it otherwise"
    r"|who (?:runs|read|reads|wants)|only who|lost its writer|hand(?:s)? .* down|belongs? into"
    r"|in silence|without a word|by the lab's own word|normalis\w+|centred"
)


def judges() -> list[Path]:
    folders = sorted((ROOT / "exercises").glob("*/judge"))
    found = [
        path
        for folder in sorted({*folders, *SHARED})
        for path in sorted(folder.glob("*.py"))
        if not path.name.startswith("case")
    ]
    return [*found, *sorted(DAY_50_STEPS)]


def is_message(function: ast.FunctionDef) -> bool:
    """Its docstring is what a student reads."""
    names = {
        ast.unparse(each.func).rpartition(".")[2]
        for each in function.decorator_list
        if isinstance(each, ast.Call)
    }
    return bool(names & {"misconception", "cause", "counted", "counted_so"})


def messages(path: Path) -> list[str]:
    """The texts of a module that can reach a student: sentences in strings, and docstrings of
    misconceptions.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    homes = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
    ]
    docstrings = {id(home.body[0].value) for home in homes if ast.get_docstring(home)}
    spoken = {
        id(home.body[0].value)
        for home in homes
        if isinstance(home, ast.FunctionDef) and is_message(home)
    }
    strings = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return [
        node.value
        for node in strings
        if " " in node.value and (id(node) not in docstrings or id(node) in spoken)
    ]


@pytest.mark.parametrize(
    "path", judges(), ids=lambda path: f"{path.parent.parent.name}-{path.stem}"
)
def test_messages_are_no_riddles(path):
    for text in messages(path):
        assert not re.search(rf"\b(?:{RIDDLES}|{DENSE})\b", text, re.IGNORECASE), text


@pytest.mark.parametrize("path", LABS, ids=lambda path: path.stem)
def test_labs_are_no_riddles(path):
    cells = [
        cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown"
    ]
    text = re.sub(
        r"```.*?```|`[^`]*`|<code>.*?</code>",
        "",
        "\n\n".join(cell.source for cell in cells),
        flags=re.DOTALL,
    )
    # Sample answers are what somebody says of their own machine.
    words = f"{RIDDLES}|{DENSE}" + f"|{BANNED}" * (path.stem != "interview")
    assert not re.findall(rf"\b(?:{words})\b", text, re.IGNORECASE)


@pytest.mark.parametrize("exhibit", museum.EXHIBITS.values(), ids=lambda exhibit: exhibit.name)
def test_the_museum_tells_its_stories_plainly(exhibit):
    for text in (exhibit.story, exhibit.fix, museum.DIAGNOSES[exhibit.diagnosis]):
        assert not re.search(rf"\b(?:{RIDDLES}|{DENSE}|{BANNED})\b", text, re.IGNORECASE), text


@pytest.mark.parametrize("path", REPORT, ids=lambda path: path.stem)
def test_the_report_on_a_class_is_no_riddle(path):
    for text in messages(path):
        assert not re.search(rf"\b(?:{RIDDLES}|{DENSE})\b", text, re.IGNORECASE), text


@pytest.mark.parametrize(
    ("exercise", "sentence"),
    [
        ("dropout", "A Dropout has a second output, the mask."),
        ("inspect", "opset_import is a list in any order"),
        ("gemm", "MatMul takes vectors, matrices and stacks of matrices."),
    ],
)
def test_the_reader_of_messages_finds_them(exercise, sentence):
    found = messages(ROOT / "exercises" / exercise / "judge" / "misconceptions.py")
    assert any(text.startswith(sentence) for text in found)
    assert not any("What students get wrong" in text for text in found)
