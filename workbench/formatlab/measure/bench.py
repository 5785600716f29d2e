"""`course bench`: any model, as the variants that were asked for, in turn."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort

from formatlab import beginnings, graphs, loading
from formatlab.measure import cold, streams
from formatlab.measure.errors import CannotBench
from formatlab.measure.feeds import load_feeds, make_feeds, require_same_interface
from formatlab.measure.isolated import Died, Spare, in_a_new_process
from formatlab.measure.kernels import by_operator
from formatlab.measure.precisions import Precision, convert
from formatlab.measure.quality import Quality
from formatlab.measure.request import BenchRequest, Level
from formatlab.measure.results import Results, merged
from formatlab.measure.rounds import compare
from formatlab.measure.sessions import CPU, CUDA, Runner, provider_named
from formatlab.measure.setup import Feeds, Setup

# So many random batches find the range of activations that one batch would leave too narrow.
CALIBRATION_DRAWS = 16
# (what is done, how much of it is, how much there is; 0 where it is not known)
Watch = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True)
class Tried:
    """What is known of the variants before they are timed: the setups that work, what the table
    says of each, and why the others have no row.
    """

    setups: list[Setup]
    notes: dict[str, dict[str, str]]
    missing: dict[str, str]


def bench(request: BenchRequest, watch: Watch = lambda _what, _done, _expected: None) -> Results:
    """Every variant; the outputs of each are held against the model as given first. Raises
    CannotBench where not even one variant can be measured.

    Whatever makes a session for the first time does it in another process: a fault of the runtime
    ends that process and costs one row.
    """
    providers = list(dict.fromkeys(map(provider_named, request.providers)))
    _require_possible(request, providers)
    model = read_model(request.model)
    for path in request.others:
        read_model(path)
    ort.set_default_logger_severity(4)  # what matters of it arrives as an exception
    feeds = _feeds(request, model)
    watch("reference outputs", 0, 0)
    with tempfile.TemporaryDirectory() as folder, Spare() as spare:
        quality = _reference(request, feeds, spare)
        calibration = _calibration(request, model, feeds)
        conversions = Conversions(spare=spare, folder=Path(folder), calibration=calibration)
        tried = _tried(list(_setups(request, providers)), conversions, quality, feeds, watch)
        runners, notes = _prepared(request, tried, feeds, quality, watch)
        results = _measured(
            request,
            setups=tried.setups,
            runners=runners,
            feeds=feeds,
            reference=quality.reference,
            notes=notes,
            watch=watch,
        )
        more = _more(request, tried.setups, runners, feeds, watch)
    command = request.command or f"course bench {request.model.name}"
    return replace(results, name=request.model.name, command=command, missing=tried.missing, **more)


def _reference(request: BenchRequest, feeds: Feeds, spare: Spare) -> Quality:
    """At the first of the levels at which the model runs. Raises CannotBench."""
    problems = []
    for level in dict.fromkeys(request.levels):
        try:
            return spare.call(Quality.of, request, feeds, level)
        except Died as problem:
            problems.append(
                f"{request.model.name} ends ONNX Runtime at --graph {level} ({problem.how}): a fault of the "
                f"runtime. {_spared(request.model, feeds, level, spare)}"
            )
        except CannotBench as problem:
            problems.append(str(problem))
    raise CannotBench(problems[0])


def _spared(file: Path, feeds: Feeds, level: Level, spare: Spare) -> str:
    """What to do about a file that ends the runtime on the CPU at `level`."""
    for other in reversed([each for each in Level if each != level]):
        setup = Setup(file=file, source=file, level=other)
        try:
            spare.call(_outputs, setup, feeds)
        except CannotBench:
            continue
        return f"It runs with `--graph {other}`"
    return "It runs at no level here: try another version of ONNX Runtime"


def _outputs(setup: Setup, feeds: Feeds) -> list[np.ndarray]:
    return setup.runner(feeds).outputs()


@dataclass(kw_only=True)
class Conversions:
    """The files of the variants, each written once, in a process that can be spared."""

    spare: Spare
    folder: Path
    calibration: list[Feeds]
    found: dict[tuple[Path, Precision], Path | CannotBench] = field(default_factory=dict)

    def file(self, source: Path, precision: Precision) -> Path:
        """Raises CannotBench."""
        key = source, precision
        if key not in self.found:
            self.found[key] = self._converted(source, precision)
        if isinstance(found := self.found[key], CannotBench):
            raise found
        return found

    def _converted(self, source: Path, precision: Precision) -> Path | CannotBench:
        folder = self.folder / str(len(self.found))  # two files may have one name
        folder.mkdir()
        try:
            return self.spare.call(convert, source, precision, folder, self.calibration)
        except Died as problem:
            return CannotBench(
                f"{source.name} could not be converted to {precision}, which ended the converter ({problem.how}). "
                "Convert it yourself, and compare the files: `course bench model.onnx converted.onnx`"
            )
        except CannotBench as problem:
            return problem


def _tried(
    setups: Sequence[Setup],
    conversions: Conversions,
    quality: Quality,
    feeds: Feeds,
    watch: Watch,
) -> Tried:
    """Raises CannotBench where none works."""
    tried = Tried(setups=[], notes={}, missing={})
    for setup in setups:
        watch(f"trial of {setup.name}", 0, 0)
        try:
            setup = replace(setup, file=conversions.file(setup.source, setup.precision))
            share, notes, quality.exact = conversions.spare.call(_trial, setup, quality, feeds)
        except Died as problem:
            tried.missing[setup.name] = _lost(setup, problem, feeds, conversions.spare)
        except CannotBench as problem:
            tried.missing[setup.name] = str(problem)
        else:
            setup = replace(setup, share=share)
            tried.setups.append(setup)
            tried.notes[setup.name] = notes
    if not tried.setups:
        reasons = dict.fromkeys(tried.missing.values())
        alone = len(tried.missing) == 1
        raise CannotBench(
            next(iter(reasons))
            if alone
            else "no variant can be measured. "
            + " ".join(f"{name}: {reason}." for name, reason in tried.missing.items())
        )
    return tried


def _trial(setup: Setup, quality: Quality, feeds: Feeds) -> tuple[float, dict, dict]:
    """The share of the nodes that run where they were asked to, what the table says of the outputs,
    and the exact outputs that were computed for it. Raises CannotBench.
    """
    if setup.source != setup.file or setup.label:
        require_same_interface(setup.file, feeds)
    runner = setup.runner(feeds, quality.reference)
    if (count := len(runner.session.get_outputs())) != len(quality.reference):
        raise CannotBench(
            f"it has {count} outputs, and the reference has {len(quality.reference)}: they are compared in their order"
        )
    return runner.share, quality.notes(setup, runner, feeds), quality.exact


def _lost(setup: Setup, problem: Died, feeds: Feeds, spare: Spare) -> str:
    remedy = (
        _spared(setup.file, feeds, setup.level, spare)
        if setup.provider == CPU
        else "Try it with --provider cpu, and with other libraries of that provider"
    )
    return (
        f"ONNX Runtime ended while it loaded or ran this variant ({problem.how}): a fault of the runtime, "
        f"which would have ended the whole command. {remedy}"
    )


def _more(request, setups, runners, feeds, watch: Watch) -> dict:
    """What else of the results was asked for."""
    more: dict[str, Any] = {}
    if request.streams:
        watch("several callers", 0, 0)
        items = _items(request, feeds)
        more["streams"] = streams.measure(runners, request.streams, items)
    if request.profile:
        watch("profiles", 0, 0)
        more["profiles"] = {setup.name: _profile(setup, feeds) for setup in setups}
    return more


def _prepared(
    request: BenchRequest, tried: Tried, feeds: Feeds, quality: Quality, watch: Watch
) -> tuple[dict, dict]:
    """A session of each variant, and what is known of it before it is timed."""
    runners = {}
    notes = {}
    for setup in tried.setups:
        watch(f"session of {setup.name}", 0, 0)
        started = time.perf_counter()
        runner = runners[setup.name] = setup.runner(feeds, quality.reference)
        taken = time.perf_counter() - started
        known = notes[setup.name] = tried.notes[setup.name]
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


def _setups(request: BenchRequest, providers: Sequence[str]) -> Iterator[Setup]:
    """One for each combination. Their files are not converted yet."""
    files = [request.model, *request.others]
    labels = labels_of(files) if len(files) > 1 else [""]
    precisions = list(dict.fromkeys(request.precisions))
    levels = list(dict.fromkeys(request.levels))
    threads = list(dict.fromkeys(request.threads))
    plain = len(files) > 1 and len(providers) == 1 and precisions == [Precision.given]
    everything = product(zip(files, labels, strict=True), precisions, providers, levels, threads)
    for (file, label), precision, provider, level, count in everything:
        words = [f"graph {level}"] if len(levels) > 1 else []
        words += [f"{count} thread{'s' * (count != 1)}"] if len(threads) > 1 else []
        setup = Setup(
            file=file,
            source=file,
            precision=precision,
            provider=provider,
            threads=count,
            level=level,
            tf32=request.tf32,
            entries=dict(request.entries),
            label=label,
            plain=plain,
            options=tuple(words),
        )
        yield setup
        if request.cuda_graph and provider == CUDA:
            yield replace(setup, cuda_graph=True, options=(*words, "CUDA graph"))


def labels_of(files: Sequence[Path]) -> list[str]:
    """What tells the files apart: their names, with as many folders as that takes. Raises
    CannotBench where one is given twice.
    """
    whole = [file.resolve() for file in files]
    if len(set(whole)) < len(whole):
        twice = next(file for file in files if whole.count(file.resolve()) > 1)
        raise CannotBench(
            f"{twice.name} was given twice. The first variant is measured a second time anyway: that is the row A/A"
        )
    for count in range(1, max(len(path.parts) for path in whole) + 1):
        labels = ["/".join(path.parts[-count:]) for path in whole]
        if len(set(labels)) == len(labels):
            break
    return labels


def _measured(
    request: BenchRequest,
    *,
    setups: Sequence[Setup],
    runners: Mapping[str, Runner],
    feeds: Feeds,
    reference: Sequence[np.ndarray],
    notes: Mapping[str, Mapping[str, str]],
    watch: Watch,
) -> Results:
    """In this process, or in several fresh ones, one after the other."""
    threads = request.threads[0] if len(set(request.threads)) == 1 else None
    measure = partial(
        compare,
        rounds=request.rounds,
        items=_items(request, feeds),
        notes=notes,
        threads=threads or None,
        calls=request.calls,
        warm_seconds=request.warm_seconds,
    )
    if request.processes == 1:
        return measure(runners, seed=request.seed, watch=partial(watch, "rounds"))
    parts = []
    for number in range(request.processes):
        watch("processes", number, request.processes)
        # With one seed every process would have the same order of turns.
        seed = None if request.seed is None else request.seed + number
        parts.append(fresh(_in_a_process, setups, feeds, reference, partial(measure, seed=seed)))
    return merged(parts)


def _in_a_process(
    setups: Sequence[Setup],
    feeds: Feeds,
    reference: Sequence[np.ndarray],
    measure: Callable[[Mapping[str, Runner]], Results],
) -> Results:
    ort.set_default_logger_severity(4)
    return measure({setup.name: setup.runner(feeds, reference) for setup in setups})


def fresh(function: Callable, *arguments):
    """What `function` returns in a new process, which shares nothing with this one. Raises
    CannotBench.
    """
    try:
        return in_a_new_process(function, *arguments)
    except Died as problem:
        raise CannotBench(
            f"a process that measured ended ({problem.how}), although a trial of each variant had succeeded. "
            "Measure again, and one variant at a time if it comes back"
        ) from None


def _items(request: BenchRequest, feeds: Feeds) -> int:
    return request.batch or next((len(value) for value in feeds.values() if value.ndim), 1)


def read_model(path: Path) -> onnx.ModelProto:
    """The model without data that lies in other files. Raises CannotBench where there is no file or
    no model in it.
    """
    if path.is_dir():
        raise CannotBench(f"{path} is a folder: give the path of an .onnx file")
    if not path.is_file():
        raise CannotBench(f"there is no file {path}")
    if (size := path.stat().st_size) > loading.PARSED:
        raise CannotBench(
            f"{path} has {size:,} bytes, and Protocol Buffers reads 2 GiB at most: save the weights of such a model in a file beside it"
        )
    if not size:
        raise CannotBench(f"{path} is empty")
    with path.open("rb") as file:
        what = beginnings.foreign(file.read(beginnings.LENGTH))
    if what:
        raise CannotBench(f"{path} {what}")
    try:
        model = onnx.load(path, load_external_data=False)
    except Exception:  # DecodeError of protobuf's several implementations  # noqa: BLE001
        raise CannotBench(
            f"{path} is not an ONNX model: its bytes are cut off, or of another format"
        ) from None
    if not model.graph.output:
        raise CannotBench(f"{path} is not an ONNX model: it holds no graph with outputs")
    return model


def _size(path: Path) -> int:
    """Bytes, with the data that lies in other files."""
    model = onnx.load(path, load_external_data=False)
    tensors = [
        tensor
        for tensor in graphs.tensors(model)
        if tensor.data_location == onnx.TensorProto.EXTERNAL
    ]
    beside = {
        entry.value
        for tensor in tensors
        for entry in tensor.external_data
        if entry.key == "location"
    }
    return sum(file.stat().st_size for file in [path, *(path.parent / name for name in beside)])
