"""Options that `why`, `diff` and `bench` share: what goes into a model."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

given = partial(typer.Option, rich_help_panel="What goes in")

Feeds = Annotated[
    Path | None,
    given(
        metavar="PATH",
        help="Real inputs: an .npz or .safetensors file, or a folder of input_0.pb, … Drawn ones by default.",
    ),
]
Seed = Annotated[int, given(min=0, metavar="N", help="Of drawn inputs.")]
Sizes = Annotated[
    list[str] | None,
    given("--dim", metavar="NAME=SIZE", help="Size of a free dimension; again for more."),
]
Ranges = Annotated[
    list[str] | None,
    given(
        "--range",
        metavar="INPUT=LOW:HIGH",
        help="Values of an integer input, from LOW to HIGH - 1; again for more.",
    ),
]
