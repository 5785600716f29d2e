"""What people call a graded cell that nbgrader has named itself (`cell-32a522217549fd0c`): the
heading that it stands under, and the how-manieth of its kind it is there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from nbjudge.grading.document.cells import grade_id, is_code, is_in_gradebook, is_task, is_test

_AUTOMATIC = re.compile(r"cell-[0-9a-f]{8,}")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_MARKUP = re.compile(r"[*_`$]+")
MAX_HEADING = 40


def names(cells: Iterable[Mapping]) -> dict[str, str]:
    """By grade_id, what to call each cell of a published notebook that has an automatic one."""
    heading = ""
    counts: Counter[tuple[str, str]] = Counter()
    found = {}
    for cell in cells:
        if not is_code(cell) and (headings := _HEADING.findall(cell["source"])):
            heading = _MARKUP.sub("", headings[-1]).strip()[:MAX_HEADING]
        if not is_in_gradebook(cell):
            continue
        kind = "task" if is_task(cell) else "test" if is_test(cell) else "answer"
        counts[heading, kind] += 1
        named = grade_id(cell) or ""
        if _AUTOMATIC.fullmatch(named):
            found[named] = ", ".join(filter(None, (heading, f"{kind} {counts[heading, kind]}")))
    return found


def with_names(text: str, called: Mapping[str, str]) -> str:
    """A text of ours in which cells are called so."""
    return _AUTOMATIC.sub(lambda found: called.get(found[0], found[0]), text) if called else text
