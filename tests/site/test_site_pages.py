"""Every page of the built site, as a file: links, anchors, what it loads, and the HTML itself."""

import itertools
import json
import posixpath
import re
from collections import Counter
from pathlib import Path

import moved
import pytest
import yaml

from nbjudge.grading.published.asked_exercises import in_folder
from tests.mutants import exercises_with_mutants, misconceptions
from tests.site import pages

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.xdist_group("site")


def test_every_notebook_lab_exercise_and_guide_has_a_page(read):
    expected = {
        path.relative_to(ROOT).with_suffix(".html").as_posix()
        for path in ROOT.glob("notebooks/**/*.ipynb")
    }
    expected |= {
        path.relative_to(ROOT).with_suffix(".html").as_posix()
        for path in ROOT.glob("labs/*/*.ipynb")
    }
    expected |= {f"exercises/{path.parent.name}.html" for path in ROOT.glob("exercises/*/ask.py")}
    expected |= {
        path.relative_to(ROOT).with_suffix(".html").as_posix()
        for path in ROOT.glob("docs/**/*.md")
        if path.parent.name != "exercises"
    }
    expected |= {"index.html", "claims.html", "museum.html", "recall.html", "search.html"}
    assert expected <= set(read)


def test_every_page_has_a_place_in_the_list_of_pages(read):
    listed = set(
        re.findall(r'<li data-page="([^"]+)">', read["search.html"].path.read_text("utf-8"))
    )
    assert {name.removesuffix(".html") for name in read} - listed == {
        "index",
        "search",
        "guides",
        "404",
    }


def along(read, page: str, kind: str) -> str | None:
    """The page that the card `after` or `before` of the page leads to."""
    text = read[f"{page}.html"].path.read_text("utf-8")
    found = re.search(rf'<a class="{kind}" href="([^"]+)\.html">', text)
    return found and posixpath.normpath(posixpath.join(posixpath.dirname(page), found[1]))


def of_the_course() -> list[str]:
    entries = yaml.safe_load((ROOT / "course.yml").read_text("utf-8"))
    return [entry.get("page") or entry["lab"] for entry in entries if "moved" not in entry]


def test_an_address_that_is_gone_leads_to_a_section_that_is_there(read, built):
    found = moved.addresses(ROOT)
    assert found
    for name, address in found.items():
        page, _, anchor = address.partition("#")
        there = read[posixpath.normpath(posixpath.join(posixpath.dirname(name), page))]
        assert not anchor or anchor in there.ids
        assert f'content="0; url={address}"' in (built / name).read_text("utf-8")


def test_the_card_of_a_notebook_leads_where_its_last_lines_do(read):
    """Their links were resolved by Sphinx, not by what makes the card."""
    said = {}
    for page in of_the_course():
        text = read[f"{page}.html"].path.read_text("utf-8")
        for line in re.findall(r"<p>Next: (.*?)</p>", text, re.DOTALL)[-1:]:
            link = re.search(r'href="([^"#]+)\.html', line)[1]
            said[page] = posixpath.normpath(posixpath.join(posixpath.dirname(page), link))
    assert len(said) >= len(of_the_course()) - 2
    assert {page: along(read, page, "after") for page in said} == said


def test_both_evenings_can_be_followed_to_their_end_and_back(read):
    both = [
        "notebooks/day-50/line-1-export",
        "labs/lab-7-01/export",
        "notebooks/day-50/line-2-prove",
        "notebooks/day-50/line-3-ship",
        "notebooks/lab-7-01/line-1-run-and-measure",
        "notebooks/lab-7-01/line-2-smaller",
        "notebooks/lab-7-01/line-3-decide",
        "labs/lab-7-01/int8_dynamic",
    ]
    for page, following in itertools.pairwise(["notebooks/00-start-here", *both]):
        assert along(read, page, "after") == following
        assert along(read, following, "before") == page
    front = read["index.html"].path.read_text("utf-8")
    assert '<a class="button main" href="notebooks/day-50/line-1-export.html">' in front
    assert front.count('class="button main"') == 1


def test_no_page_of_the_course_comes_before_what_it_needs(read):
    order = of_the_course()
    befores = {page: along(read, page, "before") for page in order}
    assert [page for page, before in befores.items() if before == page] == []
    assert [page for page, before in befores.items() if before and before not in order] == []


