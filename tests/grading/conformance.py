"""nbgrader's own tests, unmodified: with nbgrader's classes, with this engine, and with every
assignment published through our path too.

`python -m tests.grading.conformance [SUITE or SUITE/WAY]...` runs them and writes
`docs/conformance.json` and the page that is made of it. It ends with status 1 where a test that
passes on stock passes no longer, unless DIFFERENT says why it must not.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import json
import os
import platform
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path

from tests.grading import postgres

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "docs" / "conformance.json"
PAGE = STORED.with_suffix(".md")
PLUGIN = "tests.grading.conformance_plugin"
APPS = "nbgrader.tests.apps.test_"
SUITES = {
    "autograde": [f"{APPS}nbgrader_autograde"],
    "feedback": [
        f"{APPS}nbgrader_generate_feedback",
        f"{APPS}nbgrader_releasefeedback",
        f"{APPS}nbgrader_fetchfeedback",
    ],
    "validate": [f"{APPS}nbgrader_validate"],
    "generate_assignment": [f"{APPS}nbgrader_generate_assignment"],
    "api": [f"{APPS}api"],
    "gradebook": ["nbgrader.tests.api.test_gradebook", "nbgrader.tests.api.test_models"],
    "zip_collect": [f"{APPS}nbgrader_zip_collect"],
    "formgrade": [f"{APPS}nbgrader_formgrade"],
}
# nbgrader's classes; ours in their place; ours, and what a test generates is published, so that the
# coordinator grades it.
STOCK, HERE_TOO, PUBLISHED = WAYS = ("stock", "here", "published")
# They skip themselves on stock. Here they run: one on a server that takes five connections, one in
# a box that bounds memory.
LIFTED = (
    "test_nbgrader_autograde::test_infinite_loop_with_output",
    "test_nbgrader_autograde::test_many_students",
)
# What the coordinator does otherwise with a published assignment than nbgrader, by test, and why.
_WHOLE = "a submission is graded whole. `--notebook` changes nothing, and the log says so."
_KEPT = "what was published stays until it is published again, also when its source is deleted."
_HIDDEN = "hidden tests decide the mark, but are not written into `autograded/`, from which feedback is made."
_ALONE = (
    "a notebook that cannot be graded gets 0 points and a reason, and the others count. The command "
    "does not fail."
)
_KERNEL = "`course release` releases every notebook for the kernel `python3`, which is what runs."
DIFFERENT: dict[str, str] = {
    f"test_nbgrader_autograde::{name}": why
    for name, why in {
        "test_grade_empty_timestamp": "an empty `timestamp.txt` is not copied. One that is no time "
        "costs nobody a mark: the time of the file counts, and a remark says so.",
        "test_force": _KEPT,
        "test_force_f": _KEPT,
        "test_filter_notebook": _WHOLE,
        "test_force_single_notebook": _WHOLE,
        "test_update_newer_single_notebook": _WHOLE,
        "test_hidden_tests_single_notebook": _HIDDEN,
        "test_hidden_tests_autotest": _HIDDEN,
        "test_handle_failure": _ALONE,
        "test_handle_failure_single_notebook": _ALONE,
        "test_missing_source_kernelspec": _KERNEL,
        "test_incorrect_source_kernelspec": _KERNEL,
        "test_no_execute": "outputs that were handed in are not believed, so a submission is always run.",
        "test_infinite_loop_with_output": "a cell that uses up its memory costs that cell.",
        "test_grade_missing_notebook": "a notebook that was not handed in is recorded with 0 points "
        "and the reason, so that its feedback says it.",
    }.items()
}


def ways(suite: str) -> tuple[str, ...]:
    """Publishing makes a difference only where something is graded afterwards."""
    return WAYS if suite in ("autograde", "feedback") else (STOCK, HERE_TOO)


def outcomes(modules: Iterable[str], way: str) -> dict[str, str]:
    """What became of each test: passed, failed or skipped, by module and name."""
    with tempfile.TemporaryDirectory(prefix="conformance-") as name, _database(way) as database:
        folder, report = Path(name), Path(name, "report.xml")
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--tb=short",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "-W",
            "ignore",
        ]
        command += ["-p", PLUGIN, "--rootdir", name, f"--junitxml={report}"]
        command += ["-o", "junit_family=xunit1", "--pyargs", *modules]
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONSAFEPATH": "",
            "USER": "grader",
            "CONFORMANCE_WAY": way,
        }
        environment["CONFORMANCE_DATABASE"] = database
        environment.pop("PYTEST_ADDOPTS", None)
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stdout[-3000:] + done.stderr[-3000:]
        found = dict(_outcome(case) for case in ElementTree.parse(report).iter("testcase"))
    if "failed" in found.values():
        print(done.stdout)
    return found


@contextlib.contextmanager
def _database(way: str) -> Iterator[str]:
    """The address of a gradebook on a PostgreSQL server; on stock nothing asks for one."""
    if way == STOCK:
        yield ""
        return
    with postgres.server(max_connections=5) as server:
        yield server.create("gradebook")


def _outcome(case: ElementTree.Element) -> tuple[str, str]:
    tags = {child.tag for child in case}
    ended = (
        "failed" if tags & {"failure", "error"} else "skipped" if "skipped" in tags else "passed"
    )
    return f"{Path(case.get('file', '')).stem}::{case.get('name')}", ended


def named(suite: str) -> set[str]:
    """The tests that the installed nbgrader defines, without what they are parametrized with."""
    found = set()
    for module in SUITES[suite]:
        source = Path(importlib.util.find_spec(module).origin).read_text()
        nodes = ast.walk(ast.parse(source))
        names = (
            node.name
            for node in nodes
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        )
        found |= {f"{module.rpartition('.')[2]}::{name}" for name in names}
    return found


def versions() -> dict[str, str]:
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in ("nbgrader", "nbconvert", "nbclient", "SQLAlchemy")},
    }


def read() -> dict:
    return json.loads(STORED.read_text()) if STORED.exists() else {"suites": {}}


def write(stored: Mapping) -> None:
    STORED.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n")
    PAGE.write_text(page(stored))


def broken(found: Mapping[str, Mapping[str, str]]) -> dict[str, list[str]]:
    """For each way, what passes on stock and not there."""
    stock = found.get(STOCK, {})
    passing = [name for name, ended in stock.items() if ended == "passed"]
    return {
        way: [name for name in passing if found[way].get(name) != "passed"]
        for way in found
        if way != STOCK
    }


def page(stored: Mapping) -> str:
    return "\n".join(_page(stored)) + "\n"


LEAD = """<!-- Generated by `make conformance`. -->
# nbgrader's own tests

