"""The line of Lab 7-01: three pages and a lab that carry MiniLM through an evening, and the table
that grows on them.
"""

import json
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formatlab import measure, retrieval, running_table
from formatlab.models import fixtures
from formatlab.running_table import Row, Time
from tests.notebook_tools import NOTEBOOKS, ROOT, TABLE, read

FOLDER = NOTEBOOKS / "lab-7-01"
PAGES = [
    FOLDER / f"{name}.ipynb"
    for name in ("line-1-run-and-measure", "line-2-smaller", "line-3-decide")
]
LAB = ROOT / "labs" / "lab-7-01" / "int8_dynamic.ipynb"
CONTROL = "INT8 static, all"


def shown(path):
    """What the page's cells print and display, as text."""
    outputs = [output for cell in read(path).cells for output in cell.get("outputs", [])]
    texts = [output.get("text") or output["data"]["text/plain"] for output in outputs]
    return "\n".join(texts)


def prose(path):
    return "\n\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")


def test_each_part_leads_to_the_next_and_the_line_to_its_lab():
    for page, following in zip(PAGES, [*PAGES[1:], LAB], strict=True):
        [said] = re.findall(r"^Next: .*$", prose(page), re.MULTILINE)
        [target] = re.findall(r"\]\(([^)]+)\)", said)
        assert (FOLDER / target).resolve() == following
    assert "labs/lab-7-01/int8_dynamic.ipynb" in prose(PAGES[1])


def test_part_3_reads_the_table_that_part_2_shows():
    assert TABLE.read_text("utf-8") == running_table.RECORDED.read_text("utf-8")
    about, rows = running_table.recorded()
    table = str(running_table.table(rows))
    assert table in shown(PAGES[1]) and table in shown(PAGES[2])
    assert about["date"] in shown(PAGES[2]) and about["device"] in shown(PAGES[2])


def test_part_3_shows_the_intervals_that_another_implementation_finds():
    """And they refuse the file that must fail, and no file that is as good as float32."""
    _, [base, *others] = running_table.recorded()
    places = np.random.default_rng(0).integers(len(base.ranks), size=(4000, len(base.ranks)))
    scores = {row.variant: 1 / np.array(row.ranks) for row in others}
    found = retrieval.changes(scores, 1 / np.array(base.ranks), places)
    for name, interval in found.items():
        assert "{:+.3f} ({:+.3f} to {:+.3f})".format(*interval) in shown(PAGES[2]), name
    assert found[CONTROL][2] < 0
    near = [row.variant for row in others if row.error < 0.05]
    assert {"FP16", "8-bit weights"} <= set(near)
    assert all(found[name][1] <= 0 <= found[name][2] for name in near)


def test_the_ruined_file_looks_like_the_best_one_but_for_its_error_and_its_score():
    _, rows = running_table.recorded()
    by_name = {row.variant: row for row in rows}
    ruined, dynamic = by_name[CONTROL], by_name["INT8 dynamic"]
    assert abs(ruined.megabytes / dynamic.megabytes - 1) < 0.02
    assert ruined.error > 0.5 > 2 * dynamic.error and ruined.mrr < dynamic.mrr < 1
    assert all(len(row.ranks) == len(row.margins) == len(rows[0].ranks) for row in rows)


def test_the_passport_holds_what_the_table_holds():
    text = shown(PAGES[2])
    passport = json.loads(text[text.index('{\n "file"') : text.index("\n}\n") + 2])
    about, rows = running_table.recorded()
    row = next(each for each in rows if each.variant == "INT8 dynamic")
    assert passport["made"]["by"] == row.how
    assert passport["file"]["megabytes"] == pytest.approx(row.megabytes, abs=0.1)
    assert passport["error against float64"] == pytest.approx(row.error, rel=0.1)
    assert passport["task"]["MRR"] == pytest.approx(row.mrr, abs=1e-3)
    assert passport["time against float32"] == {
        f"{length} tokens": str(time) for length, time in row.times.items()
    }
    assert passport["device"] == about["device"]
    alone = passport["task"]["other rank alone than in a batch of 32"]
    assert alone == f"{row.moved} of {len(row.ranks)} queries" and row.moved
    assert passport["versions"]["onnxruntime"] and len(passport["file"]["sha256"]) == 64


def test_only_dynamic_int8_lets_a_text_depend_on_its_neighbours():
    """By the recorded ranks: float32 is the control."""
    _, rows = running_table.recorded()
    moved = {row.variant: row.moved for row in rows}
    assert moved["float32"] == 0 and moved["INT8 dynamic"] > len(rows[0].ranks) / 10
    assert max(count for name, count in moved.items() if name != "INT8 dynamic") <= 2


