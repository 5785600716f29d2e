"""Nothing of a hidden case in the box with student code tells what is right for it, but what the
task hands over: no parameter, no name of a file, a folder, a class or a function.
"""

from __future__ import annotations

import inspect
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest

from nbjudge import exercises
from nbjudge.asking import ask
from nbjudge.contract import Case
from nbjudge.grading.execution.anonymous import AnonymousCases
from nbjudge.rungs.ladder import climb
from tests.mutants import SEED, cases_of, group_of, mutants, references
from tests.suites import is_as_recorded

SEEDS = (1, 2, 3, 4, 5)


def of(name: str) -> object:
    """The exercise of a test, which runs with its stored answers, and in `make test` if the exercise
    changed.
    """
    marks = [pytest.mark.xdist_group(group_of(name))]
    return pytest.param(name, marks=[*marks, pytest.mark.slow] if is_as_recorded(name) else marks)


# Which hidden cases have these is the same for every seed, and it tells no answer: an adapter needs
# them for what it does besides the call, or they say what the arguments show.
KNOWN = {
    "benchmark": {"/refuses=False", "/refuses=True"},  # whether impossible calls follow
    "capstone": {  # the module that is handed over, with its parts and whether each is in training
        *("/=False", "/=True", "/training=False", "/training=True", "Block", "block"),
        *("/attend=False", "/down=False", "/project=False", "/up=False"),
        *("attend", "attend.bias", "attend.weight", "down", "down.bias", "down.weight", "heads"),
        *("project", "project.bias", "project.weight", "steps", "up", "up.bias", "up.weight"),
        "A transformer's block with pooling and a head: (N, steps, width) -> (N, classes).",
    },
    "control_flow": {
        "/branches/weight=None",
        "/weights=None",
        "=None",
    },  # functions without weights
    "diagnose": {  # the folder that is handed over, one file of which says its format
        *("export/model.onnx", "export/model.safetensors"),
        *("export/model.io.safetensors", "model.io.safetensors"),
    },
    "export": {  # the example: its rows, and whether it is a tuple; a second module follows
        *("/modules/rows=1", "/rows=1", "1.py"),
        *("/as_tuple=False", "/as_tuple=True", "/modules/as_tuple=False", "/modules/as_tuple=True"),
    },
    "inspect": {  # whether a folder is handed over, and the files in it, which the model names
        *("/directory=False", "/directory=True", "layers", "layers/second.bin", "main.bin"),
        *("other.bin", "second.bin", "then.bin", "weights.bin"),
    },
    "mend_export": {  # the example's sizes, what `wanted` and `limits` say, and a module's own number
        *(
            "/example/past=3",
            "/example/rows=3",
            "/example/rows=5",
            "/limits/rows/min=4",
            "/parts=1",
        ),
        *("/wanted/batch_ids=4", "/wanted/batch_weight=4", "/wanted/scale=1", "/wanted/shift=1"),
    },
    "safetensors": {  # whether bytes are counted, and the end of a large file
        *("/measured=False", "/measured=True", "=False", "=True", "tail"),
        *("<lambda>", "_validate.<locals>.<lambda>"),
    },
    "shapes": {  # an argument
        *("/padding=0", "/sizes/padding=0", "/padding=1", "/sizes/padding=1"),
    },
}


def words(value: object, path: str = "", depth: int = 4) -> Iterator[str]:
    """What can be read in a value without understanding it: strings, and flags and whole numbers by
    the way to them.
    """
    if isinstance(value, str):
        yield from {value, *Path(value).parts} if value else ()
    elif value is None or isinstance(value, bool | int):
        yield f"{path}={value}"
    elif isinstance(value, Mapping) and depth:
        for key, each in value.items():
            yield from (str(key), *words(each, f"{path}/{key}", depth - 1))
    elif isinstance(value, list | tuple) and depth:
        for each in value[:50]:
            yield from words(each, path, depth - 1)
    elif isinstance(value, Path):
        yield from value.parts


