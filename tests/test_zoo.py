"""What notebooks 01 and 08 of Day 50 stand on: a model carried through formats, harmless hostile
files, the map, timing.
"""

import pickle
import xml.etree.ElementTree as ElementTree
import zipfile

import numpy as np
import pytest

from formatlab import measure, show
from formatlab.models import zoo

SVG = "{http://www.w3.org/2000/svg}"
NOISE = 1e-5


@pytest.fixture
def expected():
    """Outputs of six images for four classes, each image another largest one."""
    return np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)


@pytest.fixture
def exact(expected):
    """The float64 run: the float32 original is off by `NOISE` of its largest number."""
    exact = expected.astype(np.float64)
    exact.flat[3] += NOISE * np.abs(expected).max()
    return exact


@pytest.fixture
def journey(expected, exact):
    return zoo.Journey(np.arange(6, dtype=np.float32), expected, exact)


def written(folder, name, size):
    path = folder / name
    path.write_bytes(bytes(size))
    return path


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (lambda y: y, "same"),
        (lambda y: y + 2.5 * NOISE * np.abs(y).max(), "same"),
        (lambda y: y + 5.5 * NOISE * np.abs(y).max(), "close"),
        (lambda y: y.astype(np.float16).astype(np.float32), "close"),
        (lambda y: -y, "other"),
        (lambda y: y[:, :3], "shape"),
        (lambda y: np.where(y == y.max(), np.nan, y), "nan"),
    ],
)
def test_outputs_are_judged_against_float64_and_then_by_the_labels(
    expected, exact, change, verdict
):
    assert zoo.judge(change(expected), expected, exact) == verdict


def test_a_stop_is_loaded_anew_and_a_second_run_of_its_cell_replaces_it(
    journey, expected, tmp_path
):
    path = written(tmp_path, "a.bin", 10)
    journey.add("a", [path], lambda: lambda images: -expected, "weights")
    stop = journey.add("a", [path, path], lambda: lambda images: expected, "weights")
    assert (str(stop), stop.size, journey.stops) == ("a: same; stores weights", 20, [stop])
    with pytest.raises(ZeroDivisionError):
        journey.add("b", [path], lambda: 1 / 0, "weights")


def test_measured_gives_ratios_to_the_weights_and_to_the_first_stop(journey, expected, tmp_path):
    for name, size in {"small": 100, "large": 300}.items():
        journey.add(
            name,
            [written(tmp_path, name, size)],
            lambda: lambda images: expected[: len(images)],
            "weights",
        )
    ratios = journey.measured(rounds=3, weights=200)
    assert ratios["bytes"] == {"small": 0.5, "large": 1.5}
    assert list(ratios) == ["bytes", "load", "one image", "64 images"]
    assert all(
        ratios[title]["small"] == 1 and ratios[title]["large"] > 0 for title in list(ratios)[1:]
    )


def test_a_marker_says_once_that_its_pickle_was_opened(tmp_path):
    marker = zoo.Marker(tmp_path / "opened")
    data = pickle.dumps(marker)
    assert not marker.ran()
    pickle.loads(data).close()
    assert (marker.ran(), marker.ran()) == (True, False)


def test_one_member_of_an_archive_is_replaced_and_no_other(tmp_path):
    source, target = tmp_path / "a.zip", tmp_path / "b.zip"
    with zipfile.ZipFile(source, "w") as archive:
        for name in ("x/one.pt", "x/two.pt", "x/three.json"):
            archive.writestr(name, name)
    zoo.replace_member(source, target, "two.pt", b"new")
    with zipfile.ZipFile(target) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            "x/one.pt": b"x/one.pt",
            "x/two.pt": b"new",
            "x/three.json": b"x/three.json",
        }
    for suffix, count in ((".pt", 2), (".bin", 0)):
        with pytest.raises(ValueError, match=f"a.zip has {count} members"):
            zoo.replace_member(source, target, suffix, b"")


def test_a_listing_names_a_file_or_all_below_a_folder_with_their_bytes(tmp_path):
    (tmp_path / "inner").mkdir()
    for name, size in {"b.bin": 5, "inner/a.bin": 1200}.items():
        written(tmp_path, name, size)
    assert zoo.listing(tmp_path) == "   5  b.bin\n1200  inner/a.bin"
    assert zoo.listing(tmp_path / "b.bin") == "5  b.bin"
    assert zoo.listing(tmp_path, "*.bin") == "5  b.bin"
    assert [path.name for path in zoo.files(tmp_path)] == ["b.bin", "a.bin"]