def functions(page, *names):
    """Functions of a page, as they stand."""
    found = {"np": np, "onnx": onnx, "Counter": Counter}
    for cell in read(page).cells:
        if cell.cell_type == "code" and any(f"def {name}(" in cell.source for name in names):
            exec(cell.source, found)
    return [found[name] for name in names]


def sized(megabytes, low, high):
    time = Time(ratio=(low + high) / 2, low=low, high=high, told_apart=True)
    return Row(variant="", how="", megabytes=megabytes, error=0, times={16: time})


def test_part_3_does_not_choose_by_a_point_where_intervals_overlap():
    """The smallest of the files that may be the fastest comes first; one that is surely slower is out."""
    [choose] = functions(PAGES[2], "choose")
    files = {
        "large, best point": sized(60, 0.30, 0.50),
        "small, as fast": sized(20, 0.45, 0.60),
        "smaller, surely slower": sized(10, 0.51, 0.70),
        "against the rules": sized(5, 0.10, 0.20),
    }
    rules = {"5 MB are too few": lambda row: row.megabytes > 5}

    def time(row):
        return row.times[16].low, row.times[16].high

    assert choose(files, rules, time) == ["small, as fast", "large, best point"]
    assert choose(files, {"none": lambda row: False}, time) == []


def test_part_2_stores_no_file_with_few_bits_in_its_name_that_has_none(tmp_path):
    """As of a CNN, whose weights belong to Conv and Gemm."""
    _, weights_alone = functions(PAGES[1], "fp16", "weights_alone")  # the first imports
    source, target = tmp_path / "cnn.onnx", tmp_path / "8-bit.onnx"
    source.write_bytes(fixtures.read("digits-cnn"))
    with pytest.raises(ValueError, match=r"nothing was stored in 8 bits.*'Conv': \d.*'Gemm': \d"):
        weights_alone(source, target, 8)
    assert not target.exists()
    source.write_bytes(fixtures.read("bert"))
    left = weights_alone(source, target, 8)
    assert left["Gather"] and target.stat().st_size < source.stat().st_size


NUMBERS = st.floats(0.001, 1000, allow_nan=False)
TIMES = st.builds(Time, ratio=NUMBERS, low=NUMBERS, high=NUMBERS, told_apart=st.booleans())
ROWS = st.builds(
    Row,
    variant=st.text(max_size=20),
    how=st.text(max_size=20),
    megabytes=NUMBERS,
    error=NUMBERS,
    ranks=st.lists(st.integers(1, 300), max_size=5),
    margins=st.lists(st.floats(-2, 2), max_size=5),
    moved=st.none() | st.integers(0, 300),
    times=st.dictionaries(st.integers(1, 512), TIMES, max_size=3),
)


@given(st.lists(ROWS, max_size=4), st.dictionaries(st.text(max_size=5), st.text(max_size=5)))
def test_a_table_is_read_as_it_was_written(rows, about):
    keys = {f"_{name}": value for name, value in about.items()}
    assert running_table.from_text(running_table.to_text(rows, **keys)) == (keys, rows)


def test_a_table_grows_and_has_dashes_where_nothing_is_measured():
    time = Time(ratio=0.5, low=0.4, high=0.6, told_apart=True)
    row = Row(variant="half", how="", megabytes=45.2, error=0.001)
    assert str(running_table.table([row])).splitlines()[1].split() == [
        "half",
        "45.2",
        "0.1",
        "%",
        "-",
        "-",
        "-",
        "-",
    ]
    row = replace(
        row, ranks=[1, 2], moved=1, times={16: time, 128: replace(time, told_apart=False)}
    )
    [_, line] = str(running_table.table([row])).splitlines()
    assert re.search(r" 0\.750  1 of 2 +0\.50 \(0\.40 to 0\.60\)  ", line)
    assert line.endswith("0.50 (0.40 to 0.60), not told apart")


def test_a_time_is_told_apart_as_the_measurement_says():
    results = measure.recorded("minilm-batch-1-cpu")
    for name in results.names[1:]:
        time = Time.of(results, name)
        assert time.told_apart == results.told_apart(name)
        assert time.low <= time.ratio == results.ratio(name).value <= time.high


def test_texts_to_calibrate_on_are_the_same_in_batches_and_then_padded():
    alone, batches = retrieval.held_out(), retrieval.held_out(size=8)
    kept = [row[mask == 1] for each in batches for row, mask in zip(*each.values(), strict=True)]
    assert len(kept) == len(alone)
    for one, row in zip(alone, kept, strict=True):
        assert one["input_ids"][0].tolist() == row.tolist()
    assert all((each["attention_mask"] == 1).all() for each in alone)
    assert any((each["attention_mask"] == 0).any() for each in batches)