nbgrader's test suites, unmodified, run three ways: with nbgrader's own classes (*stock*), with this engine in their
place (*here*), and with every assignment that a test generates published through our path too, so that the coordinator
grades it (*published*). What passes on stock has to pass here. It has to pass published too, unless the end of this
page says why not. What `course release` would refuse, a solution that fails its own tests, is let through for them.
`make conformance` runs them and writes this page; [the outcome of each test](conformance.json) is stored.
"""


def _page(stored: Mapping) -> Iterator[str]:
    yield LEAD
    yield f"Versions: {', '.join(f'{name} {number}' for name, number in sorted(stored['versions'].items()))}."
    yield ""
    yield "| suite | tests | stock | here | published |"
    yield "|---|---|---|---|---|"
    for suite in SUITES:
        found = stored["suites"].get(suite, {})
        cells = [
            _counts(found.get(way), "nothing to grade" if way not in ways(suite) else "not run yet")
            for way in WAYS
        ]
        yield f"| {suite} | {len(found.get(STOCK, named(suite)))} | {' | '.join(cells)} |"
    yield from _lifted(stored["suites"])
    yield from _different()


def _counts(found: Mapping[str, str] | None, without: str) -> str:
    if found is None:
        return without
    counted = Counter(found.values())
    return ", ".join(
        f"{counted[ended]} {ended}" for ended in ("passed", "failed", "skipped") if counted[ended]
    )


def _lifted(suites: Mapping) -> Iterator[str]:
    found = suites.get("autograde", {})
    run = [name for name in LIFTED if found.get(HERE_TOO, {}).get(name) == "passed"]
    if run:
        yield ""
        yield f"These skip themselves on stock and run here: {', '.join(f'`{_short(name)}`' for name in run)}. An endless loop needs a box"
        yield "that bounds memory; many students need a PostgreSQL server, which is started for them and takes five connections."


def _different() -> Iterator[str]:
    if not DIFFERENT:
        return
    yield from ("", "## Where a published assignment is graded otherwise", "")
    yield from (f"- `{_short(name)}`: {why}" for name, why in DIFFERENT.items())


def _short(name: str) -> str:
    return name.rpartition("::")[2]


def main(asked: list[str]) -> int:
    for one in asked or SUITES:
        suite, _, way = one.partition("/")
        for each in [way] if way else ways(suite):
            keep(suite, each, outcomes(SUITES[suite], each))
    stored = read()["suites"]
    wrong = [(suite, *each) for suite, found in stored.items() for each in _unexpected(found)]
    print(*(f"passes on stock and not here: {', '.join(each)}" for each in wrong), sep="\n")
    return int(bool(wrong))


def keep(suite: str, way: str, found: Mapping[str, str]) -> None:
    stored = {**read(), "versions": versions()}
    stored["suites"].setdefault(suite, {})[way] = found
    write(stored)
    print(f"{suite}, {way}: {_counts(found, '')}", flush=True)


def _unexpected(found: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    for way, names in broken(found).items():
        yield from ((way, name) for name in names if way != PUBLISHED or name not in DIFFERENT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
