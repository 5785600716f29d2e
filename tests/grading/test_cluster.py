"""A Dask cluster gives the marks that grading here gives; nothing from it is believed, and nobody
uses it without credentials.
"""

import contextlib
import copy
import http.client
import io
import json
import os
import shutil
import ssl
import subprocess
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import own_cluster
import psutil
import pytest
from distributed import Client
from distributed.security import Security
from own_cluster import DEPLOY
from students import CLASS, hand_in
from typer.testing import CliRunner

from nbjudge import exercises, wire
from nbjudge.cli import app
from nbjudge.course.publish import publish
from nbjudge.grading import coordinator, engine
from nbjudge.grading.asked import in_folder
from nbjudge.grading.cluster import (
    ClusterExecutor,
    ClusterRefused,
    Scheduler,
    arrivals,
    bridge,
    own,
    parcel,
)
from nbjudge.grading.cluster import worker as cluster_worker
from nbjudge.grading.folders import Course
from nbjudge.grading.journal import checks_version
from nbjudge.grading.task import Task

ROOT = Path(__file__).resolve().parents[2]
ROGUE = Path(__file__).with_name("rogue.py")
RIGHT = next(student for student in CLASS if student.inspect == "solution")
WRONG = next(student for student in CLASS if student.name == "eve-main-graph-only")
HONEST = {"right": RIGHT, "wrong": WRONG}
REFUSED = {
    "object": "something that is not bytes",
    "list": "something that is not bytes",
    "raises": "ended with an exception",
    "huge": "could not be fetched",
    "large": "larger than 32 MB",
    "garbage": "not one frame",
    "deep": "nested deeper",
    "somebody": "another student",
    "points": "not between 0 and its points",
}

pytestmark = pytest.mark.xdist_group("cluster")


