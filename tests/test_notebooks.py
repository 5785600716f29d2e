"""The reading notebooks: their outputs come from one clean run, and what they say, link to and show is
there.
"""

import importlib
import json
import re
from base64 import b64decode
from functools import cache
from html import unescape
from importlib.metadata import PackageNotFoundError, version
from itertools import chain

import nbformat
import pytest

from tests.notebook_tools import (
    EXPORTING,
    MACHINE_DEPENDENT,
    METADATA,
    ROOT,
    WRITTEN_TABLE,
    comparable,
    execute,
    folding,
    is_line,
    places,
    read,
    reading_notebooks,
    runnable_notebooks,
    write,
)

INVISIBLE = 0.01  # of a point: less than a picture on any screen shows
FRONT_DOOR = "00-start-here"  # plain packages only
MACHINE = re.compile(
    r"(?<![\w.])/(?:home|root|tmp|usr|Users|work|opt|var|build|github)/|site-packages|0x[0-9a-f]{6,}|127\.0\.0\.1"
)
FENCE = re.compile(r"```.*?```", re.DOTALL)

# What a kernel of the tests runs first, where a page's code has the words.
FIRST = {
    "torch.onnx.export(": [ROOT / "tests" / "exporting_once.py", *EXPORTING],
    "torch._inductor.aoti_compile": [ROOT / "tests" / "compiling_plainly.py"],
}

each_notebook = pytest.mark.parametrize("path", reading_notebooks(), ids=lambda path: path.stem)


def sources(path, kind):
    return [cell.source for cell in read(path).cells if cell.cell_type == kind]


def prose(path):
    return "\n\n".join(FENCE.sub("", source) for source in sources(path, "markdown"))


def headings(path):
    return [
        (len(marks), text) for marks, text in re.findall(r"^(#+) (.+)$", prose(path), re.MULTILINE)
    ]


def anchors(path):
    """The ids that the site gives to headings: lower case, words joined by hyphens. A page in
    Markdown has ids of its own.
    """
    if path.suffix == ".md":
        return set(re.findall(r'<a id="([^"]+)">', path.read_text(encoding="utf-8")))
    return {
        re.sub(r"[^\w\s-]", "", text.lower()).strip().replace(" ", "-")
        for _, text in headings(path)
    }


def outputs_of(cell):
    return [json.dumps(output, sort_keys=True) for output in cell.get("outputs", [])]


def drawn(path):
    """The HTML among a notebook's outputs."""
    outputs = [output for cell in read(path).cells for output in cell.get("outputs", [])]
    return [
        data["text/html"]
        for data in (output.get("data", {}) for output in outputs)
        if "text/html" in data
    ]


def is_machine_dependent(cell):
    return MACHINE_DEPENDENT in cell.metadata.get("tags", [])


def shown(path, everywhere=False):
    """Everything that the notebook prints or draws; `everywhere`: less what it does on one machine
    only.
    """
    cells = [cell for cell in read(path).cells if not (everywhere and is_machine_dependent(cell))]
    return "\n".join(text for cell in cells for text in outputs_of(cell))


def has_a_challenge(path):
    """Pages of a line have none, and the page of cards."""
    return 'print("solved:"' in "\n".join(sources(path, "code"))


def challenge_of(notebook):
    """The place of the challenge's cell, and a cell like it with the stored answer filled in."""
    place = next(
        i
        for i, cell in enumerate(notebook.cells)
        if cell.cell_type == "code" and 'print("solved:"' in cell.source
    )
    [answer] = re.findall(r"```python\n(.*?)```", notebook.cells[place + 1].source, re.DOTALL)
    first, *rest = notebook.cells[place].source.split("\n")
    return place, nbformat.v4.new_code_cell("\n".join([first, answer, *rest]))


