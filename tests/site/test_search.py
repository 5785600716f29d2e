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

# Questions with the sections that answer them, as judged from the list of sections before any search was
# tried. The search and the texts were tuned on the first of these sets, and no text was changed for
# one of the second.
QUESTIONS = json.loads(Path(__file__).with_name("questions.json").read_text("utf-8"))
TUNED, KEPT_BACK = QUESTIONS["tuned"], QUESTIONS["kept back"]


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


def missed(built: Path, read, questions: dict[str, list[str]]) -> dict[str, list[str]]:
    """The questions whose answers are not among the first, with what is."""
    rows = zip(questions.items(), found(built, list(questions)), strict=True)
    return {
        question: first[:FIRST]
        for (question, answers), first in rows
        if not standing(read, answers) & set(first[:FIRST])
    }


def test_every_question_has_a_section_that_answers_it(read):
    lost = [
        question
        for question, answers in [*TUNED.items(), *KEPT_BACK.items()]
        if not standing(read, answers)
    ]
    assert lost == [], "these have no section that answers them any more: name the new ones"


def test_eighty_questions_find_their_section_among_the_first_three(built, read):
    """A sentence that is added to one page may push a section of another one down, so a few may."""
    assert len(TUNED) == 80
    wrong = missed(built, read, TUNED)
    assert len(wrong) <= 3, wrong


def test_most_questions_in_other_words_find_their_section_too(built, read):
    assert len(KEPT_BACK) >= 40
    wrong = missed(built, read, KEPT_BACK)
    assert len(wrong) / len(KEPT_BACK) < 0.4, wrong  # 13 of 48 when this was written


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
