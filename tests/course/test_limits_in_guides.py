"""The limits and budgets stand in the guides as they are in the code."""

from pathlib import Path

import pytest

from nbjudge import limits
from nbjudge.grading.config.budget import Budget
from nbjudge.grading.notebook import attachments

DOCS = Path(__file__).resolve().parents[2] / "docs"
BUDGET = Budget()


def mb(size):
    return f"{size >> 20} MB"


SAID = {
    "instructors.md": [
        f"| a notebook, with its outputs | {mb(limits.NOTEBOOK)} |",
        f"| code and text of a notebook, without outputs | {mb(limits.TEXT)} |",
        f"| another file | {mb(limits.FILE)} |",
        f"| a submission | {mb(limits.SUBMISSION)} and {limits.FILES} files |",
        f"| an archive, packed and unpacked | {mb(limits.ARCHIVE)} and {limits.FILES} files |",
        f"download, packed and unpacked | {mb(limits.DOWNLOAD)} and {limits.DOWNLOAD_FILES:,} files |",
        f"{mb(attachments.MAX_FILE)}; {mb(attachments.MAX_TOTAL)} and {attachments.MAX_FILES} files together |",
        f"| a file's name | {limits.NAME} bytes |",
        f"{BUDGET.cell} seconds for a cell, {BUDGET.case} for one call of a student's function, "
        f"{BUDGET.notebook} for a notebook and {BUDGET.submission} for a submission",
    ],
    "students.md": [
        f"a notebook of at most {mb(limits.NOTEBOOK)} with its outputs",
        f"at most {mb(limits.TEXT)} of code and text",
        f"Another file may have {mb(limits.FILE)}, a zip file {mb(limits.ARCHIVE)} and "
        f"{limits.FILES} files, and a submission through the exchange {mb(limits.SUBMISSION)} and "
        f"{limits.FILES} files",
        f"A cell may take {BUDGET.cell} seconds, one call of your function {BUDGET.case}, a notebook "
        f"{BUDGET.notebook} and all of a submission {BUDGET.submission}",
    ],
}


@pytest.mark.parametrize("guide", SAID)
def test_a_guide_gives_the_limits_of_the_code(guide):
    text = " ".join((DOCS / guide).read_text().split())
    for sentence in SAID[guide]:
        assert sentence in text, sentence