def test_lists_of_pages_are_in_the_order_of_the_course(read):
    text = read["search.html"].path.read_text("utf-8")
    for group in re.findall(r"<details.*?</details>", text, re.DOTALL):
        listed = re.findall(r'<li data-page="([^"]+)">', group)
        declared = [page for page in of_the_course() if page in listed]
        assert [page for page in listed if page in declared] == declared


def test_the_front_page_gives_minutes_and_what_comes_before(read):
    text = read["index.html"].path.read_text("utf-8")
    entries = re.findall(
        r'<li data-page="((?:notebooks|labs)/[^"]+)">\s*<a href="[^"]*">\s*<span class="entry">(.*?)</li>',
        text,
        re.DOTALL,
    )
    assert len(entries) > 30
    assert [name for name, entry in entries if not re.search(r"\d+ min<.*", entry)] == []
    assert [name for name, entry in entries if 'class="after"' not in entry] == []
    assert [name for name, entry in entries if 'class="about"' not in entry] == []
    assert not re.search(r"after [^<]*\d\d\w?-[a-z]", text)


def test_the_front_page_says_what_this_is_and_leads_builders_elsewhere(read):
    text = read["index.html"].path.read_text("utf-8")
    assert re.search(r"<h1>[^<]*course[^<]*ONNX[^<]*</h1>", text)
    doors = re.search(r'<ul class="doors">(.*?)</ul>', text, re.DOTALL)[1]
    assert re.findall(r'href="([^"]+)"', doors)[0] == "docs/two-files.html"
    main = text.partition("<main")[2].partition("</main>")[0]
    behind = set(read["guides.html"].links) - set(read["search.html"].links)
    listed = re.findall(
        r'<li data-page="(docs/[^"]+)">',
        read["guides.html"].path.read_text("utf-8").partition("<main")[2],
    )
    assert behind <= {"guides.html", "#content"}
    assert len(listed) > 10
    assert [page for page in listed if f'href="{page}.html"' in main] == []


def test_every_page_leads_to_how_the_course_is_installed(read):
    guide = read["docs/students.html"]
    assert "install" in guide.ids
    place = (guide.path.resolve(), "install")
    lacking = [
        name
        for name, page in read.items()
        if place
        not in [pages.target(page, each) for each in page.links if each.endswith("#install")]
    ]
    assert lacking == []


def test_the_front_page_says_how_long_everything_takes(read):
    text = read["index.html"].path.read_text("utf-8")
    minutes = sum(map(int, re.findall(r'<span class="minutes">(\d+) min</span>', text)))
    first = re.search(r"(\d+) min", read["notebooks/00-start-here.html"].path.read_text("utf-8"))
    said = re.search(r"All pages and labs together take about\s+(\d+) hours", text)
    assert abs(int(said[1]) - (minutes + int(first[1])) / 60) <= 0.5


def test_every_page_has_a_description_of_its_own(read):
    found = {
        name: re.findall(
            r'<meta name="description" content="([^"]+)">', page.path.read_text("utf-8")
        )
        for name, page in read.items()
        if name not in ("404.html", "search.html")
    }
    assert [name for name, texts in found.items() if len(texts) != 1] == []
    texts = Counter(texts[0] for texts in found.values())
    assert [text for text, times in texts.items() if times > 1] == []
    assert all(len(text) <= 190 for text in texts)


def test_a_site_without_an_address_names_none(built, read):
    assert not (built / "sitemap.xml").exists()
    assert not any('rel="canonical"' in page.path.read_text("utf-8") for page in read.values())
    assert (built / ".nojekyll").is_file()


def test_links_and_anchors_lead_somewhere(read):
    ids = {page.path.resolve(): set(page.ids) for page in read.values()}
    broken = []
    for name, page in read.items():
        for link in page.links:
            if pages.is_elsewhere(link):
                continue
            path, anchor = pages.target(page, link)
            if not path.is_file() or (anchor and path in ids and anchor not in ids[path]):
                broken.append(f"{name}: {link}")
    assert not broken


def test_pages_load_nothing_from_elsewhere(read):
    fetched = {
        name: [each for each in page.loads if pages.is_elsewhere(each)]
        for name, page in read.items()
    }
    assert not {name: each for name, each in fetched.items() if each}