def found_in(value: object) -> Iterator[str]:
    """What a curious function finds in a value besides: of a case, a module, a function."""
    yield from words(value)
    if isinstance(value, Case):
        yield from (*value.files, *words(value.parameters))
    elif inspect.isfunction(value):
        yield from (value.__name__, value.__qualname__, *words(value.__doc__ or ""))
        for cell in value.__closure__ or ():
            yield from found_in(cell.cell_contents)
    elif hasattr(value, "forward"):
        for kind in type(value).__mro__:
            if not kind.__module__.startswith(("torch", "builtins")):
                yield from (kind.__module__, kind.__qualname__, *words(kind.__doc__ or ""))


def seen_of(exercise, case: Case) -> tuple[set[str], set[str]]:
    """What the box knows when the function is called on a case, and what the function is given."""
    known, handed, called = set(found_in(case)), set(), []

    def spy(name: str, *arguments: object, **named: object) -> None:
        given = [*arguments, *named.values()]
        handed.update((name, *named, *words(given)))
        # A flag that is an argument is handed over, whatever the case calls it.
        flags = {each for each in given if each is None or isinstance(each, bool | int)}
        handed.update(word for word in known if word.rpartition("=")[2] in map(str, flags))
        # What lies in the frames of later calls comes of the earlier ones.
        frame = None if called else sys._getframe(1)
        called.append(name)
        while frame is not None:
            if "formatlab_exercises" in frame.f_code.co_filename:
                given += frame.f_locals.values()
            frame = frame.f_back
        for each in given:
            known.update(found_in(each))
        known.update(path.name for path in Path(scratch).rglob("*"))

    spies = {name: partial(spy, name) for name in exercise.functions}
    with tempfile.TemporaryDirectory() as scratch:
        ask(exercise, spies, case, Path(scratch), line=lambda _question: 0)
        known -= set(Path(scratch).parts)
    return known, handed


def telling(name: str) -> set[str]:
    """The words that some hidden cases have for every seed, and others that call the same function
    for none.
    """
    exercise = exercises.get(name)
    carriers: dict[tuple[str, str], list[frozenset[str]]] = defaultdict(list)
    for seed in SEEDS:
        calling: dict[str, list[Case]] = defaultdict(list)
        for case in exercise.cases(seed):
            calling[exercise.function_of(case)].append(case)
        for function, cases in calling.items():
            anonymous = AnonymousCases({name: cases})
            by_word: dict[str, set[str]] = defaultdict(set)
            for case in anonymous.cases[name]:
                known, handed = seen_of(exercise, case)
                for word in known - handed:
                    by_word[word].add(anonymous.known[name][case.name].name)
            for word, those in by_word.items():
                if len(those) < len(cases):
                    carriers[function, word].append(frozenset(those))
    return {
        word
        for (_, word), several in carriers.items()
        if len(several) == len(SEEDS) and len(set(several)) == 1
    }


@pytest.mark.parametrize("name", map(of, exercises.ids()))
def test_what_the_box_knows_of_hidden_cases_does_not_tell_them_apart(name):
    assert telling(name) == KNOWN.get(name, set())


@pytest.mark.parametrize("name", map(of, ["export", "mend_export", "torchscript"]))
def test_a_hidden_case_has_a_module_of_several(name):
    """What a case is about is not known by the text of its module."""
    exercise = exercises.get(name)
    texts = defaultdict(set)
    for seed in range(12):
        for case in exercise.cases(seed):
            sources = [data for file, data in case.files.items() if file.endswith(".py")]
            texts[case.name].update(sources)
            assert all(b'"""' not in each and b"Module" in each for each in sources)
    assert min(map(len, texts.values())) >= (2 if name == "mend_export" else 10)


def of_module(module) -> dict[str, object]:
    """What a table could hold of a module: its bytecode, that of `forward` alone, its source, and the
    shapes of its parameters and buffers.
    """
    own = [kind for kind in type(module).__mro__ if kind.__module__.startswith("handed_over")]
    functions = [each for kind in own for each in vars(kind).values() if inspect.isfunction(each)]
    shapes = {name: tuple(each.shape) for name, each in module.state_dict().items()}
    return {
        "code": tuple(each.__code__.co_code for each in functions),
        "forward": getattr(type(module).forward, "__code__", b"").co_code,
        "source": "".join(map(inspect.getsource, own)),
        "shapes": tuple(shapes.values()),
    }


