"""`course bench`: any model, as the variants that were asked for, in turn."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort

from formatlab.measure import cold, streams
from formatlab.measure.errors import CannotBench
from formatlab.measure.feeds import load_feeds, make_feeds
from formatlab.measure.kernels import by_operator
from formatlab.measure.precisions import convert
from formatlab.measure.quality import Quality
from formatlab.measure.request import BenchRequest, Level
from formatlab.measure.results import Results, merged
from formatlab.measure.rounds import compare
from formatlab.measure.sessions import CPU, CUDA, Runner, provider_named, short

Feeds = dict[str, np.ndarray]
# So many random batches find the range of activations that one batch would leave too narrow.
CALIBRATION_DRAWS = 16
# (what is done, how much of it is, how much there is; 0 where it is not known)
Watch = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Setup:
    """What makes one variant's session, in this process or in another one."""

    name: str
    file: Path
    provider: str
    threads: int
    level: Level
    cuda_graph: bool = False
    tf32: bool = False
    entries: Mapping[str, str] = field(default_factory=dict)

    def runner(self, feeds: Feeds, like: Sequence[np.ndarray] = (), profile: str = "") -> Runner:
        """Raises CannotBench."""
        options = {
            "cuda_graph": self.cuda_graph,
            "tf32": self.tf32,
            "level": self.level,
            "entries": self.entries,
            "profile": profile,
        }
        return Runner(self.file, feeds, self.provider, self.threads, like=like, **options)


def bench(request: BenchRequest, watch: Watch = lambda what, done, expected: None) -> Results:
    """Every variant; the outputs of each are held against the model as given first. Raises
    CannotBench.
    """
    providers = list(dict.fromkeys(map(provider_named, request.providers)))
    _require_possible(request, providers)
    model = read_model(request.model)
    ort.set_default_logger_severity(4)  # what matters of it arrives as an exception
    feeds = _feeds(request, model)
    watch("reference outputs", 0, 0)
    quality = Quality.of(request, feeds)
    with tempfile.TemporaryDirectory() as folder:
        watch("conversion", 0, 0)
        calibration = _calibration(request, model, feeds)
        setups = list(_setups(request, providers, Path(folder), calibration))
        runners, notes = _prepared(request, setups, feeds, quality, watch)
        results = _measured(request, setups, runners, feeds, quality.reference, notes, watch)
        more = _more(request, setups, runners, feeds, watch)
    command = request.command or f"course bench {request.model.name}"
    return replace(results, name=request.model.name, command=command, **more)


def _more(request, setups, runners, feeds, watch: Watch) -> dict:
    """What else of the results was asked for."""
    more = {}
    if request.streams:
        watch("several callers", 0, 0)
        items = _items(request, feeds)
        more["streams"] = streams.measure(runners, request.streams, items)
    if request.profile:
        watch("profiles", 0, 0)
        more["profiles"] = {setup.name: _profile(setup, feeds) for setup in setups}
    return more


def _prepared(
    request: BenchRequest, setups: Sequence[Setup], feeds: Feeds, quality: Quality, watch: Watch
) -> tuple[dict, dict]:
    """A session of each variant, and what is known of it before it is timed."""
    runners, notes = {}, {}
    for setup in setups:
        watch(f"outputs of {setup.name}", 0, 0)
        started = time.perf_counter()
        runner = runners[setup.name] = setup.runner(feeds, quality.reference)
        taken = time.perf_counter() - started
        known = notes[setup.name] = quality.notes(setup, runner, feeds)
        known |= {"MB": f"{_size(setup.file) / 1e6:.3g}", "load ms": f"{1000 * taken:.3g}"}
        known["provider"] = runner.placement
        known |= fresh(cold.start, setup, feeds, quality.reference) if request.cold else {}
    return runners, notes


def _profile(setup: Setup, feeds: Feeds) -> list[dict]:
    return by_operator(lambda prefix: setup.runner(feeds, profile=prefix))


def _require_possible(request: BenchRequest, providers: Sequence[str]) -> None:
    if request.cuda_graph and CUDA not in providers:
        raise CannotBench("--cuda-graph needs --provider cuda")
    if (request.profile or request.streams) and providers != [CPU]:
        raise CannotBench(
            "--profile and --concurrent are for --provider cpu alone: a GPU's launches are not its work"
        )


