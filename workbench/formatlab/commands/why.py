"""`course why` and `formatlab why`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from formatlab.commands.options import Feeds, Ranges, Seed, Sizes, given

# 1 says that two models were compared and differ.
STATUS = {"rounding": 0, "different": 1, "undecided": 3}
REFUSED = 2

Models = Annotated[
    list[Path],
    typer.Argument(
        metavar="A.onnx [B.onnx]",
        help="The model that you trust, and the one that gives other numbers. One model: is it the session?",
        show_default=False,
    ),
]
Expected = Annotated[
    Path | None,
    given(
        metavar="PATH",
        help="The outputs that your program got from these inputs, in the same form.",
    ),
]
Reproducer = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Write the smallest part that still shows it, to send."),
]
Seconds = Annotated[
    float, typer.Option(min=1, metavar="N", help="End after so long, with what was found.")
]
Inputs = Annotated[int, typer.Option(min=1, max=100, metavar="N", help="Draw so many inputs.")]
Json = Annotated[
    Path | None,
    typer.Option(
        "--json", metavar="FILE", help="Write the answer as JSON; - prints it in place of the text."
    ),
]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Also print what was fed, and every number.")
]


def why(
    context: typer.Context,
    models: Models,
    *,
    feeds: Feeds = None,
    expected: Expected = None,
    reproducer: Reproducer = None,
    seconds: Seconds = 60.0,
    inputs: Inputs = 3,
    seed: Seed = 1,
    dim: Sizes = None,
    value_range: Ranges = None,
    json_file: Json = None,
    verbose: Verbose = False,
) -> None:
    """Say why a model gives other numbers: rounding or a bug, which node, and what is wrong there.

    Both models run without optimization. What rounding may do is measured by
    float64. Where they part, each part of B runs on A's values, and repairs
    are tried: one that brings the error down to rounding proves its cause.

    [bold]Exit status[/bold]

    0   rounding, 1 different, 2 refused, 3 undecided

    [bold]Four commands to begin with[/bold]

    course why before.onnx after.onnx

    course why before.onnx after.onnx --feeds inputs.npz --reproducer bug

    course why model.onnx --feeds inputs.npz --expected outputs.npz

    course why before.onnx after.onnx --json -   (in CI)

    docs/why.md goes through two public bugs.
    """
    from formatlab.diff.words import plain
    from formatlab.measure import request
    from formatlab.measure.errors import CannotBench
    from formatlab.why import CannotDiff
    from formatlab.why import why as ask

    command = context.find_root().info_name or "course"
    try:
        if len(models) > 2:
            raise CannotDiff(f"{len(models)} files were given: name one model, or two")
        answer = ask(
            models[0],
            models[1] if len(models) == 2 else None,
            feeds=feeds,
            expected=expected,
            seed=seed,
            inputs=inputs,
            sizes=dict(map(request.size, dim or ())),
            ranges=dict(map(request.between, value_range or ())),
            seconds=seconds,
            reproducer=reproducer,
            progress=_progress(),
        )
        if json_file is not None:
            text = json.dumps(answer.to_json(), indent=1, allow_nan=False) + "\n"
            if str(json_file) == "-":
                typer.echo(text, nl=False)
            else:
                _write(json_file, text)
        if str(json_file) != "-":
            typer.echo(answer.text)
            if verbose:
                typer.echo(f"Inputs: {answer.inputs}")
                for name, value in answer.numbers.items():
                    typer.echo(f"{name}: {value}")
                typer.echo(f"{answer.seconds:.1f} seconds")
        status = STATUS[answer.verdict]
    except (CannotDiff, CannotBench) as problem:
        typer.echo(f"{command}: {' '.join(str(problem).split())}", err=True)
        status = REFUSED
    except Exception as problem:  # status 1 says that two models were compared  # noqa: BLE001
        said = plain(f"{type(problem).__name__}: {problem}", 200)
        typer.echo(f"{command}: the question could not be asked ({said})", err=True)
        status = REFUSED
    raise typer.Exit(status)


def _progress() -> Callable[[str], None] | None:
    """A line that is written over, where somebody looks at it."""
    if not sys.stderr.isatty():
        return None

    def show(doing: str) -> None:
        sys.stderr.write(f"\r\x1b[K{doing[:78]}")
        sys.stderr.flush()

    return show


def _write(path: Path, text: str) -> None:
    from formatlab.why import CannotDiff

    try:
        path.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise CannotDiff(f"{path} cannot be written: {problem.strerror}") from None
