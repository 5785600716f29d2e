"""A Dask cluster gives the marks that grading here gives, a worker that breaks costs no mark, and
nobody uses the cluster without credentials.
"""

import contextlib
import copy
import http.client
import json
import os
import shutil
import ssl
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from distributed import Client
from distributed.security import Security
from hypothesis import given
from hypothesis import strategies as st
from students import CLASS, hand_in
from typer.testing import CliRunner

from nbjudge import boxes, exercises, wire
from nbjudge.cli import app
from nbjudge.course.publish import publish
from nbjudge.grading.cluster import ClusterRefused, Scheduler, arrivals, parcel
from nbjudge.grading.cluster import worker as cluster_worker
from nbjudge.grading.config.budget import Budget
from nbjudge.grading.config.folders import Course
from nbjudge.grading.intake.intake import Submission
from nbjudge.grading.marks.results import SubmissionResult
from nbjudge.grading.published.asked_exercises import in_folder
from nbjudge.grading.run import coordinator
from nbjudge.grading.submission import engine
from nbjudge.grading.submission.task import Task
from tests.grading import own_cluster
from tests.grading.own_cluster import DEPLOY

ROOT = Path(__file__).resolve().parents[2]
ROGUE = Path(__file__).with_name("rogue.py")
RIGHT = next(student for student in CLASS if student.inspect == "solution")
WRONG = next(student for student in CLASS if student.name == "eve-main-graph-only")
HONEST = {"right": RIGHT, "wrong": WRONG}
# As "right", with a picture in the notebook that makes it larger than what is held in memory.
LARGE = "large"
# What rogue.py does for these students, and the reason that stands in the report.
BROKEN = {
    "raises": "lost a worker, grading: MemoryError: no memory left",
    "garbage": "the worker's result was refused: not valid JSON",
    "somebody": "the worker's result was refused: it is another student's",
}

pytestmark = pytest.mark.xdist_group("cluster")