@cache
def executed(path):
    """The notebook run once, and after its end the answer to its challenge."""
    notebook = read(path)
    code = "\n".join(sources(path, "code"))
    if has_a_challenge(path):
        notebook.cells.append(challenge_of(notebook)[1])
    first = chain.from_iterable(FIRST[words] for words in FIRST if words in code)
    return execute(notebook, keep=lambda folder: leaves(path, folder), first=list(first))


def leaves(path, folder):
    """A page of a line is run where its reader keeps other things, and leaves there what its text
    says alone.
    """
    if is_line(path):
        left = {file.name for file in folder.iterdir()}
        said = {WRITTEN_TABLE} if path.stem == "line-2-smaller" else set()
        assert left == said, f"{path.stem} leaves other files in the reader's folder than it says"


# All of them run in `make test-all`, each on one worker, once. Between two such runs,
# tests/test_recorded_pages.py holds a page to what it was recorded with.
RUNS = [
    pytest.param(path, id=path.stem, marks=pytest.mark.xdist_group(f"notebook-{path.stem}"))
    for path in runnable_notebooks()
]
each_run = pytest.mark.parametrize("path", RUNS)
each_run_with_a_challenge = pytest.mark.parametrize(
    "path", [run for run in RUNS if has_a_challenge(run.values[0])]
)


@pytest.mark.slow
@each_run
def test_outputs_are_those_of_a_clean_run(path):
    committed = read(path)
    # A run may end with the answer to a challenge.
    of_the_page = executed(path).cells[: len(committed.cells)]
    for was, now in zip(committed.cells, of_the_page, strict=True):
        differ = f"run `python -m tests.notebook_tools`; this cell's outputs differ:\n{was.source}"
        assert comparable(was) == comparable(now), differ
        assert places(was) == pytest.approx(places(now), abs=INVISIBLE), differ
    counts = [cell.execution_count for cell in committed.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))


@pytest.mark.slow
@each_run_with_a_challenge
def test_the_stored_answer_solves_the_challenge(path):
    notebook = read(path)
    assert "solved: False" in str(notebook.cells[challenge_of(notebook)[0]].outputs)
    assert "solved: True" in str(executed(path).cells[-1].outputs)


@each_notebook
def test_metadata_says_nothing_about_the_run(path):
    notebook = read(path)
    assert (notebook.nbformat, notebook.metadata) == (4, METADATA)
    assert all(
        cell.metadata in ({}, {"tags": [MACHINE_DEPENDENT]}, *drawing()) for cell in notebook.cells
    )
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    assert not MACHINE.search(shown(path))
    assert path.stat().st_size < 1_000_000


def drawing():
    """The metadata of cells that only draw or set up: their reader need not know how a picture is
    made, or what an earlier part has shown.
    """
    return [
        {"tags": [*tags, "hide-input"], "jupyter": {"source_hidden": True}}
        for tags in ([], [MACHINE_DEPENDENT])
    ]


def predictions(path):
    """The cells that measure what a reader was asked to predict."""
    cells = read(path).cells
    return [
        cells[i + 1]
        for i, cell in enumerate(cells)
        if cell.cell_type == "markdown" and "**Predict.**" in cell.source
    ]


@each_notebook
def test_a_prediction_has_a_place_before_its_measurement_and_a_folded_outcome(path):
    compares = (
        'print("you said", my_guess, "| found' if path.stem == FRONT_DOOR else "compare(my_guess, "
    )
    for cell in predictions(path):
        assert re.match(r'my_guess = (?:\.{3}|"\.{3}")  # your prediction', cell.source), (
            cell.source
        )
        assert f"\n{compares}" in cell.source, cell.source


@each_notebook
def test_the_file_holds_no_open_outcome_of_a_prediction(path):
    """A code host shows stored outputs whole; only `<details>` keeps an answer back there."""
    stored = nbformat.read(path, as_version=4)
    open_ones = [
        cell.source
        for cell in stored.cells
        if folding.is_prediction(cell)
        for output in cell.outputs
        if not output.get("data", {}).get("text/html", "").startswith("<details>")
    ]
    assert not open_ones
    assert folding.fold(read(path)) == stored


