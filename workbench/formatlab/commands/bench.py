"""`course bench`."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from formatlab.commands.options import Ranges, Sizes, given

REFUSED = 2
# Where results go and what they are held against is no part of what was measured.
AFTERWARDS = {"json_file", "plot", "against", "tolerance", "any_machine"}

Words = list[str]
variant = partial(typer.Option, rich_help_panel="Variants: one for each combination")
timed = partial(typer.Option, rich_help_panel="How it is timed")
extra = partial(typer.Option, rich_help_panel="What else is measured")
then = partial(typer.Option, rich_help_panel="Results")

Models = Annotated[
    list[Path],
    typer.Argument(
        metavar="MODEL...",
        help="An ONNX file, or several: the first is the reference. Or a results file to show or compare.",
        show_default=False,
    ),
]
Providers = Annotated[Words, variant(help="Where to run: cpu, cuda, …; again for more.")]
Precisions = Annotated[
    Words,
    variant(
        help="given, fp32, fp16, int8-dynamic, int8-static, int8-static-reduced (7 bits); again for more."
    ),
]
Levels = Annotated[
    Words,
    variant(
        metavar="LEVEL",
        help="Graph optimization: disable, basic, extended, layout or all; again for more.",
    ),
]
Threads = Annotated[
    list[int],
    variant(
        min=0,
        metavar="N",
        help="Threads of a CPU session, 0 for ONNX Runtime's own choice; again for more.",
    ),
]
Entries = Annotated[
    Words | None,
    variant(metavar="KEY=VALUE", help="A setting of every session; again for more."),
]
CudaGraph = Annotated[bool, variant("--cuda-graph", help="On CUDA, with a CUDA graph as well.")]
Tf32 = Annotated[bool, variant("--tf32", help="On CUDA, let FP32 products be rounded to TF32.")]
Batch = Annotated[
    int | None,
    given(min=1, metavar="N", help="Size of a dynamic first dimension: 1 by default."),
]
Feeds = Annotated[
    Path | None,
    given(
        metavar="FILE.npz",
        help="Real inputs, as numpy.savez writes them. Random ones by default.",
    ),
]
Calibration = Annotated[
    Path | None,
    given(
        metavar="FILE.npz",
        help="Inputs that int8-static is calibrated on: others than those of --feeds.",
    ),
]
Mask = Annotated[
    str | None,
    given(
        metavar="INPUT",
        help="Outputs count where this input is not 0: attention_mask by default.",
    ),
]
Kinds = Annotated[
    Words | None,
    given(
        metavar="[NAME=]KIND",
        help="What the outputs are: numbers, vectors that are compared, classes (scores of them) or labels. Floats are numbers by default.",
    ),
]
Seed = Annotated[
    int | None,
    given(
        min=0,
        metavar="N",
        help="Of random inputs, 0 by default, and of the order of turns, drawn by default.",
    ),
]
Rounds = Annotated[int, timed(min=3, metavar="N", help="Rounds that count, in each process.")]
Calls = Annotated[
    int, timed(min=0, metavar="N", help="Single calls of each variant at least: p99 needs 100.")
]
Warmup = Annotated[
    float,
    timed(min=0, metavar="SECONDS", help="Untimed calls of each variant before the rounds."),
]
Processes = Annotated[
    int,
    timed(
        min=1,
        metavar="N",
        help="Fresh processes, each with all the rounds. Intervals then hold what differs between them.",
    ),
]
Callers = Annotated[
    list[int] | None,
    extra(
        min=1,
        metavar="CALLERS",
        help="So many callers at a time on one session; again for more.",
    ),
]
Cold = Annotated[
    bool, extra("--cold", help="Loading, first call and peak memory, each in a fresh process.")
]
Profile = Annotated[bool, extra("--profile", help="Where the time goes, by operator.")]
Json = Annotated[
    Path | None,
    then(
        "--json",
        metavar="FILE",
        help="Write the results as JSON; - prints them in place of the table.",
    ),
]
Plot = Annotated[Path | None, then(metavar="FILE.svg", help="Draw the ratios.")]
Against = Annotated[
    Path | None,
    then(
        metavar="OLD.json",
        help="Compare. Exit status 1: a variant is slower; 3: it cannot be told.",
    ),
]
Tolerance = Annotated[
    float, then(min=0, metavar="PERCENT", help="So much slower is still the same.")
]
AnyMachine = Annotated[bool, then("--any-machine", help="Compare results of two machines.")]


def bench(
    context: typer.Context,
    models: Models,
    *,
    provider: Providers = ["cpu"],  # noqa: B006
    precision: Precisions = ["given"],  # noqa: B006
    graph: Levels = ["all"],  # noqa: B006
    threads: Threads = [1],  # noqa: B006
    session: Entries = None,
    cuda_graph: CudaGraph = False,
    tf32: Tf32 = False,
    batch: Batch = None,
    dim: Sizes = None,
    value_range: Ranges = None,
    feeds: Feeds = None,
    calibrate: Calibration = None,
    mask: Mask = None,
    outputs: Kinds = None,
    seed: Seed = None,
    rounds: Rounds = 20,
    calls: Calls = 0,
    warmup: Warmup = 0.5,
    processes: Processes = 1,
    concurrent: Callers = None,
    cold: Cold = False,
    profile: Profile = False,
    json_file: Json = None,
    plot: Plot = None,
    against: Against = None,
    tolerance: Tolerance = 5.0,
    any_machine: AnyMachine = False,
) -> None:
    """Measure a model, or compare several files: variants in turn, single calls, intervals, outputs checked first.

    [bold]How to read the table[/bold]

    ÷            a ratio of times to the first variant, with its interval.
                 An interval that holds 1 shows no difference.

    A/A          the first variant against itself: what this run can tell
                 apart. Above 5 % a warning comes.

    p50 p90 p99  of n single calls.

    items/s      all items by all the time, stalls included.

    cores        processor time by clock time. Below the number of threads,
                 other programs had the processor.

    SQNR dB      how far an output stands above its error here; "exact" is in
                 exact arithmetic. If they differ, this processor's kernels lose.
                 "float16": with every value rounded to float16, as a GPU does it.
                 For other kinds of --outputs: cosine, same class, same label.

    alone        does a row depend on the rows beside it? "same", or how far
                 a row alone agrees with itself in a batch.

    provider     how many nodes each provider took. A row is named after the
                 provider that was asked for, with its part if it runs only
                 some of the nodes: "CUDA 40 %". Where it runs none, or the
                 runtime dies, there is no row but a reason.

    [bold]Four commands to begin with[/bold]

    course bench model.onnx --precision fp32 --precision int8-static --feeds real.npz

    course bench model.onnx my-int8.onnx --feeds real.npz

    course bench model.onnx --threads 1 --threads 4 --concurrent 4 --cold --profile

    course bench model.onnx --processes 5 --against main.json   (in CI)

    docs/measuring.md explains every number.
    """
    from formatlab.measure import command, request
    from formatlab.measure.errors import CannotBench
    from formatlab.measure.precisions import Precision
    from formatlab.measure.request import BenchRequest, Level, named

    try:
        asked = BenchRequest(
            models[0],
            others=models[1:],
            providers=provider,
            precisions=[named(Precision, text) for text in precision],
            levels=[named(Level, text) for text in graph],
            threads=threads,
            batch=batch,
            sizes=dict(map(request.size, dim or ())),
            ranges=dict(map(request.between, value_range or ())),
            feeds=feeds,
            calibrate=calibrate,
            mask=mask,
            outputs=dict(map(request.output, outputs or ())),
            entries=dict(map(request.entry, session or ())),
            rounds=rounds,
            calls=calls,
            warm_seconds=warmup,
            processes=processes,
            streams=concurrent or (),
            seed=seed,
            cuda_graph=cuda_graph,
            tf32=tf32,
            cold=cold,
            profile=profile,
            command=_typed(context),
        )
        status = command.run(
            asked,
            command.Then(
                json_file=json_file,
                plot=plot,
                old=against,
                tolerance=tolerance / 100,
                any_machine=any_machine,
            ),
        )
    except CannotBench as problem:
        typer.echo(f"course: {' '.join(str(problem).split())}", err=True)
        status = REFUSED
    raise typer.Exit(status)


def _typed(context: typer.Context) -> str:
    """The command as it was typed, without folders: the text is printed on pages."""
    words = ["course", "bench", *(model.name for model in context.params["models"])]
    for option in context.command.params[1:]:
        if option.name not in AFTERWARDS and _was_typed(context, option.name):
            words += _words(option.opts[0], context.params[option.name])
    return shlex.join(words)


def _was_typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _words(name: str, value: object) -> Words:
    if isinstance(value, bool):
        return [name]
    values = value if isinstance(value, list | tuple) else [value]
    return [
        word
        for each in values
        for word in (name, each.name if isinstance(each, Path) else str(each))
    ]