def _feeds(request: BenchRequest, model: onnx.ModelProto) -> Feeds:
    if request.feeds is None:
        return make_feeds(model, request.batch, request.sizes, request.ranges, request.seed or 0)
    if request.batch or request.sizes or request.ranges:
        raise CannotBench(
            "--feeds has the sizes and the values: leave --batch, --dim and --range out"
        )
    return load_feeds(request.feeds, model)


def _calibration(request: BenchRequest, model: onnx.ModelProto, feeds: Feeds) -> list[Feeds]:
    """Other inputs than those that the outputs are compared on, drawn where there is no file of
    them.
    """
    if request.calibrate is not None:
        return [load_feeds(request.calibrate, model)]
    if request.feeds is not None:
        return [feeds]
    first = (request.seed or 0) + 1
    return [
        make_feeds(model, request.batch, request.sizes, request.ranges, seed)
        for seed in range(first, first + CALIBRATION_DRAWS)
    ]


def _setups(
    request: BenchRequest, providers: Sequence[str], folder: Path, calibration: list[Feeds]
) -> Iterator[Setup]:
    levels, threads = list(dict.fromkeys(request.levels)), list(dict.fromkeys(request.threads))
    for precision in dict.fromkeys(request.precisions):
        file = convert(request.model, precision, folder, calibration)
        for provider, level, count in product(providers, levels, threads):
            words = [f"{short(provider)} {precision}"]
            words += [f"graph {level}"] if len(levels) > 1 else []
            words += [f"{count} thread{'s' * (count != 1)}"] if len(threads) > 1 else []
            for graph in (False, True) if request.cuda_graph and provider == CUDA else (False,):
                name = ", ".join(words + ["CUDA graph"] * graph)
                yield Setup(
                    name, file, provider, count, level, graph, request.tf32, dict(request.entries)
                )


def _measured(request, setups, runners, feeds, reference, notes, watch: Watch) -> Results:
    """In this process, or in several fresh ones, one after the other."""
    threads = request.threads[0] if len(set(request.threads)) == 1 else None
    options = {"items": _items(request, feeds), "notes": notes, "threads": threads or None}
    options |= {"calls": request.calls, "warm_seconds": request.warm_seconds}
    if request.processes == 1:
        rounds = partial(watch, "rounds")
        return compare(runners, request.rounds, seed=request.seed, watch=rounds, **options)
    parts = []
    for number in range(request.processes):
        watch("processes", number, request.processes)
        # With one seed every process would have the same order of turns.
        seed = None if request.seed is None else request.seed + number
        parts.append(fresh(_in_a_process, setups, feeds, reference, request.rounds, seed, options))
    return merged(parts)


def _in_a_process(setups, feeds, reference, rounds, seed, options) -> Results:
    ort.set_default_logger_severity(4)
    return compare(
        {setup.name: setup.runner(feeds, reference) for setup in setups},
        rounds,
        seed=seed,
        **options,
    )


def fresh(function: Callable, *arguments):
    """What `function` returns in a new process, which shares nothing with this one."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def _items(request: BenchRequest, feeds: Feeds) -> int:
    return request.batch or next((len(value) for value in feeds.values() if value.ndim), 1)


def read_model(path: Path) -> onnx.ModelProto:
    """The model without data that lies in other files. Raises CannotBench where there is no file or
    no model in it.
    """
    if not path.is_file():
        raise CannotBench(f"there is no file {path}")
    try:
        model = onnx.load(path, load_external_data=False)
    except Exception:  # DecodeError of protobuf's several implementations
        raise CannotBench(f"{path} is not an ONNX model") from None
    if not model.graph.output:
        raise CannotBench(f"{path} is not an ONNX model: it holds no graph with outputs")
    return model


def _size(path: Path) -> int:
    """Bytes, with the data that lies in other files."""
    model = onnx.load(path, load_external_data=False)
    tensors = [
        tensor
        for tensor in model.graph.initializer
        if tensor.data_location == onnx.TensorProto.EXTERNAL
    ]
    beside = {
        entry.value
        for tensor in tensors
        for entry in tensor.external_data
        if entry.key == "location"
    }
    return sum(file.stat().st_size for file in [path, *(path.parent / name for name in beside)])
