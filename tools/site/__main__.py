"""Build the static site into build/site: `python tools/site [--out DIR] [--serve] [--port N]`.

1. `stage` collects the pages: the sources of site/, and the notebooks, labs and guides of the
   repository as they are;
2. `vendor` fetches the packages of site/package-lock.json, once, and copies what the pages use;
3. `lab_python` adds what a lab's page needs to run the lab's check;
4. `data` has the modules data_*.py write what interactive parts read;
5. Sphinx writes the pages. It runs no notebook: their stored outputs are shown;
6. `moved` writes a page for each address that is gone, which leads to the new one.
"""

import argparse
import sys
import time
from pathlib import Path

import data
import lab_python
import moved
import serving
import stage
import vendor
from sphinx.cmd.build import build_main

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"


def main() -> int:
    options = arguments()
    started = time.monotonic()
    source = BUILD / "site-source"
    try:
        stage.collect(ROOT, source)
        data.collect(source / "_static" / "data")
        vendor.collect(ROOT / "site", BUILD / "npm", source / "_static" / "vendor")
        lab_python.collect(ROOT, BUILD / "wheels", source / "_static" / "vendor" / "python")
    except (stage.CannotStage, vendor.CannotFetch) as problem:
        sys.exit(f"error: {problem}")
    status = sphinx(source, options.out.resolve())
    if status == 0:
        stage.forget(source, options.out)
        moved.collect(ROOT, options.out)
        print(f"the site is in {options.out}: {time.monotonic() - started:.0f} s", flush=True)
        if options.serve:
            serving.serve(options.out, options.port)
    return status


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="course site", description="Build the static site.")
    parser.add_argument(
        "--out", type=Path, default=BUILD / "site", help="where the pages go: build/site by default"
    )
    parser.add_argument("--serve", action="store_true", help="serve it on this machine afterwards")
    parser.add_argument(
        "--port",
        type=int,
        default=8000,
        help="the port of --serve; the next free one if it is taken",
    )
    return parser.parse_args()


def sphinx(source: Path, out: Path) -> int:
    """Sphinx's exit status. Warnings are errors, and all of them are shown."""
    options = [
        "-c",
        str(ROOT / "site"),
        "-d",
        str(BUILD / "site-doctrees"),
        "-D",
        f"html_static_path={source / '_static'}",
    ]
    options += ["-b", "html", "-j", "auto", "-q", "-W", "--keep-going"]
    return build_main([*options, str(source), str(out)])


if __name__ == "__main__":
    sys.exit(main())