def test_what_pages_load_is_there(read):
    missing = {
        f"{name}: {each}"
        for name, page in read.items()
        for each in page.loads
        if not pages.target(page, each)[0].is_file()
    }
    assert not missing


def test_each_exercise_links_to_the_sections_that_its_check_names(read):
    from exercise_pages import mistakes

    from nbjudge import exercises

    ids = {name: set(page.ids) for name, page in read.items()}
    named = [(name, each) for name in exercises.ids() for each in mistakes(name) if each.read]
    lost = []
    for exercise, each in named:
        page, _, section = each.read.partition("#")
        address = f"notebooks/{page}.html"
        link = f"../{address}{'#' + section if section else ''}"
        found = not section or section in ids[address]
        if not found or link not in read[f"exercises/{exercise}.html"].links:
            lost.append(f"{exercise}: {each.id}: {each.read}")
    assert len(named) > 100
    assert not lost


def test_the_page_of_an_exercise_has_every_mistake_that_its_judge_names():
    from exercise_pages import mistakes

    named = {name: set(misconceptions(name)) for name in exercises_with_mutants()}
    assert named == {name: {each.id for each in mistakes(name)} for name in named}


def test_a_lab_links_to_the_pages_of_its_exercises(read):
    for folder in sorted((ROOT / "labs").iterdir()):
        for exercise, lab in in_folder(folder).items():
            links = read[f"labs/{folder.name}/{lab}.html"].links
            assert f"../../exercises/{exercise}.html" in links, exercise


def test_a_section_that_teaches_a_part_offers_it(read, built):
    for part in json.loads((ROOT / "site" / "parts.json").read_text()):
        assert f"{part['page']}.html" in read
        assert part["taught"]
        for place, (to, _, _) in part["taught"].items():
            page, _, section = place.partition("#")
            name = f"{page}.html"
            assert section in read[name].ids, place
            after = (built / name).read_text("utf-8").partition(f'<section id="{section}">')[2]
            assert (
                f'href="{"../" * name.count("/")}{to.replace("#", ".html#") if "#" in to else f"{to}.html"}"'
                in after
            ), place


def test_no_page_sends_a_reader_to_jupyterlab_for_a_graph(read, built):
    assert not [
        name for name in read if "to open the graph in Netron" in (built / name).read_text("utf-8")
    ]


def test_images_say_what_they_show(read):
    silent = {
        f"{name}: {image.get('src')}"
        for name, page in read.items()
        for image in page.images
        if not image.get("alt", "").strip()
    }
    assert not silent


def test_pages_have_one_title_and_no_level_is_skipped(read):
    wrong = {}
    for name, page in read.items():
        skipped = any(
            later > former + 1
            for former, later in zip(page.headings, page.headings[1:], strict=False)
        )
        if page.headings.count(1) != 1 or page.headings[0] != 1 or skipped:
            wrong[name] = page.headings
    assert not wrong


def test_tags_are_closed_and_ids_are_unique(read):
    wrong = {}
    for name, page in read.items():
        twice = [each for each, count in Counter(page.ids).items() if count > 1]
        if twice or page.unclosed:
            wrong[name] = (twice, page.unclosed[:3])
    assert not wrong


def test_a_notebook_can_be_taken_along_as_it_is(read, built):
    for path in [*ROOT.glob("labs/*/*.ipynb"), *ROOT.glob("notebooks/**/*.ipynb")]:
        lab = path.relative_to(ROOT)
        assert (built / "_static" / lab).read_bytes() == path.read_bytes()
        links = read[lab.with_suffix(".html").as_posix()].links
        assert any(link.endswith(f"_static/{lab.as_posix()}") for link in links), lab


def test_the_lock_of_npm_names_no_host():
    text = (ROOT / "site" / "package-lock.json").read_text()
    packages = json.loads(text)["packages"]
    assert not [name for name, each in packages.items() if "resolved" in each]
    assert all(
        each.get("integrity", "").startswith("sha512-") for name, each in packages.items() if name
    )


def test_models_of_notebooks_name_no_place_of_the_machine_that_recorded_them():
    recorded = list((ROOT / "site" / "models").glob("*.onnx"))
    places = (b"/home", b"/root", b"/tmp", b"site-packages", b'.py"')
    assert recorded
    assert not [path.name for path in recorded for place in places if place in path.read_bytes()]
