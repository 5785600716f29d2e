"""`course diff`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from formatlab.commands.options import Feeds, Ranges, Seed, Sizes, given

SAME, DIFFERENT, TROUBLE = range(3)

First = Annotated[
    Path, typer.Argument(metavar="A.onnx", help="The model before.", show_default=False)
]
Second = Annotated[
    Path, typer.Argument(metavar="B.onnx", help="The model after.", show_default=False)
]
Json = Annotated[
    Path | None,
    typer.Option(
        "--json", metavar="FILE", help="Write the report as JSON; - prints it in place of the text."
    ),
]
Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write both graphs side by side as one page."),
]
Inputs = Annotated[
    int,
    typer.Option(
        min=0,
        max=100,
        metavar="N",
        help="Run both on so many drawn inputs; 0 compares the graphs alone.",
    ),
]
Expected = Annotated[
    Path | None,
    given(
        metavar="PATH",
        help="Outputs that belong to --feeds, in the same form: does each model give them?",
    ),
]
Large = Annotated[bool, typer.Option("--large", help="Run models of more than 1 GiB as well.")]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose", "-v", help="Name every single change, and say so if nothing changed."
    ),
]


def diff(
    a: First,
    b: Second,
    *,
    json_file: Json = None,
    html: Html = None,
    inputs: Inputs = 3,
    feeds: Feeds = None,
    expected: Expected = None,
    seed: Seed = 1,
    dim: Sizes = None,
    value_range: Ranges = None,
    large: Large = False,
    verbose: Verbose = False,
) -> None:
    """Say what changed between two ONNX models, and what did not.

    Names and the order of nodes do not count, and neither does the way in
    which a file is written. Of what remains, both are run on drawn inputs and
    held against float64.

    [bold]Exit status[/bold], as of diff:

    0   the same (nothing is printed), 1 different, 2 trouble

    [bold]Four commands to begin with[/bold]

    course diff before.onnx after.onnx

    course diff before.onnx after.onnx --html diff.html

    course diff before.onnx after.onnx --feeds real.npz --expected torch.npz

    course diff before.onnx after.onnx --json - --inputs 0   (in CI)

    docs/diff.md explains every word.
    """
    from rich.console import Console

    from formatlab.diff import CannotDiff, terminal
    from formatlab.diff import diff as compare
    from formatlab.diff.words import plain
    from formatlab.measure import request
    from formatlab.measure.errors import CannotBench

    try:
        found = compare(
            a,
            b,
            inputs=inputs,
            large=large,
            feeds=feeds,
            expected=expected,
            seed=seed,
            sizes=dict(map(request.size, dim or ())),
            ranges=dict(map(request.between, value_range or ())),
        )
        if html is not None:
            _write(html, found.html)
        if json_file is not None:
            text = json.dumps(found.to_json(), indent=1, allow_nan=False) + "\n"
            if str(json_file) == "-":
                typer.echo(text, nl=False)
            else:
                _write(json_file, text)
        if str(json_file) != "-":
            terminal.show(found, Console(), verbose)
        is_expected = found.agreement is None or found.agreement.is_as_expected
        status = SAME if found.is_same and is_expected else DIFFERENT
    except (CannotDiff, CannotBench) as problem:
        typer.echo(f"course: {' '.join(str(problem).split())}", err=True)
        status = TROUBLE
    except Exception as problem:  # status 1 says that two models were compared  # noqa: BLE001
        said = plain(f"{type(problem).__name__}: {problem}", 200)
        typer.echo(f"course: the two could not be compared ({said})", err=True)
        status = TROUBLE
    raise typer.Exit(status)


def _write(path: Path, text: str) -> None:
    from formatlab.diff import CannotDiff

    try:
        path.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise CannotDiff(f"{path} cannot be written: {problem.strerror}") from None
