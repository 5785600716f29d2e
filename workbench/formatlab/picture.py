"""What matplotlib draws, as an SVG that says in words what it shows and is the same bytes on every
run.
"""

from __future__ import annotations

import io
import re
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

if TYPE_CHECKING:  # matplotlib is much to import before a picture is asked for
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 4.0  # in inches: a phone shrinks the letters by a sixth, and they can still be read


@dataclass(frozen=True)
class Picture:
    """A drawing and its description."""

    svg: bytes
    description: str

    def save(self, path: str | Path) -> None:
        """As SVG."""
        Path(path).write_bytes(self.svg)

    def _repr_mimebundle_(self, **_options: object) -> dict[str, str]:
        image = img(self.svg, self.description, "max-width:100%;height:auto;background:#fff")
        return {"text/html": image, "text/plain": self.description}

    def __repr__(self) -> str:
        return self.description


def img(svg: bytes, description: str, style: str, kind: str = "") -> str:
    """An SVG as an HTML image of the class `kind`. As `image/svg+xml` it would lose its description
    in nbconvert and on the site, and not show in JupyterLab before the notebook is trusted.
    """
    named = f'class="{kind}" ' if kind else ""
    source = f"data:image/svg+xml;base64,{b64encode(svg).decode()}"
    return f'<img {named}alt={quoteattr(description)} src="{source}" style="{style}">'


def captioned(image: str, svg: str) -> str:
    """The HTML image of a drawing with the drawing's title below it, where it has one: a title
    inside an SVG is read aloud and never shown.
    """
    title = re.search(r"<title>(.*?)</title>", svg, re.DOTALL)
    if title is None:
        return image
    return f'<figure style="margin:0.6em 0">{image}<figcaption>{title[1]}</figcaption></figure>'


def titled(title: str, height: float) -> tuple[Figure, Axes]:
    """A figure of `WIDTH` by `height` inches with one pair of axes, and the title drawn above them,
    because an alternative text is not seen. A title that is wider than the figure gets more lines.

    It is made without pyplot, which would choose a backend for the whole process.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    if title:
        figure.suptitle(title, fontsize=10.5, x=0.01, ha="left", wrap=True)
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def drawn(figure: Figure, description: str) -> Picture:
    """A matplotlib figure as a picture."""
    import matplotlib

    out = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "formatlab", "svg.fonttype": "none"}):
        figure.savefig(
            out, format="svg", metadata={"Date": None, "Creator": None, "Description": description}
        )
    return Picture(out.getvalue(), description)
