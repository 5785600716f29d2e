"""Whether all packages, `nbjudge.__version__` and CITATION.cff have one version: `python tools/version.py 1.2.3`.

The standard library alone, as in prepare.py.
"""

import re
import sys

import projects


def versions() -> dict[str, str]:
    """Each place that states the version, and what it states."""
    citation = (projects.ROOT / "CITATION.cff").read_text(encoding="utf-8")
    module = (projects.ROOT / "autograder" / "nbjudge" / "__init__.py").read_text(encoding="utf-8")
    return {
        **{name: projects.project(name)["version"] for name in projects.FOLDERS},
        "nbjudge.__version__": re.search(r'^__version__ = "(.+)"$', module, re.MULTILINE)[1],
        "CITATION.cff": re.search(r"^version: (\S+)$", citation, re.MULTILINE)[1],
    }


def main(wanted: str) -> None:
    for place, version in versions().items():
        if version != wanted:
            sys.exit(f"error: {place} is at {version}, and {wanted} is to be released")


if __name__ == "__main__":
    [version] = sys.argv[1:]
    main(version)