def test_a_row_shows_the_verdicts_of_its_stops_once_each_and_misses_none(
    journey, expected, exact, tmp_path
):
    path = written(tmp_path, "a.bin", 10)
    for name, change in {"a": 0, "b": 10, "c": 0}.items():
        journey.add(name, [path], lambda change=change: lambda images: expected + change, "weights")
    row = zoo.System(name="x", status=zoo.RUN, where="x", stops=("a", "b", "c"))
    assert zoo.verdicts(row, journey) == "same, close"
    other = zoo.Journey(["a sentence"], expected, exact)
    other.add("e", [path], lambda: lambda sentences: -expected, "weights")
    assert (
        zoo.verdicts(
            zoo.System(name="x", status=zoo.RUN, where="x", stops=("a", "e")), journey, other
        )
        == "same, other"
    )
    with pytest.raises(KeyError, match="d"):
        zoo.verdicts(zoo.System(name="y", status=zoo.RUN, where="y", stops=("d",)), journey)


def test_the_map_joins_neighbouring_columns_and_leaves_nothing_alone():
    columns = list(zoo.STACKS.values())
    place = {name: number for number, names in enumerate(columns) for name in names}
    assert len(place) == sum(map(len, columns))
    assert all(place[end] == place[start] + 1 for start, end, _ in zoo.LINKS)
    assert {name for start, end, _ in zoo.LINKS for name in (start, end)} == set(place)


def test_a_map_is_drawn_and_told():
    drawing = show.columns(
        "How", {"from": ["a", "b<c"], "to": ["x"]}, [("a", "x", True), ("b<c", "x", False)]
    )
    assert drawing.text == "a -> x\nb<c -> (x)"
    assert drawing.description == "How. a -> x. b<c -> (x)."
    root = ElementTree.fromstring(drawing.svg)
    assert [text.text for text in root.iter(f"{SVG}text")] == ["from", "a", "b<c", "to", "x"]
    assert ["stroke-dasharray" in path.attrib for path in root.iter(f"{SVG}path")] == [False, True]
    assert 'alt="How. a -&gt; x.' in drawing._repr_mimebundle_()["text/html"]


def test_a_grid_is_a_table_with_headings_and_aligned_text():
    table = show.grid(["name", "ratio"], [("a<b", 0.5), ("longer", "none")])
    assert repr(table) == "name    ratio\na<b     0.50\nlonger  none"
    root = ElementTree.fromstring(table._repr_mimebundle_()["text/html"])
    assert [(cell.get("scope"), cell.text) for cell in root.iter("th")] == [
        ("col", "name"),
        ("col", "ratio"),
        ("row", "a<b"),
        ("row", "longer"),
    ]
    assert [cell.text for cell in root.iter("td")] == ["0.50", "none"]


def test_variants_take_turns_and_every_round_begins_with_another():
    calls = []
    taken = measure.interleaved(
        {name: lambda name=name: calls.append(name) for name in "abc"}, rounds=4
    )
    assert "".join(calls) == "aabbcc" + "bbccaa" + "ccaabb" + "aabbcc"
    assert {name: len(seconds) for name, seconds in taken.items()} == {"a": 4, "b": 4, "c": 4}
    assert all(seconds >= 0 for each in taken.values() for seconds in each)


def test_the_first_call_of_a_turn_is_not_counted(monkeypatch):
    now, costs = [0.0], iter([100.0, 1.0])
    monkeypatch.setattr("time.perf_counter", lambda: now[0])

    def call():
        now[0] += next(costs)

    assert measure.interleaved({"a": call}, rounds=1) == {"a": [1.0]}


def test_the_card_names_the_machine_and_the_versions():
    card = measure.device_card(["torch", "onnxruntime", "no-such-package"])
    facts = dict(fact.split(" ", 1) for fact in card.split("; "))
    assert list(facts) == [
        "CPU",
        "cores",
        "OMP_NUM_THREADS",
        "system",
        "Python",
        "torch",
        "onnxruntime",
        "no-such-package",
    ]
    assert (
        facts["no-such-package"] == "not installed"
        and facts["torch"][0].isdigit()
        and facts["onnxruntime"][0].isdigit()
    )
    assert int(facts["cores"]) > 0 and facts["CPU"]
