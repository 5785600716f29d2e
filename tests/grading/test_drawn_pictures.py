"""Pictures in answers that a person marks: drawn anew and shown, in formgrader and in feedback; what
cannot be shown says why.
"""

import base64
import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin
from playwright.sync_api import sync_playwright

from nbjudge.course.feedback import feedback
from nbjudge.grading.document.markdown_pictures import Taken, replaced, taken
from nbjudge.grading.gradebook import record
from nbjudge.grading.run import coordinator
from tests import servers
from tests.chromium import CHROMIUM, FLAGS, MINUTES
from tests.grading import small
from tests.grading.small import ASSIGNMENT, NOTEBOOK, code, markdown, meta

pytestmark = pytest.mark.xdist_group("pictures")
RED, BLUE, GREEN = (255, 0, 0), (0, 0, 255), (0, 128, 0)
SVG = b"<svg xmlns='http://www.w3.org/2000/svg' onload='x()'/>"


def drawn(colour, form="PNG", size=(60, 40), **options):
    target = io.BytesIO()
    Image.new("RGB", size, colour).save(target, form, **options)
    return target.getvalue()


def text(data):
    return base64.b64encode(data).decode()


def uri(data, form="png"):
    return f"data:image/{form};base64,{text(data)}"


def attached(name, data, form="png"):
    return {name: {f"image/{form}": text(data)}}


PROGRAM = PngImagePlugin.PngInfo()
PROGRAM.add_text("comment", "<script>alert(1)</script>")
ESSAY = "Why? ![graph.png](attachment:graph.png)\n\n### BEGIN SOLUTION\n![graph.png](attachment:graph.png) falls.\n### END SOLUTION"
STUB_PICTURE = attached("graph.png", drawn(GREEN))
# By student: the source of the essay, its attachments, and the colours of the pictures that are shown.
ESSAYS = {
    "lab": ("See: ![image.png](attachment:0f2a.png)", attached("0f2a.png", drawn(RED)), [RED]),
    "colab": (f"See:\n\n![]({uri(drawn(BLUE))})", {}, [BLUE]),
    "tag": (f"<div><img alt='mine' src='{uri(drawn(BLUE))}' width='50%'></div>", {}, [BLUE]),
    "tag-attached": ('<img src="attachment:a.png">', attached("a.png", drawn(RED)), [RED]),
    "named": (f"![mine][one] and ![one]\n\n[one]: <{uri(drawn(RED))}>", {}, [RED, RED]),
    "code": (
        "![photo (1).png](attachment:photo%20(1).png) ![x](<attachment:a b.png>)",
        {**attached("photo (1).png", drawn(RED)), **attached("a b.png", drawn(BLUE))},
        [RED, BLUE],
    ),
    "several": (
        "![image.png](attachment:image.png)\n\n![image-2.png](attachment:image-2.png)",
        {**attached("image.png", drawn(RED)), **attached("image-2.png", drawn(GREEN))},
        [RED, GREEN],
    ),
    "lines": ("![a](attachment:a.png)", {"a.png": {"image/png": text(drawn(RED)).splitlines(True)}}, [RED]),
    "jpeg": ("![a](attachment:a.jpg)", attached("a.jpg", drawn(BLUE, "JPEG"), "jpeg"), [BLUE]),
    "webp": (f"![a]({uri(drawn(RED, 'WEBP', lossless=True), 'webp')})", {}, [RED]),
    "gif": ("![a](attachment:a.gif)", attached("a.gif", drawn(GREEN, "GIF"), "gif"), [GREEN]),
    "moving": (
        "![a](attachment:a.gif)",
        attached("a.gif", drawn(RED, "GIF", save_all=True, append_images=[Image.new("RGB", (60, 40), BLUE)]), "gif"),
        [RED],
    ),
    "large": ("![a](attachment:a.png)", attached("a.png", drawn(RED, size=(5000, 4000))), [RED]),
    "texts": ("![a](attachment:a.png)", attached("a.png", drawn(RED, pnginfo=PROGRAM)), [RED]),
    "given": ("![graph.png](attachment:graph.png) It falls.", STUB_PICTURE, [GREEN]),
    "given-lost": ("![graph.png](attachment:graph.png) It falls.", {}, [GREEN]),
    "file": ("![my plot](made%20here.png)", {}, [BLUE]),
}  # fmt: skip
NOT_SHOWN = {
    "svg": ("![a](attachment:a.svg)", {"a.svg": {"image/svg+xml": text(SVG)}}, "SVG"),
    "svg-uri": (f"![a]({uri(SVG, 'svg+xml')})", {}, "SVG"),
    "svg-as-png": ("![a](attachment:a.png)", attached("a.png", SVG), "no PNG, JPEG, GIF or WebP"),
    "damaged": ("![a](attachment:a.png)", attached("a.png", drawn(RED)[:60]), "damaged"),
    "no-base64": ("![a](data:image/png;base64,%%%)", {}, "damaged"),
    "bomb": ("![a](attachment:a.png)", attached("a.png", drawn(RED, size=(30000, 9000), compress_level=9)), "pixels"),
    "missing": ("![a](attachment:gone.png)", {}, "not in the notebook"),
    "no-file": ("![a](../../etc/passwd)", {}, "not in the notebook"),
    "elsewhere": ("![a](http://example.org/a.png)", {}, "fetches"),
}  # fmt: skip


