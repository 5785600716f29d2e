"""What the packages, the citation and the release say of themselves agree, and have the forms that
their readers ask for.
"""

import csv
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import dataset
import jsonschema
import onnx
import projects
import pytest
import version
import yaml

from formatlab.models import museum
from tests import matrix

ROOT = Path(__file__).resolve().parents[1]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
ENTITY = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
# Of the schema of the Citation File Format 1.2.0, what these keys ask for.
CFF = {
    "type": "object",
    "required": ["authors", "cff-version", "message", "title"],
    "additionalProperties": False,
    "properties": {
        "cff-version": {"const": "1.2.0"},
        "type": {"enum": ["dataset", "software"]},
        "title": {"type": "string", "minLength": 1},
        "message": {"type": "string", "minLength": 1},
        "abstract": {"type": "string", "minLength": 1},
        "authors": {"type": "array", "minItems": 1, "items": ENTITY},
        "version": {"type": "string", "minLength": 1},
        "license": {"const": "BSD-3-Clause"},
        "keywords": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "uniqueItems": True,
        },
        "references": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["authors", "title", "type"],
                "additionalProperties": False,
                "properties": {
                    "type": {"enum": ["data", "software"]},
                    "title": {"type": "string"},
                    "authors": {"type": "array", "minItems": 1, "items": ENTITY},
                    "version": {"type": "string"},
                    "license": {"const": "BSD-3-Clause"},
                    "notes": {"type": "string"},
                },
            },
        },
    },
}


def test_the_citation_has_the_form_of_its_format():
    jsonschema.validate(CITATION, CFF)
    [holder] = re.findall(
        r"^Copyright \(c\) \d{4}, (.+)$", (ROOT / "LICENSE").read_text(), re.MULTILINE
    )
    [author] = CITATION["authors"]
    assert author["name"].lower() == holder.lower()


@pytest.mark.parametrize("name", projects.FOLDERS)
def test_a_package_says_what_it_is_for_and_who_made_it(name):
    about = metadata.metadata(name)
    assert len(about["Summary"].split()) > 5 and len(about["Keywords"].split(",")) > 4
    assert about["License-Expression"] == CITATION["license"]
    assert about["Author"] == CITATION["authors"][0]["name"]
    assert "pip install" in (about["Description"] or about.get_payload())
    assert "Programming Language :: Python :: 3" in about.get_all("Classifier")


def test_all_packages_have_one_version():
    found = version.versions()
    assert len(found) == 5 and len(set(found.values())) == 1, found
    script = [sys.executable, ROOT / "tools" / "version.py"]
    options = {"capture_output": True, "text": True, "env": {"PATH": os.environ["PATH"]}}
    right = subprocess.run([*script, found["nbjudge"]], **options)
    wrong = subprocess.run([*script, "99.0"], **options)
    assert right.returncode == 0 and wrong.returncode == 1 and "99.0 is to be" in wrong.stderr


def test_a_release_is_built_checked_and_published_without_a_password():
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    jobs = yaml.safe_load(text)["jobs"]
    assert "secrets." not in text and "password" not in text
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert set(jobs["publish"]["needs"]) == {"build", "dataset"} and jobs["publish"]["environment"]
    ran = "\n".join(step.get("run", "") for step in jobs["build"]["steps"])
    for folder in projects.FOLDERS.values():
        assert f"--outdir dist {folder.relative_to(ROOT)}\n" in f"{ran}\n"
    for script in re.findall(r"tools/\w+\.py", text):
        assert (ROOT / script).is_file()


@pytest.fixture(scope="module")
def matrices(tmp_path_factory):
    """What `make matrix` writes, without what grading adds."""
    folder = tmp_path_factory.mktemp("matrices")
    for name in matrix.exercises_with_mutants():
        (folder / f"{name}.json").write_text(json.dumps(matrix.declared(name)))
    return folder


@pytest.fixture(scope="module")
def archive(matrices, tmp_path_factory):
    path = tmp_path_factory.mktemp("dataset") / "one.zip"
    dataset.write(path, matrices)
    with zipfile.ZipFile(path) as opened:
        yield {name.partition("/")[2]: opened.read(name) for name in opened.namelist()}


def rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode())))


@pytest.mark.xdist_group("dataset")
def test_the_data_set_holds_every_answer_with_what_the_matrix_says(archive):
    listed = rows(archive["answers.csv"])
    stored = [path for path in ROOT.glob("exercises/*/answers/*.py")]
    assert len(listed) == len(stored) == len({row["file"] for row in listed})
    for row in listed:
        compile(archive[row["file"]], row["file"], "exec")
        assert (row["is_right"] == "1") == (row["first_broken_rung"] == "")
        assert 0 <= float(row["score"]) <= 1 and row["about"]


@pytest.mark.xdist_group("dataset")
def test_the_data_set_holds_every_exhibit_broken_and_repaired(archive):
    listed = rows(archive["museum.csv"])
    assert [row["exhibit"] for row in listed] == list(museum.EXHIBITS)
    for row in listed:
        assert row["model"] in archive and row["diagnosis"] in museum.DIAGNOSES
        repaired = row["model"].replace("/broken/", "/repaired/")
        if repaired.endswith(".onnx"):
            onnx.ModelProto.FromString(archive[repaired])


@pytest.mark.xdist_group("dataset")
def test_the_data_set_is_the_same_bytes_again_and_its_page_names_its_version(archive, matrices):
    for line in archive["SHA256SUMS"].decode().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256(archive[name]).hexdigest() == digest
    again = dataset.files(matrices)
    assert again == archive
    page = archive["README.md"].decode()
    assert f"version, {dataset.VERSION}." in page
    assert all(f"`{name}`" in page for name in archive if "/" not in name and name.endswith(".csv"))
    fields = {*dataset.ANSWER_FIELDS, *dataset.MUSEUM_FIELDS}
    assert {"score", "diagnosis"} <= fields
    assert json.loads(archive["matrix/dropout.json"])["exercise"] == "dropout"