def test_writing_a_page_folds_the_file_and_not_the_notebook(tmp_path):
    """What is recorded of a run after the page was written is of the outputs as they were."""
    [page] = [path for path in reading_notebooks() if path.stem == "06-optimizers"]
    notebook = read(page)
    write(tmp_path / page.name, notebook)
    assert notebook == read(page)
    assert (tmp_path / page.name).read_bytes() == page.read_bytes()


IMAGE = re.compile(
    r"""<img [^>]*?alt=(?:"([^"]*)"|'([^']*)') src="data:image/svg\+xml;base64,([^"]+)"[^>]*>(<figcaption>)?"""
)


@pytest.mark.parametrize(
    "path",
    [path for path in reading_notebooks() if path.stem != FRONT_DOOR],  # its pictures are its own
    ids=lambda path: path.stem,
)
def test_each_picture_shows_the_title_that_its_alternative_text_begins_with(path):
    """A title that only stands in the alternative text, or inside an SVG as `<title>`, is read
    aloud and never seen.
    """
    hidden = []
    for *alternatives, picture, caption in IMAGE.findall("\n".join(drawn(path))):
        title = unescape("".join(alternatives)).split(". ")[0].rstrip(".")
        texts = re.findall(r">([^<>]+)</text>", b64decode(picture).decode())
        if not caption and title not in unescape(" ".join(texts)):
            hidden.append(title)
    assert not hidden


@each_notebook
def test_a_page_has_one_title_and_its_headings_one_address_each(path):
    levels = [level for level, _ in headings(path)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert len(anchors(path)) == len(levels), "two headings have one id"
    assert prose(path).count("<details>") == prose(path).count("</details>")


# A link ahead, for a reader who is not there for the ideas.
RECIPE_ELSEWHERE = "**If you only came for the recipe:**"
# The map of the course, whose numbers `make generate` counts.
MAP = re.compile(r"^!\[Map of .*?</details>", re.MULTILINE | re.DOTALL)
# The line that says where on the map of the course a page is.
YOU_ARE_HERE = re.compile(r"^\*\*You are here:\*\* .*$", re.MULTILINE)


@each_notebook
def test_the_versions_that_a_page_was_verified_with_are_those_installed(path):
    first = read(path).cells[0].source
    verified = dict(re.findall(r"([\w-]+) (\d+(?:\.\d+)+)", first.split("Last verified with")[1]))
    assert verified == {name: installed(name) for name in verified}


def test_the_front_door_needs_nothing_of_this_course():
    [page] = [path for path in reading_notebooks() if path.stem == FRONT_DOOR]
    assert "formatlab" not in "\n".join(sources(page, "code"))


def installed(name):
    for candidate in (name, f"{name}-gpu"):
        try:
            return version(candidate).partition("+")[0]
        except PackageNotFoundError:
            continue
    return None


@each_notebook
def test_no_number_in_prose_that_the_page_does_not_show(path):
    page = shown(path, everywhere=True) + "\n".join(sources(path, "code"))
    body = "\n\n".join(FENCE.sub("", source) for source in sources(path, "markdown")[1:])
    body = re.sub(r"\[[^\]]*\]\(https://[^)]*\)", "", body)  # a source may have a year in its name
    body = MAP.sub("", body)
    body = re.sub(
        r"Day 50|notebook \d\d|^\d\. |\*\*\d\.\*\*|\]\([^)]*\)", "", body, flags=re.MULTILINE
    )
    unknown = {
        number
        for number in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?!\w)", body)
        if not re.search(rf"(?<![\d.]){number}(?!\d)", page)
    }
    assert not unknown