def hand_in(project, course, student, source, attachments, own=None):
    document = small.answered(project, {"essay": source, "square": small.RIGHT})
    (essay,) = [cell for cell in document["cells"] if cell["id"] == "essay"]
    essay.pop("attachments", None)
    if attachments:
        essay["attachments"] = attachments
    if own:
        document["cells"].append(own)
    folder = course.submitted / student / ASSIGNMENT
    folder.mkdir(parents=True)
    (folder / f"{NOTEBOOK}.ipynb").write_text(json.dumps(document))
    (folder / "made here.png").write_bytes(drawn(BLUE))


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A class whose essay was published with a picture in it."""
    essay = {
        **markdown("essay", ESSAY, meta("essay", 5, solution=True)),
        "attachments": STUB_PICTURE,
    }
    given = {
        **markdown("intro", "![graph.png](attachment:graph.png) is given."),
        "attachments": STUB_PICTURE,
    }
    inline = markdown("inline", f"![given]({uri(drawn(GREEN))}) too")
    cells = [
        given,
        inline,
        code("answer", small.SOLUTION, meta("square", solution=True)),
        code("test", "assert square(3) == 9", meta("t", 3)),
        essay,
    ]
    project, course = small.published(tmp_path_factory.mktemp("pictures"), cells)
    for student, (source, attachments, _) in {**ESSAYS, **NOT_SHOWN}.items():
        hand_in(project, course, student, source, attachments)
    note = {
        **markdown("note", "![n](attachment:n.png)"),
        "attachments": attached("n.png", drawn(RED)),
    }
    hand_in(project, course, "own-cell", "See below.", {}, note)
    (stub,) = [cell for cell in small.answered(project, {})["cells"] if cell["id"] == "essay"]
    hand_in(project, course, "untouched", stub["source"], STUB_PICTURE)
    report = coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, seed=1))
    assert report.exit_code == 0
    return course, {result.student: result for result in report.submissions}


def recorded(course, student):
    document = json.loads(
        (course.autograded / student / ASSIGNMENT / f"{NOTEBOOK}.ipynb").read_text()
    )
    return {cell["id"]: cell for cell in document["cells"]}


def colours(cell):
    """Of the pictures that a cell shows, in order; each is a PNG of no more than its pixels."""
    found = []
    for name in re.findall(r"!\[[^\]]*\]\(attachment:([^)]*)\)", cell["source"]):
        data = base64.b64decode(cell["attachments"][name]["image/png"])
        assert data.startswith(b"\x89PNG") and b"tEXt" not in data and len(data) < 1 << 20
        image = Image.open(io.BytesIO(data)).convert("RGB")
        assert max(image.size) <= 1600
        found.append(image.getpixel((image.width // 2, image.height // 2)))
    return found


@pytest.mark.parametrize("student", ESSAYS)
def test_a_picture_in_an_answer_is_drawn_anew(course, student):
    found = colours(recorded(course[0], student)["essay"])
    wanted = ESSAYS[student][2]
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert max(abs(a - b) for a, b in zip(one, other, strict=True)) < 8


@pytest.mark.parametrize("student", NOT_SHOWN)
def test_what_is_not_shown_says_why_in_its_place(course, student):
    cell = recorded(course[0], student)["essay"]
    (line,) = re.findall(r"\*\(the picture a is not shown: (.*)\)\*", cell["source"])
    assert NOT_SHOWN[student][2] in line and colours(cell) == []
    assert course[1][student].needs_manual


def test_pictures_in_cells_of_the_students_own_are_shown(course):
    cells = recorded(course[0], "own-cell")
    (own,) = [cell for name, cell in cells.items() if name.startswith("extra")]
    assert colours(own) == [RED]


def test_given_pictures_are_no_change_and_an_untouched_answer_is_none(course):
    found, results = course
    assert results["untouched"].cells["first/essay"].score == 0
    assert [result.student for result in results.values() if result.tampered] == []
    assert colours(recorded(found, "lab")["intro"]) == [GREEN]


def test_feedback_and_formgrader_show_the_pictures(course, tmp_path):
    found = course[0]
    pages = {page.parts[-3]: page for page in feedback(found, ASSIGNMENT)}
    with record.gradebook(found) as book:
        ids = {
            name: book.find_submission_notebook(NOTEBOOK, ASSIGNMENT, name).id for name in ESSAYS
        }
    # Of each picture of the essay, what a browser makes of it: its size, 0 for what it cannot draw.
    sizes = "() => [...document.querySelectorAll('.nbgrader_cell img')].map((image) => image.naturalWidth)"
    wanted = {name: len(colours) for name, (*_, colours) in ESSAYS.items()}
    with servers.formgrader(found.root) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        page.set_default_timeout(MINUTES)
        for name in ESSAYS:
            for place in (pages[name].as_uri(), f"{address}/submissions/{ids[name]}/?index=0"):
                page.goto(place, wait_until="load")
                found_sizes = page.evaluate(sizes)
                assert len(found_sizes) == wanted[name] and all(found_sizes), (name, place)
        page.screenshot(path=tmp_path / "formgrader.png", full_page=True)
        browser.close()


@given(
    st.lists(
        st.sampled_from(
            [
                "![",
                "](",
                "a",
                "attachment:a.png",
                "data:image/png;base64,AAAA",
                ")",
                "<",
                ">",
                "<img ",
                "src=",
                '"',
                "'",
                "[a]: ",
                "\n",
                " ",
                "[a]",
                "(",
                "picture:" + "0" * 32,
            ]
        ),
        max_size=20,
    ).map("".join)
)
def test_what_is_taken_out_of_a_text_is_taken_once(source):
    held = Taken()
    short = taken(source, {"a.png": {"image/png": "AAAA"}}, held)
    assert taken(short, {"a.png": {"image/png": "AAAA"}}, held) == short
    assert replaced(short, lambda target, words: None) == short
    targets = []
    replaced(short, lambda target, words: targets.append(target))
    assert not [target for target in targets if target.startswith("data:")]
