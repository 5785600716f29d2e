"""What torch says when it cannot export a module, and what that means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from nbjudge.contract import Answer, Finding
from nbjudge.findings import Misconception

# Torch links to its pages, and a link's slashes are no division.
_LINK = re.compile(r"https?:\S+")


def explained(
    finding: Finding, answer: Answer, causes: Mapping[str, tuple[str | Misconception, str]]
) -> Finding:
    """The finding with the cause, and the section to read, of a well-known exception: `causes` has
    them by words of its text.
    """
    text = _LINK.sub("", answer.error.get("text", ""))
    known = next((words for sign, words in causes.items() if sign in text), None)
    return finding if known is None else replace(finding, cause=known[0], read=known[1])
