"""Search by meaning leads to sections that the built pages have."""

import data_meaning
import pytest

pytestmark = pytest.mark.xdist_group("site")


def test_each_section_that_the_search_names_is_in_its_page(read):
    places = [section.address.split("#") for section in data_meaning.found_sections()]
    assert len(places) > 100
    assert [f"{page}#{anchor}" for page, anchor in places if anchor not in read[page].ids] == []
