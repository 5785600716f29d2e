"""The search: what people type finds the section that answers it, among the first three.

The answers are sections of the sources, by their anchors. One that was renamed or cut is left out, and
the test says so if a question has none left.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.site.browsing import watched

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.xdist_group("site")
FIRST = 3

# Each question with the sections that answer it, as judged from the list of sections. The search was
# tuned on these.
FORTY = {
    "external data 2GB": [
        "notebooks/day-50/02-inside-an-onnx-file.html#external-data",
        "notebooks/day-50/11-above-two-gigabytes.html",
        "notebooks/day-50/11-above-two-gigabytes.html#the-recipe",
        "notebooks/day-50/11-above-two-gigabytes.html#ideas",
        "notebooks/day-50/11-above-two-gigabytes.html#paths-and-messages",
        "notebooks/day-50/11-above-two-gigabytes.html#where-the-bytes-lie",
        "notebooks/day-50/03-export.html#external-data",
        "docs/students.html#external-data-path-does-not-exist-or-data-of-tensorproto-tensor-name-should-be-stored-in-data-but-it-is-not-regular-file",
    ],
    "model too large protobuf 2GB": [
        "notebooks/day-50/02-inside-an-onnx-file.html#external-data",
        "notebooks/day-50/11-above-two-gigabytes.html",
        "notebooks/day-50/11-above-two-gigabytes.html#the-recipe",
        "notebooks/day-50/11-above-two-gigabytes.html#ideas",
        "notebooks/day-50/11-above-two-gigabytes.html#baseline",
        "notebooks/day-50/11-above-two-gigabytes.html#paths-and-messages",
        "notebooks/day-50/03-export.html#external-data",
    ],
    "tolerance rtol atol": [
        "docs/same-function.html",
        "docs/same-function.html#why-float64",
        "docs/same-function.html#what-the-ten-lines-decide",
        "notebooks/day-50/line-2-prove.html#why-float64-decides",
        "notebooks/day-50/line-2-prove.html#the-recipe",
        "notebooks/day-50/01-format-landscape.html#when-outputs-are-the-same",
        "notebooks/day-50/04-validation-ladder.html#parity",
        "notebooks/day-50/05-graph-surgery.html#proving-equivalence",
        "docs/same-function.html#in-place-of-rtol-and-atol",
    ],
    "pkl security": [
        "notebooks/day-50/07-safetensors.html#pickle",
        "notebooks/day-50/01-format-landscape.html#opening-a-file",
        "notebooks/day-50/08-the-zoo.html#opening-a-stranger-s-file",
    ],
    "rounding or bug": [
        "docs/same-function.html",
        "docs/same-function.html#why-float64",
        "docs/same-function.html#what-the-ten-lines-decide",
        "notebooks/day-50/line-2-prove.html#why-float64-decides",
        "docs/why.html",
        "docs/same-function.html#in-place-of-rtol-and-atol",
    ],
    "how to compare two onnx models": [
        "docs/diff.html",
        "docs/diff.html#do-they-compute-the-same",
        "docs/diff.html#how-nodes-find-one-another",
        "docs/diff.html#what-it-says",
        "docs/diff.html#beside-what-people-use-today",
        "docs/same-function.html",
        "docs/same-function.html#the-library",
        "docs/same-function.html#what-the-ten-lines-decide",
        "docs/why.html",
    ],
    "onnx model output different from pytorch": [
        "notebooks/day-50/line-2-prove.html",
        "notebooks/day-50/line-2-prove.html#why-float64-decides",
        "notebooks/day-50/line-2-prove.html#what-each-call-notices",
        "docs/same-function.html",
        "docs/same-function.html#what-the-ten-lines-decide",
        "docs/same-function.html#why-float64",
        "notebooks/day-50/04-validation-ladder.html",
        "notebooks/day-50/04-validation-ladder.html#parity",
        "notebooks/day-50/line-3-ship.html#a-file-in-training-mode",
        "notebooks/day-50/01-format-landscape.html#when-outputs-are-the-same",
        "docs/why.html",
    ],
    "onnx dynamic batch": [
        "notebooks/day-50/03-export.html#dynamic-dimensions",
        "notebooks/lab-7-01/06-interview.html#dynamic-axes",
        "notebooks/day-50/line-1-export.html#open-axes",
        "notebooks/day-50/10-dynamic-shapes.html",
        "notebooks/day-50/10-dynamic-shapes.html#two-steps",
        "notebooks/day-50/10-dynamic-shapes.html#the-recipe",
        "notebooks/day-50/10-dynamic-shapes.html#what-each-declaration-refuses",
        "notebooks/day-50/10-dynamic-shapes.html#an-example-of-one-row",
    ],
    "per channel quantization": [
        "notebooks/lab-7-01/04-int8.html#per-channel",
        "notebooks/lab-7-01/04a-int8-arithmetic.html#a-scale-for-each-channel",
    ],
    "onnx checker error": [
        "notebooks/day-50/04-validation-ladder.html#checker",
        "notebooks/day-50/04-validation-ladder.html#full-check",
        "museum.html#the-checker-refuses-it",
        "museum.html#the-full-check-refuses-it",
    ],
    "is it rounding or a bug?": [
        "docs/same-function.html",
        "docs/same-function.html#why-float64",
        "docs/same-function.html#what-the-ten-lines-decide",
        "notebooks/day-50/line-2-prove.html#why-float64-decides",
        "docs/why.html",
        "docs/same-function.html#in-place-of-rtol-and-atol",
    ],
    "kv cache onnx": [
        "notebooks/day-50/09-a-decoder.html",
        "notebooks/day-50/09-a-decoder.html#one-step-with-its-cache",
        "notebooks/day-50/09-a-decoder.html#the-recipe",
        "notebooks/day-50/09-a-decoder.html#the-loop",
        "labs/day-50/cache.html",
        "labs/day-50/cache.html#ideas",
        "labs/day-50/cache.html#build",
        "docs/glossary.html",
    ],
    "slower than fp32": [
        "notebooks/lab-7-01/04-int8.html#why-is-int8-slower",
        "notebooks/lab-7-01/03-fp16.html#where-fp16-is-fast",
    ],
    "install": [
        "docs/students.html#install",
        "docs/instructors.html#get-the-command",
    ],
    "output different from pytorch": [
        "notebooks/day-50/line-2-prove.html",
        "notebooks/day-50/line-2-prove.html#why-float64-decides",
        "docs/same-function.html",
        "docs/same-function.html#what-the-ten-lines-decide",
        "docs/same-function.html#why-float64",
        "notebooks/day-50/04-validation-ladder.html",
        "notebooks/day-50/04-validation-ladder.html#parity",
        "notebooks/day-50/01-format-landscape.html#when-outputs-are-the-same",
        "docs/why.html",
    ],
    "compare two models": [
        "docs/diff.html",
        "docs/diff.html#do-they-compute-the-same",
        "docs/diff.html#how-nodes-find-one-another",
        "docs/diff.html#what-it-says",
        "docs/same-function.html",
        "docs/same-function.html#the-library",
        "docs/same-function.html#what-the-ten-lines-decide",
        "notebooks/lab-7-01/02-honest-benchmarks.html#one-comparison",
        "docs/why.html",
    ],
    "rtol atol": [
        "docs/same-function.html",
        "docs/same-function.html#why-float64",
        "docs/same-function.html#what-the-ten-lines-decide",
        "notebooks/day-50/line-2-prove.html#why-float64-decides",
        "notebooks/day-50/line-2-prove.html#the-recipe",
        "notebooks/day-50/01-format-landscape.html#when-outputs-are-the-same",
        "notebooks/day-50/04-validation-ladder.html#parity",
        "notebooks/day-50/05-graph-surgery.html#proving-equivalence",
        "docs/same-function.html#in-place-of-rtol-and-atol",
    ],
    "fp16 overflow": [
        "notebooks/lab-7-01/03-fp16.html#overflow",
        "notebooks/lab-7-01/03-fp16.html#range",
        "notebooks/lab-7-01/03-fp16.html#numbers-that-do-not-fit",
        "museum.html#float16-overflow",
        "labs/lab-7-01/fp16.html#part-1-find-what-overflows",
        "labs/lab-7-01/fp16.html#exercise-find-overflow-2-points-35-minutes",
    ],
    "opset version": [
        "notebooks/day-50/02-inside-an-onnx-file.html#opset-imports",
        "notebooks/day-50/02-inside-an-onnx-file.html#versions",
        "notebooks/day-50/line-1-export.html#the-opset",
        "notebooks/day-50/03-export.html#requested-opset",
        "docs/glossary.html",
    ],
    "safetensors vs pickle": [
        "notebooks/day-50/07-safetensors.html#pickle",
        "notebooks/day-50/07-safetensors.html",
        "notebooks/day-50/01-format-landscape.html#opening-a-file",
    ],
    "torchscript deprecated": [
        "notebooks/lab-7-01/05-torchscript.html#deprecation",
        "notebooks/lab-7-01/05-torchscript.html#successors",
        "notebooks/lab-7-01/05-torchscript.html",
    ],
    "export while loop": [
        "notebooks/day-50/03-export.html#loops",
        "notebooks/day-50/03-export.html#control-flow",
        "labs/day-50/control_flow.html",
        "labs/day-50/control_flow.html#ideas",
        "labs/day-50/control_flow.html#exercise-export-branch-and-export-loop-2-points-35-minutes",
        "notebooks/lab-7-01/05-torchscript.html#control-flow-in-onnx",
    ],
    "view graph netron": [
        "notebooks/day-50/02-inside-an-onnx-file.html#netron",
    ],
    "constant folding": [
        "notebooks/lab-7-01/01-export-and-run.html#constant-folding",
        "notebooks/lab-7-01/06-interview.html#folding",
        "notebooks/day-50/12-graphsurgeon.html#folding",
        "labs/lab-7-01/interview.html#folding-1-point",
        "notebooks/day-50/06-optimizers.html#levels",
        "docs/glossary.html",
    ],
    "calibration data": [
        "notebooks/lab-7-01/04-int8.html#calibration",
        "notebooks/lab-7-01/04-int8.html#dynamic-and-static",
        "notebooks/lab-7-01/07-real-networks.html#calibration-and-its-memory",
    ],
    "SQNR": [
        "notebooks/lab-7-01/04-int8.html#sqnr",
        "notebooks/lab-7-01/04a-int8-arithmetic.html#what-a-bit-is-worth",
        "docs/glossary.html",
    ],
    "smoothquant": [
        "notebooks/lab-7-01/04b-transformers.html#smoothquant",
    ],
    "gguf llama.cpp": [
        "notebooks/day-50/08-the-zoo.html#gguf-and-llama-cpp",
    ],
    "warm up benchmark": [
        "notebooks/lab-7-01/02-honest-benchmarks.html#warm-up",
        "docs/measuring.html#the-warm-up",
    ],
    "dropout still in the graph": [
        "notebooks/day-50/05-graph-surgery.html#dropout",
        "notebooks/day-50/03-export.html#training-mode",
        "notebooks/day-50/line-3-ship.html#a-file-in-training-mode",
        "notebooks/day-50/line-3-ship.html#what-it-does",
        "labs/day-50/dropout.html",
        "labs/day-50/dropout.html#ideas-change-what-the-readers-read",
        "museum.html#training-dropout",
        "notebooks/day-50/line-1-export.html#evaluation-mode",
    ],
    "dead nodes": [
        "notebooks/day-50/05-graph-surgery.html#dead-ends",
        "notebooks/day-50/12-graphsurgeon.html#cleaning-and-sorting",
    ],
    "submit assignment": [
        "docs/students.html#submit",
        "docs/students.html#what-decides-your-mark",
    ],
    "late submission": [
        "docs/instructors.html#deadlines-and-late-work",
        "docs/instructors.html#due-dates",
    ],
    "quantize bert": [
        "labs/lab-7-01/int8_dynamic.html",
        "labs/lab-7-01/int8_dynamic.html#build-the-exercise-quantize-bert-2-points-30-minutes",
        "labs/lab-7-01/int8_dynamic.html#baseline",
        "notebooks/lab-7-01/04b-transformers.html",
        "notebooks/lab-7-01/line-2-smaller.html#int8-with-ranges-from-the-activation",
    ],
    "bfloat16": [
        "notebooks/lab-7-01/03-fp16.html#bfloat16",
        "notebooks/day-50/07-safetensors.html#dtypes",
        "docs/glossary.html",
    ],
    "torch.load weights_only unsafe": [
        "notebooks/day-50/07-safetensors.html#pickle",
        "notebooks/day-50/01-format-landscape.html#opening-a-file",
        "notebooks/day-50/08-the-zoo.html#opening-a-stranger-s-file",
    ],
    "int8 accuracy drop which layer": [
        "notebooks/lab-7-01/04-int8.html#layers-in-float",
        "notebooks/lab-7-01/07-real-networks.html#where-it-breaks",
        "notebooks/lab-7-01/07-real-networks.html#why-this-layer",
        "notebooks/lab-7-01/07-real-networks.html#which-kind-of-operator",
        "labs/lab-7-01/int8_static.html#part-3-keep-float",
        "labs/lab-7-01/int8_static.html#exercise-keep-float-2-points-50-minutes",
    ],
    "exported model only works with batch size 1": [
        "notebooks/day-50/10-dynamic-shapes.html",
        "notebooks/day-50/10-dynamic-shapes.html#an-example-of-one-row",
        "notebooks/day-50/10-dynamic-shapes.html#two-steps",
        "notebooks/day-50/03-export.html#dynamic-dimensions",
        "notebooks/lab-7-01/06-interview.html#dynamic-axes",
        "notebooks/day-50/line-1-export.html#open-axes",
        "museum.html#baked-reshape",
        "labs/day-50/mend_export.html#exercise-mend-4-points-70-minutes",
        "labs/day-50/mend_export.html",
    ],
    "np.allclose how small is small enough": [
        "docs/same-function.html",
        "docs/same-function.html#why-float64",
        "docs/same-function.html#what-the-ten-lines-decide",
        "notebooks/day-50/line-2-prove.html#why-float64-decides",
        "notebooks/day-50/01-format-landscape.html#when-outputs-are-the-same",
        "notebooks/day-50/04-validation-ladder.html#parity",
        "notebooks/day-50/05-graph-surgery.html#proving-equivalence",
        "docs/same-function.html#in-place-of-rtol-and-atol",
    ],
    "nan after converting to half": [
        "notebooks/lab-7-01/03-fp16.html#overflow",
        "notebooks/lab-7-01/03-fp16.html#numbers-that-do-not-fit",
        "notebooks/lab-7-01/03-fp16.html#range",
        "notebooks/lab-7-01/03-fp16.html#validity",
        "museum.html#float16-overflow",
        "labs/lab-7-01/fp16.html#part-1-find-what-overflows",
    ],
}
# Questions in a reader's words, written before any search was tried on them. No text was changed for one.
OTHERS = json.loads(Path(__file__).with_name("questions.json").read_text("utf-8"))


def found(built: Path, questions: list[str]) -> list[list[str]]:
    """For each question the addresses that the built search finds, the best first."""
    node = Path(sys.executable).with_name("node")
    done = subprocess.run(
        [node, ROOT / "site" / "search" / "ranking.mjs", built / "_static"],
        input=json.dumps(questions),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return json.loads(done.stdout)


def standing(read, addresses: list[str]) -> set[str]:
    """Those of the addresses that a page still has."""
    split = {each: each.partition("#") for each in addresses}
    return {
        each
        for each, (page, _, anchor) in split.items()
        if page in read and (not anchor or anchor in read[page].ids)
    }


def test_forty_questions_find_their_section_among_the_first_three(built, read):
    lost = [question for question, answers in FORTY.items() if not standing(read, answers)]
    assert lost == [], "these have no section that answers them any more: name the new ones"
    missed = {
        question: first[:FIRST]
        for (question, answers), first in zip(FORTY.items(), found(built, list(FORTY)), strict=True)
        if not standing(read, answers) & set(first[:FIRST])
    }
    assert missed == {}
    assert len(FORTY) == 40


def test_most_questions_in_other_words_find_their_section_too(built, read):
    asked = [(question, standing(read, answers)) for question, answers in OTHERS]
    asked = [(question, answers) for question, answers in asked if answers]
    rows = found(built, [question for question, _ in asked])
    hits = sum(
        bool(right & set(first[:FIRST])) for (_, right), first in zip(asked, rows, strict=True)
    )
    assert len(asked) >= 40
    assert hits / len(asked) > 0.6  # 35 of 48 when this was written


def test_any_word_is_enough_and_a_misspelt_one_is_found(built):
    plain, wordy, misspelt, nothing = found(
        built,
        ["safetensors header", "quxly safetensors header", "safetensros header", "the of and"],
    )
    assert plain[0] == wordy[0]
    assert misspelt[0].startswith("notebooks/day-50/07-safetensors.html")
    assert nothing == []


def test_a_page_fills_two_rows_at_most(built):
    [rows] = found(built, ["dropout"])
    pages = [each.partition("#")[0] for each in rows]
    assert len(pages) > 5
    assert max(map(pages.count, pages)) <= 2


def test_sections_that_are_about_their_page_are_not_rows(built):
    [rows] = found(built, ["recap and next: check yourself, what you learn and need"])
    frame = ("#recap-and-next", "#check-yourself", "#what-you-learn-and-need")
    assert rows
    assert [each for each in rows if each.endswith(frame)] == []


def test_the_search_quotes_the_words_and_marks_them_where_a_row_leads(browser, address):
    with watched(browser, address) as seen:
        seen.page.goto(f"{address}/index.html")
        assert not [url for url in seen.asked if "/search/" in url or "minisearch" in url]
        seen.page.keyboard.press("/")
        seen.page.keyboard.type("external data 2GB")
        seen.page.keyboard.press("Enter")
        rows = seen.page.locator(".results li")
        expect(rows).to_have_count(10)
        expect(rows.first.locator("mark").first).to_be_visible()
        link = rows.first.get_by_role("link")
        anchor = link.get_attribute("href").partition("#")[2]
        link.click()
        section = seen.page.locator(f"[id='{anchor}']")
        expect(section.locator("mark").first).to_be_visible()
        expect(section.locator("mark").first).to_be_in_viewport()
        words = {text.lower() for text in seen.page.locator("mark").all_inner_texts()}
        assert words & {"external", "data", "2 gb", "2gb", "gb"}
        outside = seen.page.locator("mark").count() - section.locator("mark").count()
        assert outside == 0
        assert not seen.wrong


def test_the_search_reads_no_page_and_answers_while_one_types(browser, address):
    with watched(browser, address) as seen:
        seen.page.goto(f"{address}/search.html?q=dropout")
        rows = seen.page.locator(".results li")
        expect(rows).to_have_count(10)
        field = seen.page.get_by_role("searchbox", name="Search", exact=True)
        field.fill("zero point")
        expect(rows.first).to_contain_text("zero point")
        seen.page.get_by_role("button", name="Show more").click()
        expect(rows).to_have_count(20)
        field.fill("xyzzyq")
        expect(seen.page.get_by_role("status")).to_contain_text("No section")
        expect(rows).to_have_count(0)
        assert not [url for url in seen.asked if ".html" in url and "search.html" not in url]
        assert not seen.wrong


def test_the_search_finds_in_pages_opened_as_files(browser, built):
    with watched(browser, "file://") as seen:
        seen.page.goto((built / "search.html").as_uri() + "?q=dropout")
        expect(seen.page.locator(".results li mark").first).to_be_visible()
