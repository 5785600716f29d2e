"""The page of the zoo: its outputs belong to its code, its rows to the source texts, its links to
sections; what can run here, runs.

The page needs the extra `zoo` (`make zoo`). With the default environment, the cells run whose
packages are there.
"""

import ast
import builtins
import importlib.util
import re
from copy import deepcopy
from functools import cache
from importlib import metadata
from itertools import groupby
from operator import itemgetter

import pytest

from formatlab import measure
from formatlab.models import zoo
from formatlab.models.zoo import landscape
from tests import source_names, zoo_record
from tests.claims import ledger
from tests.notebook_tools import EXPORTING, MACHINE_DEPENDENT, ROOT, ZOO, execute, read
from tests.test_notebooks import challenge_of

CHOICES = ROOT / "docs" / "choosing-a-format.md"
# These need every stop before them, and compilers take minutes: the whole page runs in the
# environment of the zoo.
WHOLE = ("size-load-and-latency", "the-table", "opening-a-strangers-file")
SLOW = ("torchcompile", "aotinductor")


def cells_by_section(path=ZOO):
    """(section's anchor, cell) for each code cell."""
    section, found = "", []
    for cell in read(path).cells:
        if cell.cell_type == "code":
            found.append((section, cell))
        else:
            for heading in re.findall(r"^#+ (.+)$", cell.source, re.MULTILINE):
                section = anchor(heading)
    return found


def anchor(heading):
    return re.sub(r"[^\w\s-]", "", heading.lower()).strip().replace(" ", "-")


def anchors(path):
    return {
        anchor(text)
        for cell in read(path).cells
        if cell.cell_type == "markdown"
        for text in re.findall(r"^#+ (.+)$", cell.source, re.M)
    }


@cache
def importable(module):
    """Whether the package is there; a search for a module inside it would import it."""
    return importlib.util.find_spec(module.split(".")[0]) is not None


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def names(tree, context):
    if context is ast.Store:
        bound = [
            alias.asname or alias.name.split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        ]
        defined = [
            node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)
        ]
        arguments = [node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)]
    else:
        bound = defined = arguments = []
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, context)
    }.union(bound, defined, arguments)


def runnable(without):
    """The cells of each section, in order, whose imports are all installed and whose names come
    from sections that run.
    """
    known, chosen = set(dir(builtins)), []
    for section, group in groupby(cells_by_section(), key=itemgetter(0)):
        cells = [cell for _, cell in group]
        tree = ast.parse("\n".join(cell.source for cell in cells))
        stored = names(tree, ast.Store)
        if (
            section not in without
            and all(map(importable, imported(tree)))
            and names(tree, ast.Load) <= known | stored
        ):
            known |= stored
            chosen += cells
    return chosen


def comparable(cell):
    if MACHINE_DEPENDENT in cell.metadata.get("tags", []):
        return [(output.output_type, output.get("name")) for output in cell.outputs]
    return [
        {key: value for key, value in output.items() if key != "execution_count"}
        for output in cell.outputs
    ]


def run_and_compare(cells, *more):
    """Run the cells, and after them `more`, whose outputs are returned."""
    notebook = read(ZOO)
    notebook.cells = [deepcopy(cell) for cell in (*cells, *more)]
    executed = execute(notebook, first=EXPORTING).cells
    for was, now in zip(cells, executed, strict=False):
        assert comparable(now) == comparable(was), was.source
    return [cell.outputs for cell in executed[len(cells) :]]


# Like the other pages, each in its turn: the record holds outputs to the code in every run.
@pytest.mark.xdist_group("notebook-zoo")
@pytest.mark.parametrize("left_out", [pytest.param(WHOLE + SLOW, id="quick")])
def test_what_can_run_here_gives_the_stored_outputs(left_out):
    cells = runnable(left_out)
    assert len(cells) > 12
    run_and_compare(cells)


@pytest.mark.slow
@pytest.mark.xdist_group("notebook-zoo")
def test_all_that_can_run_here_gives_the_stored_outputs_and_the_whole_page_its_answer():
    if is_whole():
        [solved] = run_and_compare(runnable(()), challenge_of(read(ZOO))[1])
        assert "solved: True" in str(solved)
    else:
        run_and_compare(runnable(WHOLE))


def is_whole():
    """Whether every package of the extra is installed."""
    try:
        return all(metadata.version(name) for name in zoo_record.packages())
    except metadata.PackageNotFoundError:
        return False


def test_the_outputs_belong_to_the_code():
    assert zoo_record.read()["digest"] == zoo_record.digest(read(ZOO)), (
        "the page or its outputs changed since its last run: `make zoo`"
    )