@pytest.fixture(scope="module")
def course(project, tmp_path_factory) -> Course:
    course = Course.at(tmp_path_factory.mktemp("course"))
    publish(course, project, ["day-50"], exchange=False)
    for name, student in {**HONEST, "killed": RIGHT, **dict.fromkeys(REFUSED, RIGHT)}.items():
        hand_in(
            student,
            project.labs / "day-50",
            project.solutions / "day-50",
            course.submitted / name / "day-50",
        )
    return course


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler whose workers do what they should not, and the folder with their certificates."""
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "traces").mkdir()
    rogue = {
        "DASK_DISTRIBUTED__WORKER__PRELOAD": str(ROGUE),
        "ROGUE_TRACES": str(folder / "traces"),
    }
    with own_cluster.running(folder, **rogue) as (scheduler, _):
        yield scheduler, folder


@pytest.fixture(scope="module")
def scheduler(cluster):
    return cluster[0]


def without_time(report) -> dict:
    submissions = json.loads("".join(report.json_text()))["submissions"]
    return {entry["student"]: {**entry, "seconds": 0} for entry in submissions}


def test_a_cluster_gives_the_same_marks_and_what_a_worker_forges_costs_only_itself(
    course, cluster, scheduler
):
    expected = without_time(
        coordinator.grade(
            course, coordinator.GradingRequest("day-50", students=list(HONEST), seed=50, jobs=2)
        )
    )
    report = coordinator.grade(
        course,
        coordinator.GradingRequest("day-50", seed=50, jobs=2, force=True, scheduler=scheduler),
    )
    found = without_time(report)
    assert {name: found[name] for name in HONEST} == expected
    assert found["killed"] == {**expected["right"], "student": "killed"}
    assert expected["right"]["score"] > expected["wrong"]["score"]
    assert (cluster[1] / "traces" / "killed").exists()
    for name, reason in REFUSED.items():
        assert found[name]["status"] == "ungraded" and reason in found[name]["reason"], found[name]
    assert report.exit_code == 3
    assert sorted(folder.name for folder in course.autograded.iterdir()) == [
        "killed",
        "right",
        "wrong",
    ]


def test_nothing_that_a_worker_pickled_was_unpickled_outside_the_cluster(cluster):
    """Each trap leaves the number of the process that unpickled it: workers and the scheduler,
    which belong to the cluster.
    """
    folder = cluster[1]
    unpickled = {int(path.name) for path in (folder / "traces").iterdir() if path.name.isdigit()}
    assert unpickled <= set(cluster_processes(folder)), (unpickled, cluster_processes(folder))


def cluster_processes(folder) -> list[int]:
    """Processes, gone ones as well, that the scheduler's and workers' log names, and those that run
    now.
    """
    marker = f"ROGUE_TRACES={folder / 'traces'}".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if marker in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def test_nobody_runs_anything_without_the_clusters_certificates(cluster, scheduler, tmp_path):
    subprocess.run(
        [DEPLOY / "certificates.sh", tmp_path / "others"], check=True, capture_output=True
    )
    files = {
        "tls_ca_file": "ca.pem",
        "tls_client_cert": "client.pem",
        "tls_client_key": "client.key",
    }
    foreign = {option: str(tmp_path / "others" / name) for option, name in files.items()}
    trusting = {**foreign, "tls_ca_file": scheduler.ca}
    for security in (
        Security(require_encryption=True, **foreign),
        Security(require_encryption=True, **trusting),
    ):
        with (
            pytest.raises(OSError),
            Client(scheduler.address, security=security, timeout=5) as client,
        ):
            client.submit(os.getpid).result(5)
    with (
        pytest.raises(OSError),
        Client(scheduler.address.replace("tls", "tcp"), timeout=5) as client,
    ):
        client.submit(os.getpid).result(5)


PAGES = [
    "/",
    "/sitemap.json",
    "/status",
    "/health",
    "/metrics",
    "/json/identity.json",
    "/json/counts.json",
    "/json/index.html",
    "/info/main/workers.html",
    "/info/metrics",
    "/info/logs.html",
    "/statics/css/base.css",
    "/proxy/8787/127.0.0.1/status",
]


def test_nothing_of_the_cluster_can_be_had_by_http(cluster, scheduler):
    """On no port that a process of the cluster listens on, in plain HTTP or over TLS: only Dask's
    own list of pages, which is empty, is there for who speaks TLS.
    """
    security = Security(
        require_encryption=True,
        tls_ca_file=scheduler.ca,
        tls_client_cert=scheduler.cert,
        tls_client_key=scheduler.key,
    )
    with Client(scheduler.address, security=security, timeout=30) as client:
        client.wait_for_workers(2, timeout=60)
    ours = set(cluster_processes(cluster[1]))
    ports = {
        connection.laddr.port
        for connection in psutil.net_connections("tcp")
        if connection.pid in ours and connection.status == psutil.CONN_LISTEN
    }
    assert len(ports) >= 6  # the scheduler's and two workers', each with Dask's own one beside it
    unverified = ssl._create_unverified_context()
    addresses = [(port, page) for port in sorted(ports) for page in PAGES]
    assert [each for each in addresses if answered(*each, None) is not None] == []
    served = {each: text for each in addresses if (text := answered(*each, unverified)) is not None}
    assert {page for _, page in served} == {"/sitemap.json"}
    assert set(served.values()) == {b'{"paths": ["/sitemap.json"]}'}


def answered(port, page, context):
    """What a page holds, or None where there is none; plain HTTP without a `context`."""
    asked = (
        http.client.HTTPSConnection("127.0.0.1", port, timeout=20, context=context)
        if context
        else http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    )
    try:
        with contextlib.closing(asked):
            asked.request("GET", page)
            answer = asked.getresponse()
            return answer.read() if answer.status == 200 else None
    except (OSError, http.client.HTTPException):
        return None


def test_foreign_certificates_are_refused_in_one_line(course, scheduler, tmp_path):
    subprocess.run(
        [DEPLOY / "certificates.sh", tmp_path / "others"], check=True, capture_output=True
    )
    foreign = replace(
        scheduler,
        seconds=2,
        cert=str(tmp_path / "others" / "client.pem"),
        key=str(tmp_path / "others" / "client.key"),
    )
    with pytest.raises(coordinator.Refused, match=f"nothing is graded at {scheduler.address}"):
        coordinator.grade(
            course,
            coordinator.GradingRequest(
                "day-50", students=["right"], seed=50, force=True, scheduler=foreign
            ),
        )


def test_a_scheduler_that_does_not_answer_is_named(course):
    request = coordinator.GradingRequest(
        "day-50",
        students=["right"],
        seed=50,
        force=True,
        scheduler=Scheduler("tcp://127.0.0.1:1", seconds=1),
    )
    with pytest.raises(coordinator.Refused, match=r"nothing is graded at tcp://127\.0\.0\.1:1: "):
        coordinator.grade(course, request)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["tcp://127.0.0.1:8786"], "not encrypted"),
        (["tls://127.0.0.1:8786"], "type --tls-ca FILE"),
        (
            ["tls://127.0.0.1:8786", "--tls-ca", "nowhere.pem"],
            "--tls-ca nowhere.pem cannot be read: No such file",
        ),
        (["127.0.0.1:8786"], "tls://HOST:8786"),
        (["tls://127.0.0.1"], "tls://HOST:8786"),
    ],
)
def test_a_scheduler_without_credentials_is_refused_and_nothing_starts(options, told, tmp_path):
    done = CliRunner().invoke(
        app, ["grade", "day-50", "--course", str(tmp_path / "course"), "--scheduler", *options]
    )
    assert done.exit_code == 2 and told in done.stderr
    assert not (tmp_path / "course").exists()


def test_certificates_may_stand_in_dasks_configuration(tmp_path, monkeypatch):
    from dask import config

    files = {name: tmp_path / f"{name}.pem" for name in ("ca", "cert", "key")}
    for path in files.values():
        path.touch()
    client = {"cert": str(files["cert"]), "key": str(files["key"])}
    with config.set(
        {"distributed.comm.tls.ca-file": str(files["ca"]), "distributed.comm.tls.client": client}
    ):
        found = Scheduler.of("tls://host:8786")
    assert (found.ca, found.cert, found.key) == tuple(map(str, files.values()))
    assert Scheduler.of("tcp://host:8786", insecure=True) == Scheduler("tcp://host:8786")
    with pytest.raises(ClusterRefused):
        Scheduler.of("tls://host:8786")


def test_a_worker_whose_sandbox_does_not_hold_is_given_nothing(monkeypatch):
    from nbjudge import boxes

    def broken():
        raise boxes.SandboxUnavailable("no bubblewrap")

    shared = parcel.pack(
        (
            {},
            Task(
                submission=None,
                skeletons={},
                tests={},
                rubrics={},
                current="",
                exercises={},
                files={},
            ),
        )
    )
    assert b'"kind":"joined"' in cluster_worker.join(shared)
    monkeypatch.setattr(boxes, "require_sandbox", broken)
    assert b'"kind":"unfit"' in cluster_worker.join(
        shared
    ) and b"no bubblewrap" in cluster_worker.join(shared)
    assert b'"kind":"stranger"' in cluster_worker.grade("another run", b"")


def test_a_worker_gets_the_courses_own_exercises(tmp_path):
    folder = tmp_path / "exercises" / "double"
    for name, source in {
        "ask.py": "class Double:\n    functions, minutes = {}, 2\n\n\nEXERCISE = Double()",
        "judge/marks.py": "JUDGE = 4",
        "answers/right.py": "the answer",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(source)
    try:
        exercises.use(folder.parent)
        shared, checks = (
            parcel.pack(
                (
                    own.collect(),
                    Task(
                        submission=None,
                        skeletons={},
                        tests={},
                        rubrics={},
                        current="",
                        exercises={},
                        files={},
                    ),
                )
            ),
            checks_version(),
        )
        assert b"the answer" not in shared
        exercises.use(tmp_path / "elsewhere")
        assert checks_version() != checks
        [joined] = wire.read(io.BytesIO(cluster_worker.join(shared)), 1 << 20)
        assert (joined.kind, joined.header) == ("joined", joined.header | {"checks": checks})
        assert exercises.get("double").minutes == 2
    finally:
        exercises.use(None)


@pytest.mark.slow
def test_an_exercise_of_the_course_itself_gets_the_same_marks_from_workers(
    scheduler, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for words in (
        "new-exercise my_windows --assignment week-1",
        "release week-1",
        "publish week-1",
    ):
        done = CliRunner().invoke(app, words.split())
        assert done.exit_code == 0, done.output
    course = Course.at(tmp_path / "course-data")
    for student, folder in {"ada": "solutions", "bob": "labs"}.items():
        shutil.copytree(tmp_path / folder / "week-1", course.submitted / student / "week-1")
    expected = without_time(
        coordinator.grade(course, coordinator.GradingRequest("week-1", seed=50, jobs=2))
    )
    found = without_time(
        coordinator.grade(
            course,
            coordinator.GradingRequest("week-1", seed=50, jobs=2, force=True, scheduler=scheduler),
        )
    )
    assert found == expected and found["ada"]["score"] > found["bob"]["score"] == 0


@pytest.mark.parametrize("assignment", ["day-50", pytest.param("lab-7-01", marks=pytest.mark.slow)])
def test_cases_arrive_at_a_worker_as_they_left(assignment):
    for exercise in map(exercises.get, in_folder(ROOT / "labs" / assignment)):
        cases = tuple(exercise.graded_cases(7))
        assert parcel.unpack(parcel.pack(cases)) == cases, exercise.id


@pytest.fixture(scope="module")
def task(course):
    """The work of one submission, as the coordinator makes it."""
    run = coordinator._run(
        course, coordinator.GradingRequest("day-50", seed=50), lambda *told: None
    )
    return run.task(replace(run.take("right"), secret="known here alone"))


def set_in(*path, value):
    """A change of a result: the value at a path of keys, of which a function picks one of a list."""

    def change(result):
        for key in path[:-1]:
            result = next(item for item in result if key(item)) if callable(key) else result[key]
        result[path[-1]] = value

    return change


def is_test(cell):
    meta = cell["metadata"].get("nbgrader") or {}
    return cell["cell_type"] == "code" and meta.get("grade") and not meta.get("solution")


def is_text(cell):
    return cell["cell_type"] == "markdown"


CELL = ("cells", "inspect/check-inspect")
DOCUMENT = ("documents", "inspect")
LIVE = {"output_type": "display_data", "data": {"text/html": "<script>"}, "metadata": {}}
MARK = {
    "output_type": "execute_result",
    "data": {"text/plain": "1000.0"},
    "metadata": {},
    "execution_count": None,
}
FORGED = [
    set_in("student", value="wrong"),
    set_in("student", value=["right"]),
    set_in("timestamp", value="1990-01-01 00:00:00 UTC"),
    set_in("secret", value="mine"),
    set_in("late_penalty", value=-5.0),
    set_in("max_score", value=1000.0),
    set_in("seconds", value="1"),
    set_in("seconds", value=1e300),
    set_in("fault", value={}),
    set_in("needs_manual", value=1),
    set_in("tampered", value="none"),
    set_in("remarks", value=[1]),
    set_in("failures", value=True),
    set_in("waiting", value=["inspect"]),
    set_in("more", value=1),
    set_in("files", "inspect", value={"../first.ipynb": "eA=="}),
    set_in("files", "another", value={"data.txt": "eA=="}),
    set_in("notebooks", "another", value={}),
    set_in("notebooks", "inspect", "status", value="perfect"),
    set_in("notebooks", "inspect", "status", value="ungraded"),
    set_in(*CELL, "score", value=1000.0),
    set_in(*CELL, "score", value=-1.0),
    set_in(*CELL, "score", value=True),
    set_in(*CELL, "score", value="4.0"),
    set_in(*CELL, "max_score", value=1000.0),
    set_in(*CELL, "found", value=None),
    set_in("cells", "inspect/another", value=dict(status="graded", score=1.0, max_score=1.0)),
    lambda result: result["cells"].pop(CELL[1]),
    set_in(*DOCUMENT, value={}),
    set_in("documents", "another", value={"cells": []}),
    set_in(*DOCUMENT, "metadata", "kernelspec", "name", value="mine"),
    set_in(*DOCUMENT, "cells", is_test, "source", value="print(1)"),
    set_in(*DOCUMENT, "cells", is_test, "outputs", value=[LIVE]),
    set_in(*DOCUMENT, "cells", is_test, "outputs", value=[MARK]),
    set_in(*DOCUMENT, "cells", is_test, "metadata", "nbgrader", "points", value=1000.0),
    set_in(*DOCUMENT, "cells", is_test, "metadata", "nbgrader", value=True),
    set_in(*DOCUMENT, "cells", is_test, "metadata", "nbgrader", value={"grade": True}),
    set_in(*DOCUMENT, "cells", is_test, "metadata", "nbgrader", "grade_id", value=["check"]),
    set_in(*DOCUMENT, "metadata", "language_info", value={"name": "<script>"}),
    set_in(*DOCUMENT, "cells", is_text, "source", value="<script>"),
    set_in(*DOCUMENT, "cells", is_text, "attachments", value={"a.png": {}}),
    set_in(*DOCUMENT, "cells", is_test, "execution_count", value=-1),
    lambda result: result["documents"]["inspect"]["cells"].append(
        {"cell_type": "markdown", "id": "extra-1-0", "metadata": {}, "source": "", "more": 1}
    ),
    lambda result: result["documents"]["inspect"]["cells"].pop(),
    lambda result: result["documents"]["inspect"]["cells"].append(
        {
            "cell_type": "markdown",
            "id": "rubric-1",
            "metadata": {"nbjudge": {"rubric": True}},
            "source": "<script>",
        }
    ),
]


@pytest.fixture(scope="module")
def whole(task):
    """What an honest worker returns."""
    return engine.grade(
        replace(task, submission=replace(task.submission, secret=None))
    ).to_journal()


def test_a_result_counts_only_if_the_submission_can_have_it(task, whole):
    accepted = arrivals.accept(json.dumps(whole).encode(), task)
    assert (
        accepted.to_journal() == {**whole, "secret": "known here alone"}
        and accepted.status == "graded"
    )
    for change in FORGED:
        forged = copy.deepcopy(whole)
        change(forged)
        with pytest.raises(arrivals.Rejected):
            arrivals.accept(json.dumps(forged).encode(), task)
    live = copy.deepcopy(whole)
    extra = {"cell_type": "markdown", "id": "extra-1-0", "metadata": {}, "source": "<script>"}
    live["documents"]["inspect"]["cells"] += [
        extra,
        {**extra, "cell_type": "code", "source": "", "outputs": [LIVE], "execution_count": 1},
    ]
    made = arrivals.accept(json.dumps(live).encode(), task).documents["inspect"]["cells"][-2:]
    assert "<script>" not in made[0]["source"] and made[1]["outputs"] == []
    for data in (
        b"",
        b"[]",
        b"null",
        b"{",
        b"[" * 10_000,
        b"[" + b"0," * 2_000_001 + b"0]",
        b"NaN",
        b"\xff",
    ):
        with pytest.raises(arrivals.Rejected):
            arrivals.accept(data, task)


@pytest.mark.parametrize("language", [None, {"name": "python", "version": "3.11.7"}])
def test_a_result_counts_whatever_the_lab_says_of_its_language(task, whole, language):
    """Marking writes a language of its own into each notebook that is recorded."""
    skeletons = copy.deepcopy(dict(task.skeletons))
    metadata = skeletons[task.current]["inspect"]["metadata"]
    metadata.pop("language_info", None)
    metadata |= {"language_info": language} if language else {}
    task = replace(task, skeletons=skeletons)
    assert arrivals.accept(json.dumps(whole).encode(), task).status == "graded"


def test_a_result_that_nothing_foresaw_costs_only_itself(task, whole, monkeypatch):
    """Whatever it does, the thread that brings all results goes on."""
    executor = ClusterExecutor(Scheduler("tcp://127.0.0.1:1"))
    (odd, number), (next_one, following) = executor._expected(task), executor._expected(task)
    frames = [
        wire.Frame({"kind": "result", "number": at}, {"result.json": data})
        for at, data in ((number, b"odd"), (following, json.dumps(whole).encode()))
    ]
    accept = arrivals.accept

    def unforeseen(data, task):
        return accept(data, task) if data != b"odd" else {}["nothing"]

    monkeypatch.setattr(arrivals, "accept", unforeseen)
    executor._read(iter(frames))
    assert odd.result(0).status == "ungraded" and "KeyError" in odd.result(0).reason
    assert next_one.result(0).status == "graded"


def test_of_an_answer_nothing_is_passed_on_but_the_result(monkeypatch):
    """What else a worker names could be more than a frame's header holds."""
    sent = []
    talk = bridge.Bridge(None, b"", "", sent.append)
    future = Future()
    future.set_result(None)
    talk.jobs[1] = bridge.Job(1, b"", 1.0, 1.0, future=future)
    answer = wire.Frame({"kind": "result"}, {"x" * (8 << 20): b"", "result.json": b"{}"})
    monkeypatch.setattr(talk, "_fetch", lambda future: (answer, ""))
    talk._ended(1, future)
    [passed] = wire.read(io.BytesIO(sent[0]), 1 << 10)
    assert (passed.header["number"], passed.blobs) == (1, {"result.json": b"{}"})
