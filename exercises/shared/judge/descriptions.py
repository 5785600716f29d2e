"""What is particular about a case's model, as the function that builds it says."""

import inspect
from collections.abc import Callable, Mapping


def descriptions(builders: Mapping[str, Callable]) -> dict[str, str]:
    """The first paragraph of each builder's docstring, on one line."""
    return {name: _first_paragraph(build) for name, build in builders.items()}


def _first_paragraph(function: Callable) -> str:
    return " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())