@pytest.fixture(scope="module")
def course(project, tmp_path_factory) -> Course:
    course = Course.at(tmp_path_factory.mktemp("course"))
    publish(course, project, ["day-50"], exchange=False)
    for name, student in {
        **HONEST,
        **dict.fromkeys(("killed", "doomed", LARGE, *BROKEN), RIGHT),
    }.items():
        hand_in(
            student,
            project.labs / "day-50",
            project.solutions / "day-50",
            course.submitted / name / "day-50",
        )
    path = course.submitted / LARGE / "day-50" / "inspect.ipynb"
    notebook = json.loads(path.read_text())
    notebook["metadata"]["drawing"] = "x" * (wire.PIECE + 1)
    path.write_text(json.dumps(notebook))
    return course


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler whose workers break for some students, and the folder with their certificates."""
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "traces").mkdir()
    rogue = broken_workers(folder / "traces")
    with own_cluster.running(folder, **rogue) as (scheduler, _):
        yield scheduler, folder


def broken_workers(traces: Path) -> dict[str, str]:
    """The environment of workers that load rogue.py."""
    return {"DASK_DISTRIBUTED__WORKER__PRELOAD": str(ROGUE), "ROGUE_TRACES": str(traces)}


@pytest.fixture(scope="module")
def scheduler(cluster):
    return cluster[0]


def without_time(report) -> dict:
    submissions = json.loads("".join(report.json_text()))["submissions"]
    return {entry["student"]: {**entry, "seconds": 0} for entry in submissions}


def request(scheduler: Scheduler, *students: str) -> coordinator.GradingRequest:
    return coordinator.GradingRequest(
        "day-50", students=students, seed=50, jobs=2, force=True, scheduler=scheduler
    )


def test_a_cluster_gives_the_same_marks_and_a_worker_that_breaks_costs_none(
    course, cluster, scheduler
):
    expected = without_time(
        coordinator.grade(
            course, coordinator.GradingRequest("day-50", students=list(HONEST), seed=50, jobs=2)
        )
    )
    report = coordinator.grade(course, request(scheduler, *HONEST, "killed", LARGE, *BROKEN))
    found = without_time(report)
    assert {name: found[name] for name in HONEST} == expected
    for name in ("killed", LARGE):
        assert found[name] == {**expected["right"], "student": name}
    assert expected["right"]["score"] > expected["wrong"]["score"]
    assert (cluster[1] / "traces" / "killed").exists()
    for name, reason in BROKEN.items():
        assert found[name]["status"] == "ungraded" and reason in found[name]["reason"], found[name]
    assert report.exit_code == 3
    assert sorted(folder.name for folder in course.autograded.iterdir()) == [
        "killed",
        LARGE,
        "right",
        "wrong",
    ]


def test_a_submission_whose_workers_are_lost_each_time_is_ungraded_with_its_reason(
    course, scheduler
):
    report = coordinator.grade(course, request(scheduler, "doomed"))
    [found] = without_time(report).values()
    assert found["status"] == "ungraded" and found["score"] is None
    assert "lost a worker, grading: KilledWorker" in found["reason"]
    assert "start anew those that are gone" in found["reason"]
    assert report.exit_code == 3


@pytest.mark.parametrize(
    ("offer", "why"),
    [
        ("nbjudge-000000000000", "it has another version of nbjudge installed"),
        ("gpu", "it was not started with `deploy/dask/worker.sh`"),
    ],
)
def test_a_worker_that_cannot_grade_gets_no_submission(course, tmp_path, offer, why):
    """Alone, it has the run refused; beside one that can, it is passed over."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "python").write_text(f"#!/bin/sh\necho {offer}\n")
    (other / "python").chmod(0o755)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**broken_workers(tmp_path), "ROGUE_DEED": "raises", "PATH": f"{other}:{path}"}
    with own_cluster.running(tmp_path, **environment) as (scheduler, _):
        with pytest.raises(coordinator.Refused) as refused:
            coordinator.grade(course, request(scheduler, "right"))
        assert why in str(refused.value)
        fit = subprocess.Popen(
            [DEPLOY / "worker.sh", tmp_path / "certificates", scheduler.address],
            env={**os.environ, "PATH": path},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            with connected(scheduler) as client:
                client.wait_for_workers(3, timeout=120)
            report = coordinator.grade(course, request(scheduler, "right", "wrong"))
        finally:
            fit.terminate()
            fit.wait()
    assert [entry["status"] for entry in without_time(report).values()] == ["graded"] * 2


def test_a_worker_whose_package_was_replaced_since_it_was_started_refuses(monkeypatch):
    """It still offers what it offered when it was started."""
    monkeypatch.setattr(cluster_worker, "offered", lambda: "nbjudge-000000000000")
    shared = cluster_worker.shared(EMPTY)
    monkeypatch.undo()
    with pytest.raises(cluster_worker.Unfit, match="another version of nbjudge"):
        cluster_worker.grade(shared, b"")


def connected(scheduler: Scheduler) -> Client:
    security = Security(
        require_encryption=True,
        tls_ca_file=scheduler.ca,
        tls_client_cert=scheduler.cert,
        tls_client_key=scheduler.key,
    )
    return Client(scheduler.address, security=security, timeout=30, set_as_default=False)


EMPTY = Task(
    submission=Submission(""),
    skeletons={"1": {}},
    tests={},
    rubrics={},
    current="1",
    exercises={},
    files={},
)


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
    with connected(scheduler) as client:
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
        coordinator.grade(course, request(foreign, "right"))


def test_a_scheduler_that_does_not_answer_is_named(course, scheduler):
    gone = replace(scheduler, address="tls://127.0.0.1:1", seconds=1)
    with pytest.raises(coordinator.Refused, match=r"nothing is graded at tls://127\.0\.0\.1:1: "):
        coordinator.grade(course, request(gone, "right"))


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
    with pytest.raises(ClusterRefused):
        Scheduler.of("tls://host:8786")


@pytest.fixture
def worker_here():
    """Tests that are a worker themselves leave this process its own exercises."""
    yield
    exercises.use(None)


def test_no_worker_grades_without_a_sandbox(monkeypatch, worker_here):
    def broken():
        raise boxes.SandboxUnavailable("no bubblewrap")

    monkeypatch.setattr(boxes, "require_sandbox", broken)
    with pytest.raises(boxes.SandboxUnavailable, match="no bubblewrap"):
        cluster_worker.grade(cluster_worker.shared(EMPTY), parcel.pack(Submission("ada")))


def test_no_worker_is_started_without_a_sandbox(tmp_path):
    """There, bubblewrap is where nobody looks for it."""
    code = "import runpy; from nbjudge.boxes import launch; launch._PATH = '/nowhere'; runpy.run_module('{}', run_name='__main__')"
    for name, line in {
        "python": f'exec {sys.executable} -P -c "{code.format(cluster_worker.__name__)}"',
        "dask": f"touch {tmp_path / 'started'}",
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [DEPLOY / "worker.sh", tmp_path, "tls://127.0.0.1:1"],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode and "no worker is started: " in done.stderr
    assert not (tmp_path / "started").exists()


def test_a_worker_gets_the_courses_own_exercises(tmp_path, monkeypatch, worker_here):
    folder = tmp_path / "exercises" / "double"
    for name, source in {
        "ask.py": "class Double:\n    functions, minutes = {}, 2\n\n\nEXERCISE = Double()",
        "judge/marks.py": "JUDGE = 4",
        "answers/right.py": "the answer",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(source)
    minutes = []

    def grade(task):
        minutes.append(exercises.get("double").minutes)
        return engine._empty(task)

    submission = parcel.pack(Submission("ada"))
    exercises.use(folder.parent)
    shared = cluster_worker.shared(EMPTY)
    assert b"the answer" not in shared
    exercises.use(tmp_path / "elsewhere")
    monkeypatch.setattr(engine, "grade", grade)
    monkeypatch.setattr(boxes, "require_sandbox", lambda: None)
    cluster_worker.grade(shared, submission)
    assert minutes == [2]


def test_a_worker_takes_up_another_run_when_nothing_of_the_one_before_is_at_work(
    monkeypatch, worker_here
):
    """The exercises of a course are the whole process's: under a submission of one run, another run
    must not replace them.
    """
    one, two = map(cluster_worker.shared, (EMPTY, replace(EMPTY, changeable=("two",))))
    done = []

    def at_work(shared: bytes, student: str) -> threading.Thread:
        words = shared, parcel.pack(Submission(student))
        thread = threading.Thread(target=cluster_worker.grade, args=words, daemon=True)
        thread.start()
        return thread

    def grade(task):
        if task.submission.student == "first":
            others.append(at_work(two, "of another run"))
            at_work(one, "of the same run").join()
            others[0].join(0.2)
        done.append(task.submission.student)
        return engine._empty(task)

    others: list[threading.Thread] = []
    monkeypatch.setattr(engine, "grade", grade)
    monkeypatch.setattr(boxes, "require_sandbox", lambda: None)
    cluster_worker.grade(one, parcel.pack(Submission("first")))
    others[0].join()
    assert done == ["of the same run", "first", "of another run"]


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
    asked = coordinator.GradingRequest("day-50", seed=50, budget=Budget())
    run = coordinator._run(course, asked, lambda *told: None)
    return run.task(replace(run.take("right"), secret="known here alone"))


@pytest.fixture(scope="module")
def whole(task):
    """What a worker returns."""
    return engine.grade(
        replace(task, submission=replace(task.submission, secret=None))
    ).to_journal()


def forged(whole: dict, *path: str, value: object) -> bytes:
    """A result with another value at a path of keys."""
    result = inside = copy.deepcopy(whole)
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return json.dumps(result).encode()


CELL = ("cells", "inspect/check-inspect")


def test_a_result_counts_as_it_was_sent_and_keeps_what_no_worker_knows(task, whole):
    accepted = arrivals.accept(json.dumps(whole).encode(), task)
    assert accepted.to_journal() == {**whole, "secret": "known here alone"}
    assert accepted.status == "graded"
    mine = arrivals.accept(forged(whole, "secret", value="of somebody else"), task)
    assert mine.secret == "known here alone"


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        (("student",), "wrong", "another student's"),
        (("max_score",), 1000.0, "its maximum"),
        (("waiting",), ["inspect"], "its notebooks"),
        (("notebooks", "another"), {"status": "graded", "reason": None}, "its notebooks"),
        (("notebooks",), {}, "its notebooks"),
        (("documents",), {}, "the notebooks to record"),
        (("documents", "another"), {"cells": []}, "the notebooks to record"),
        (("more",), 1, "more"),
        (("cells",), [], "items"),
        ((*CELL, "score"), 1000.0, "between 0 and its points"),
        ((*CELL, "score"), -1.0, "between 0 and its points"),
        ((*CELL, "score"), None, "between 0 and its points"),
        ((*CELL, "score"), "4.0", "str"),
        ((*CELL, "status"), "ungraded", "between 0 and its points"),
    ],
)
def test_a_result_that_is_not_the_submissions_is_refused(task, whole, path, value, why):
    with pytest.raises(arrivals.Rejected, match=why):
        arrivals.accept(forged(whole, *path, value=value), task)


LEAVES = st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=5)
ANYTHING = st.recursive(
    LEAVES,
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=5), inside),
    max_leaves=10,
)


@given(name=st.sampled_from(sorted(vars(SubmissionResult("ada", 1.0)))), value=ANYTHING)
def test_whatever_stands_in_a_result_it_is_taken_or_refused(task, whole, name, value):
    with contextlib.suppress(arrivals.Rejected):
        found = arrivals.accept(forged(whole, name, value=value), task)
        assert (found.student, found.max_score) == (whole["student"], whole["max_score"])


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "not valid JSON"),
        (b"[]", "no JSON object"),
        (b"null", "no JSON object"),
        (b"NaN", "not valid JSON"),
        (b"\xff", "not valid JSON"),
        (b"[" * 10_000, "nested deeper"),
        (b"[" + b"0," * 2_000_001 + b"0]", "more than 2000000 values"),
        (b'"' + b" " * (40 << 20) + b'"', "over the limit"),
    ],
)
def test_bytes_over_a_cap_or_of_another_form_are_refused(task, data, why):
    with pytest.raises(arrivals.Rejected, match=why):
        arrivals.accept(data, task)
