"""Sphinx's settings. tools/site stages the sources and starts Sphinx."""

import hashlib
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

project = "ML model formats, hands on"
author = 'The authors of "ML model formats, hands on"'
copyright = "the authors, BSD-3-Clause"
language = "en"
SUMMARY = (
    "A hands-on course on ONNX and SafeTensors: export a PyTorch model, look inside the file, edit its "
    "graph, shrink it to FP16 or INT8, and prove that it still computes the same."
)

extensions = [
    "myst_nb",
    "extensions.touches",
    "extensions.navigation",
    "extensions.assets",
    "extensions.formulas",
    "extensions.sharing",
    "extensions.searching",
]
exclude_patterns = ["_static/**"]

myst_enable_extensions = ["attrs_inline", "attrs_block", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

nb_execution_mode = "off"  # the stored outputs are shown
nb_merge_streams = False  # tools/site does it, and drops what a carriage return overwrote
nb_code_prompt_show = "Show the {type}"
nb_code_prompt_hide = "Hide the {type}"

html_theme = "course"
html_theme_path = ["theme"]
html_title = project
html_show_sourcelink = False
# Where the site and the repository lie, which only the place that publishes them knows.
html_baseurl = os.environ.get("COURSE_SITE_ADDRESS", "")
html_use_index = False  # there are no entries
html_copy_source = False
html_permalinks_icon = "#"
html_math_renderer = "mathml"
html_additional_pages = {"search": "search.html", "guides": "guides.html"}
pygments_style = "extensions.colours.Light"
smartquotes = False


def setup(app):
    """Let Sphinx read all pages again when the code that reads them has changed, and write them again
    when the list of pages has, which stands on each.
    """
    code = b"".join(path.read_bytes() for path in sorted((HERE / "extensions").glob("*.py")))
    source = Path(app.srcdir)
    names = sorted(path.name for kind in ("md", "ipynb") for path in source.rglob(f"*.{kind}"))
    lists = [HERE / "index.md", HERE.parent / "course.yml"]
    listed = b"".join(["\n".join(names).encode(), *(path.read_bytes() for path in lists)])
    app.add_config_value("course_repository", os.environ.get("COURSE_REPOSITORY", ""), "html", str)
    app.add_config_value("course_summary", SUMMARY, "html", str)
    for name, content, rebuild in (("code", code, "env"), ("list", listed, "html")):
        digest = hashlib.sha256(content).hexdigest()
        app.add_config_value(f"course_{name}", digest, rebuild, frozenset({str}))
