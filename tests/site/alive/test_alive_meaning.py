"""Search by meaning: its tokenizer is the library's, its vectors are Python's, and its recall is
counted as it says.
"""

import json
from pathlib import Path

import data_meaning
import numpy as np
import pytest
import vendor
from playwright.sync_api import expect
from retrieval import recall, wilson
from scipy.stats import binomtest

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.xdist_group("alive")
READY = 180_000  # a bound for a loaded machine, in ms
ODD = [
    "",
    "   ",
    "naïve café — 3.5%!",
    "İstanbul ΑΣ ß",
    "中文 model",
    "a\u0000b\u200dc",
    "x" * 101,
    "don't stop_here ##ing [SEP]"[:20],
    "e\u0301\u0301",
    "½ ² ﬁ",
]


def test_the_tokenizer_is_that_of_the_library(javascript):
    library = data_meaning.tokenizer()
    texts = (
        [question for question, _ in data_meaning.questions()]
        + [section.text(200) for section in data_meaning.found_sections()[::5]]
        + ODD
    )
    vocabulary = (data_meaning.minilm.installed() / "vocab.txt").read_text(encoding="utf-8")
    found = javascript(
        "wordpiece",
        "((t) => a[1].map(t))(m.tokenizer(a[0], a[2]))",
        [vocabulary, texts, data_meaning.MOST_TOKENS],
    )
    assert found == [library.encode(text).ids for text in texts]


def test_every_question_has_a_section_that_answers_it():
    addresses = {section.address for section in data_meaning.found_sections()}
    assert [
        (question, each)
        for question, right in data_meaning.questions()
        for each in right
        if each not in addresses
    ] == []
    assert len({question for question, _ in data_meaning.questions()}) >= 40


def test_recall_and_its_interval():
    assert recall([0, 3, 5, 0], 1) | {"low": 0, "high": 0} == {
        "found": 2,
        "of": 4,
        "share": 0.5,
        "low": 0,
        "high": 0,
    }
    assert recall([0, 3, 5, 0], 5)["found"] == 3
    for found, count in [(0, 7), (7, 7), (31, 48)]:
        interval = binomtest(found, count).proportion_ci(0.95, "wilson")
        assert wilson(found, count) == pytest.approx((interval.low, interval.high), abs=1e-6)


def test_ranks_are_those_of_the_first_right_section():
    sections = data_meaning.found_sections()[:4]
    asked = [("q", [sections[2].address]), ("r", [sections[0].address, sections[3].address])]
    scores = np.array([[0.9, 0.1, 0.5, 0.2], [0.1, 0.7, 0.3, 0.6]])
    assert data_meaning.ranks(scores, asked, sections) == [1, 1]
    assert data_meaning.alone([0, 9, 2, 7], [9, 1, 4, 8], 5) == [1, 1]


@pytest.fixture(scope="module")
def data(site):
    _, folder = site
    data_meaning.write(folder / "_static" / "data")
    vendor.collect(ROOT / "site", ROOT / "build" / "npm", folder / "_static" / "vendor")
    return folder / "_static" / "data"


@pytest.mark.slow  # it makes both models and loads 113 MB into the page
def test_a_question_finds_the_same_section_in_the_page_as_in_python(open_page, data):
    page = open_page("meaning")
    # A page that is left while it waits for something would note that as its own fault.
    expect(page.locator("meaning-search[ready]")).to_be_visible()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    expect(page.locator("meaning-search[ready]")).to_be_visible()
    assert not [url for url in asked if url.endswith((".onnx", ".wasm", ".safetensors"))]
    question, facts = (
        "Why is the first call slower than the later ones?",
        json.loads((data / "meaning.json").read_text()),
    )
    for button, name in (("Load INT8", "INT8"), ("Load FP32", "FP32")):
        page.get_by_role("button", name=button).click()
        expect(page.locator("meaning-search")).to_contain_text(
            f"{name} is ready after", timeout=READY
        )
    page.get_by_label("Your question").fill(question)
    page.get_by_label("Your question").press("Enter")
    expect(page.locator("meaning-search")).to_contain_text("of the same 5 sections", timeout=READY)
    for name in ("int8", "fp32"):
        here = data_meaning.Embedder(data / data_meaning.MODELS[name]).one(question)
        script = "([name, text]) => document.querySelector('meaning-search').embed(name, text).then((found) => found.vector)"
        there = np.array(page.evaluate(script, [name, question]))
        assert here @ there > {"int8": 0.99, "fp32": 0.9999}[name]
    first = page.locator("meaning-search ol a").first
    title = facts["sections"][
        [section[2] for section in facts["sections"]].index(
            first.get_attribute("href").removeprefix("../")
        )
    ][1]
    expect(first).to_have_text(title)


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_is_wider_than_a_phone(open_page, data, theme):
    page = open_page("meaning", width=390, theme=theme)
    expect(page.locator("meaning-search[ready]")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
