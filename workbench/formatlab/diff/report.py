"""A comparison that shows itself: as text, as JSON, as a page and in a notebook."""

from __future__ import annotations

from typing import Any

from formatlab.diff import json_report, page
from formatlab.diff.comparison import Comparison


class Diff(Comparison):
    """What `formatlab.diff` returns. `text` says it in sentences, `html` is a page with both graphs,
    and a notebook shows both.
    """

    @property
    def html(self) -> str:
        """One page with both graphs side by side, which needs nothing else."""
        return page.page(self)

    def to_json(self) -> dict[str, Any]:
        """As `formatlab/diff/schema.json` describes it."""
        return json_report.to_json(self)

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return page.fragment(self)