def locked():
    return dict(
        re.findall(
            r"^([\w.-]+)==([\w.]+)",
            (ROOT / "requirements-zoo.lock").read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    )


def test_the_page_ran_with_the_locked_versions():
    ran = zoo_record.read()["versions"]
    assert sorted(ran) == zoo_record.packages()
    assert ran == {name: locked()[re.sub(r"[._]", "-", name)] for name in ran}, (
        "the lock moved since the page's last run: `make zoo`"
    )


def test_the_pictures_are_those_of_the_results():
    shown = "".join(
        output.data["text/plain"]
        for _, cell in cells_by_section()
        for output in cell.outputs
        if "data" in output
    )
    files = sorted(zoo_record.RESULTS.glob("zoo-*-cpu.json"))
    # In the table of all stops.
    pictures = [
        file for file in files if file.stem not in ("zoo-minilm-load-cpu", "zoo-trees-load-cpu")
    ]
    assert len(files) == len(pictures) + 2 == 7
    for file in files:
        results = measure.Results.load(file)
        assert file not in pictures or all(
            f"{name} {results.ratio(name)}" in shown for name in results.names[1:]
        )
        assert results.card.cpu and results.card.packages.keys() >= set(zoo.PACKAGES)


# The results of each model: what loading took, and one call.
MEASURED = {
    "digits-load": "digits-one-image",
    "minilm-load": "minilm-one-question",
    "trees-load": "trees-one-image",
}


def recorded(name):
    return measure.Results.load(zoo_record.RESULTS / f"zoo-{name}-cpu.json")


def test_the_table_of_all_stops_is_that_of_the_results():
    wanted = []
    for load, call in ((recorded(load), recorded(call)) for load, call in MEASURED.items()):
        for stop in load.variants:
            times = (str(results.ratio(stop.name)) for results in (load, call))
            wanted.append([stop.name, stop.notes["verdict"], stop.notes["bytes"], *times])
    [table] = [
        output.data["text/plain"]
        for _, cell in cells_by_section()
        if '"one call"' in cell.source
        for output in cell.outputs
    ]
    assert [re.split(r" {2,}", line) for line in table.splitlines()[1:]] == wanted


def test_every_stop_has_its_row_and_every_row_that_ran_its_stops():
    stops = [stop for load in MEASURED for stop in recorded(load).names]
    assert len(set(stops)) == len(stops) > 35
    assert set(stops) == {stop for system in zoo.SYSTEMS for stop in system.stops}
    without = {
        system.name for system in zoo.SYSTEMS if system.status == zoo.RUN and not system.stops
    }
    assert without == {"torch.compile"}, (
        "it leaves no file: the page judges its outputs beside its cache"
    )


def unsorted(names):
    """Those that no row of the table answers to, and that are not known to be something else."""
    rows = set().union(*(system.names for system in zoo.SYSTEMS))
    return names - rows - set(" ".join(source_names.OTHERS.values()).split())


def test_every_system_that_the_texts_name_has_its_row():
    assert len({system.name for system in zoo.SYSTEMS}) == len(zoo.SYSTEMS)
    assert (
        source_names.in_diagram() >= {"PyTorch", "State dicts", "GGUF", "XLA", "vLLM", "TGI"}
        and len(source_names.in_diagram()) == 19
    )
    assert source_names.in_table() >= {"TorchScript", "SafeTensors"}
    assert source_names.in_prose(claim.statement for claim in ledger()) >= {
        "TVM",
        "Neuron",
        "DirectML",
        "MXNet",
        "Scikit-Learn",
    }
    for names in (
        source_names.in_diagram(),
        source_names.in_table(),
        source_names.in_prose(claim.statement for claim in ledger()),
    ):
        assert not unsorted(names), (
            "give it a row in workbench/formatlab/models/zoo/systems.py, or a place in tests/source_names.py"
        )


def test_a_name_without_a_row_is_found_wherever_it_stands():
    diagram = source_names.LANDSCAPE.replace("TensorRT", "Glow")
    table = source_names.LANDSCAPE.replace("| TorchScript |", "| NNEF |")
    assert unsorted(source_names.in_diagram(diagram)) == {"Glow"}
    assert unsorted(source_names.in_table(table)) == {"NNEF"}
    assert unsorted(
        source_names.in_prose(["ONNX is run by Glow. Deploy it on TensorRT, or with MNN."])
    ) == {"Glow", "MNN"}


def test_rows_say_what_happened():
    sections = anchors(ZOO)
    for system in zoo.SYSTEMS:
        if system.status == zoo.DESCRIBED:
            assert (
                system.where.startswith("https://") and len(system.says) > 40 and not system.stops
            ), system.name
        else:
            assert system.where in sections and system.opening and not system.says, system.name
    [table] = [
        output.data["text/plain"]
        for section, cell in cells_by_section()
        if section == "the-table"
        for output in cell.outputs
    ]
    lines = [re.split(r" {2,}", line)[:2] for line in table.splitlines()[1:]]
    assert lines == [[system.name, system.status] for system in zoo.SYSTEMS]


RUNS_CODE = re.compile("anything|runs it|can run|can write")


@pytest.mark.parametrize("system", zoo.SYSTEMS, ids=lambda system: system.name)
def test_what_a_row_says_about_opening_is_what_its_hostile_files_did(system):
    found = {each.what: each.ran for each in zoo.opened()}
    ran = {found[what] for what in system.tried}
    assert ("runs nothing" in system.opening, bool(RUNS_CODE.search(system.opening))) == (
        "nothing ran" in ran,
        "CODE RAN" in ran,
    )
    assert ran or system.status == zoo.DESCRIBED or system.name == "torchax", (
        "no hostile file was opened"
    )


def test_the_hostile_files_are_those_of_the_page_with_locked_versions():
    [table] = [
        output.data["text/plain"]
        for section, cell in cells_by_section()
        if "findings, indent" in cell.source
        for output in cell.outputs
    ]
    assert [re.split(r" {2,}", line) for line in table.splitlines()[1:]] == [
        list(each) for each in zoo.opened()
    ]
    assert {each.tried_with for each in zoo.opened()} <= {
        f"{name} {version}" for name, version in locked().items()
    }


def test_every_system_of_the_page_ends_with_what_it_is_for():
    """From the first format to the last, each section says once what opening runs, what it is for
    and what it is not for.
    """
    text = "\n\n".join(cell.source for cell in read(ZOO).cells if cell.cell_type == "markdown")
    sections = re.split(
        r"^### ", text.partition("## Build")[2].partition("### Not run here")[0], flags=re.MULTILINE
    )[1:]
    assert len(sections) > 18
    for section in sections:
        ends = re.findall(r"^- \*\*(Opening|For|Not for):\*\* \S", section, re.MULTILINE)
        assert ends == ["Opening", "For", "Not for"], section[:40]


def test_cells_have_twenty_lines_at_most():
    assert max(len(cell.source.splitlines()) for _, cell in cells_by_section()) <= 20


def test_every_described_row_links_to_its_source_on_the_page():
    prose = "\n".join(cell.source for cell in read(ZOO).cells if cell.cell_type == "markdown")
    assert {system.where for system in zoo.SYSTEMS if system.status == zoo.DESCRIBED} <= set(
        re.findall(r"\]\((https://[^)]+)\)", prose)
    )


@cache
def shown(path):
    """What the cells of each section printed or showed."""
    found = {}
    for section, cell in cells_by_section(path):
        said = (
            output.get("text") or output.get("data", {}).get("text/plain", "")
            for output in cell.outputs
        )
        found[section] = found.get(section, "") + "".join(said)
    return found


@pytest.mark.parametrize("way", landscape.RUN, ids=" - ".join)
def test_a_solid_line_of_the_map_ends_in_a_verdict(way):
    page, section = landscape.RUN[way].split("#")
    assert re.search(r"\b(same|close)\b", shown(ZOO.parent / f"{page}.ipynb")[section])


def test_a_dashed_line_of_the_map_has_a_row_that_says_so():
    status = {system.name: system.status for system in zoo.SYSTEMS}
    assert {status[row] for row in landscape.BEYOND.values()} <= {zoo.CONVERTED, zoo.DESCRIBED}
    assert not landscape.RUN.keys() & landscape.BEYOND.keys()


def choices():
    lines = [
        line.strip("| ").split(" | ")
        for line in CHOICES.read_text(encoding="utf-8").splitlines()
        if line.startswith("| ")
    ]
    return lines[1:]


@pytest.mark.parametrize("choice", choices(), ids=" - ".join)
def test_a_choice_is_a_way_on_the_map_and_says_truly_whether_it_ran(choice):
    start, runtime, kept, _, proof = choice
    ways = {(a, b): runs for a, b, runs in zoo.LINKS}
    assert (start, kept) in ways and (kept, runtime) in ways
    kind, target = re.fullmatch(r"\[(\w+)\]\((.+)\)", proof).groups()
    assert (kind == "run") == (ways[start, kept] and ways[kept, runtime])
    assert target.startswith("https://") == (kind == "described")
    if kind != "described":
        assert target.partition("#")[2] in anchors(ZOO)
