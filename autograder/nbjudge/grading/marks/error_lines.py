"""At which line of a cell its error came up, as IPython's traceback shows it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from nbjudge import plain_text

_COLOUR = re.compile("\x1b\\[[0-9;:]*m")
_FAILING_LINE = re.compile(r"^-+> *\d+ (.*)$", re.MULTILINE)
_ANOTHER_ERROR = re.compile(
    "^(?:During handling of the above exception|The above exception was the direct cause).*$",
    re.MULTILINE,
)


def failing_line(error: Mapping) -> str:
    """The line of the cell; of errors that led to others, the last. Empty where none is shown."""
    text = _COLOUR.sub("", "\n".join(error.get("traceback", ())))
    last = _ANOTHER_ERROR.split(text)[-1]
    found = _FAILING_LINE.search(last[max(last.find("Cell In["), 0) :])
    return plain_text.line(found[1], 200) if found else ""