def handed_modules(exercise, case: Case) -> list[object]:
    found = []

    def spy(*arguments: object, **_named: object) -> None:
        found.extend(each for each in arguments if hasattr(each, "forward"))

    with tempfile.TemporaryDirectory() as scratch:
        ask(exercise, dict.fromkeys(exercise.functions, spy), case, Path(scratch))
    return found


# The hidden cases in which an answer that does the same for every module is wrong.
SPECIAL = {
    "export": {"hidden-newer-operator"},
    "mend_export": {"hidden-refuse-few", "hidden-refuse-choice"},
    "torchscript": {"hidden-two-faced", "hidden-unused"},
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.xdist_group(group_of(name))) for name in SPECIAL],
)
def test_a_table_of_what_earlier_draws_handed_over_tells_nothing(name):
    """Whoever has the course can draw as many as there are seeds."""
    exercise = exercises.get(name)
    table: dict[tuple[str, object], set[bool]] = defaultdict(set)
    for seed in range(1, 31):
        for case in exercise.cases(seed):
            for module in handed_modules(exercise, case):
                for what, each in of_module(module).items():
                    table[what, each].add(case.name in SPECIAL[name])
    found = []
    for case in exercise.cases(SEED):
        for module in handed_modules(exercise, case) if case.name in SPECIAL[name] else ():
            told = of_module(module).items()
            found += [(what, case.name) for what, each in told if table[what, each] == {True}]
    assert not found, found


def peeking(functions: Mapping, name: str, secrets: Mapping[str, object]) -> Mapping:
    """A stored mistake that looks for a word of `secrets` in all that it can reach, and does then
    what is right for such a case.
    """
    function = functions[name]

    def answer(*arguments: object, **named: object) -> object:
        reached = set(words(list(arguments)))
        for each in arguments:
            reached.update(found_in(each))
        frame = sys._getframe(1)
        while frame is not None:  # of ours: those behind them are the test's own
            if frame.f_globals.get("__name__", "").startswith(("nbjudge", "formatlab_exercises")):
                for each in frame.f_locals.values():
                    reached.update(found_in(each) if each is not answer else ())
            frame = frame.f_back
        for word, right in secrets.items():
            if word in reached:
                return right(*arguments)
        return function(*arguments, **named)

    return {**functions, name: answer}


def refuse(*_arguments: object) -> None:
    raise ValueError("no file is right")


def traced(module, example):
    import copy

    import torch

    return torch.jit.trace(copy.deepcopy(module).eval(), example)


# What told the kind once: a stored mistake that is wrong where the attack knows better, and the
# words by which it knew.
ATTACKS = {
    "mend_export": (
        *("auto", "mend"),
        dict.fromkeys(
            [
                *("/refused=True", "refuse"),
                *("Centred", "Masked", "Sum", "Short", "Choice", "Positions"),
                *("centred", "masked", "sum", "short", "choice", "positions"),
            ],
            refuse,
        ),
    ),
    "export": (
        "no_check",
        "export_model",
        {"newer": refuse, "attention": refuse, "rotary": refuse},
    ),
    "torchscript": (
        *("compiles_is_enough", "compile_module"),
        dict.fromkeys(["TwoFaced", "two-faced", "Unused", "unused"], traced),
    ),
}


@pytest.mark.parametrize("name", map(of, ATTACKS))
def test_a_look_around_earns_what_the_mistake_earns(name):
    control, function, secrets = ATTACKS[name]
    [mutant] = [each for each in mutants(name) if each.name == control]
    exercise, cases = exercises.get(name), cases_of(name)
    anonymous = AnonymousCases({name: cases})
    known = anonymous.known[name]
    functions = peeking(mutant.functions, function, secrets)
    came = {}
    for case in anonymous.cases[name]:
        with tempfile.TemporaryDirectory() as scratch:
            answer = ask(exercise, functions, case, Path(scratch))
        came[case.name] = exercise.observe(known[case.name], answer)
    named = anonymous.named({name: came})[name]
    score = climb(exercise, cases, named, references(name, SEED)).score
    assert score == pytest.approx(mutant.score * exercise.points, abs=0.005 * exercise.points)