@each_notebook
def test_what_a_cell_prints_is_not_blank(path):
    """A command whose output is shown, and that has not run, leaves an empty line."""
    blank = [
        cell.source
        for cell in read(path).cells
        for output in cell.get("outputs", [])
        if output.output_type == "stream" and not output.text.strip()
    ]
    assert not blank


@each_notebook
def test_pictures_and_frames_have_words(path):
    kinds = {
        kind
        for cell in read(path).cells
        for output in cell.get("outputs", [])
        for kind in output.get("data", {})
    }
    assert kinds <= {"text/html", "text/plain"}, (
        "a picture is an HTML image, since nothing else keeps its description everywhere"
    )
    html = "\n".join([*sources(path, "markdown"), *drawn(path)])
    alts = [
        *re.findall(r"!\[([^\]]*)\]\(", prose(path)),
        *("".join(re.findall(r'\salt="([^"]*)"', tag)) for tag in re.findall(r"<img[^>]*>", html)),
    ]
    assert all(alt.strip() for alt in alts)
    assert all("title=" in frame for frame in re.findall(r"<iframe[^>]*>", html))


def comes_later(page, path):
    """A day begins with its line, and the other pages of the day are the line's side roads."""
    if page.parent.name == path.parent.name and is_line(page) != is_line(path):
        return False
    return (page.parent.name, page.name) > (path.parent.name, path.name)


@each_notebook
def test_links_lead_somewhere_and_not_ahead(path):
    cells = sources(path, "markdown")
    for number, cell in enumerate(cells):
        for target in re.findall(r"\]\(([^)]+)\)", cell):
            if target.startswith("https://"):  # a primary source; the tests have no network
                continue
            file, _, anchor = target.partition("#")
            page = path.parent / file if file else path
            assert page.is_file(), target
            assert not anchor or anchor in anchors(page), target
            is_page = page.suffix == ".ipynb"  # the others are pictures
            is_ahead = path.stem == FRONT_DOOR or (is_page and comes_later(page, path))
            # The front door's first cell shows the line to readers who have one evening.
            is_led_onto_the_line = path.stem == FRONT_DOOR and number == 0 and is_line(page)
            is_last = number == len(cells) - 1
            to_a_recipe = cell.startswith(RECIPE_ELSEWHERE)
            on_the_map = any(target in line for line in YOU_ARE_HERE.findall(cell))
            assert not is_ahead or is_led_onto_the_line or is_last or to_a_recipe or on_the_map, (
                f"{target} lies ahead"
            )


def referred_sections():
    """Every notebook#section that an exercise sends a student to, or that a lab links to."""
    found = set()
    for module in sorted((ROOT / "exercises").glob("*/judge/*.py")):
        for anchor in re.findall(r"PAGE\}#([\w-]+)", module.read_text(encoding="utf-8")):
            found.add((page_of(module.parent.parent), anchor))
    for lab in [*ROOT.glob("solutions/*/*.ipynb"), *ROOT.glob("labs/*/*.ipynb")]:
        text = "\n".join(cell.source for cell in nbformat.read(lab, as_version=4).cells)
        found |= set(re.findall(r"notebooks/([\w-]+/[\w-]+)\.ipynb#([\w-]+)", text))
    return sorted(found)


def page_of(exercise):
    """The notebook that an exercise's findings name, from whichever of its modules holds the name."""
    for module in sorted(exercise.glob("judge/*.py")):
        page = getattr(
            importlib.import_module(f"formatlab_exercises.{exercise.name}.judge.{module.stem}"),
            "PAGE",
            None,
        )
        if page:
            return page
    raise LookupError(f"no module of the exercise {exercise.name} has a PAGE")


def test_sections_that_students_are_sent_to_exist():
    referred = referred_sections()
    assert len(referred) > 10
    for page, anchor in referred:
        path = ROOT / "notebooks" / f"{page}.ipynb"
        assert path.is_file(), page
        assert anchor in anchors(path), f"{page}#{anchor}"
