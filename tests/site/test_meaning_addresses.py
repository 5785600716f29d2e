"""Search by meaning leads to sections that the built pages have, and is no better than its page says."""

import json

import data_meaning
import pytest

pytestmark = pytest.mark.xdist_group("site")


def test_each_section_that_the_search_names_is_in_its_page(read):
    places = [section.address.split("#") for section in data_meaning.found_sections()]
    assert len(places) > 100
    assert [f"{page}#{anchor}" for page, anchor in places if anchor not in read[page].ids] == []


def test_the_intervals_of_the_three_searches_overlap(built):
    """So the page says that you cannot tell which search is best."""
    facts = json.loads((built / "_static" / "data" / "meaning.json").read_text("utf-8"))
    for most in ("1", "5"):
        found = [each[most] for each in facts["recall"].values()]
        assert len(found) == 3
        assert max(each["low"] for each in found) < min(each["high"] for each in found)
