"""Starting boxes: what is the harness's fault says so, and no two boxes share a user."""

import contextlib
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from nbjudge import boxes, wire
from nbjudge.boxes import launch, mounts, selftest
from nbjudge.boxes.box import _identity
from nbjudge.boxes.process import BoxProcess
from tests.boxes.box_tools import ARCHIVE, MIB, RUNNER

LIMITS = boxes.limits_for_pictures()


@pytest.fixture
def fresh():
    """What is found once and kept, found again."""
    caches = (
        launch.find_tools,
        mounts.prefixes,
        mounts.arguments,
        selftest.require_walls,
        selftest.require_limits,
    )
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def test_without_bubblewrap_it_says_what_to_type(fresh, monkeypatch, tmp_path):
    monkeypatch.setattr(launch, "_PATH", str(tmp_path))
    with pytest.raises(boxes.SandboxUnavailable, match="apt-get install bubblewrap"):
        boxes.require_sandbox()
    (probe,) = boxes.self_test()
    assert not probe.passed
    assert "apt-get install bubblewrap" in probe.detail


def test_an_old_bubblewrap_is_refused(fresh, monkeypatch, tmp_path):
    old = tmp_path / "bwrap"
    old.write_text("#!/bin/sh\necho bubblewrap 0.6.1\n")
    old.chmod(0o755)
    monkeypatch.setattr(launch, "_PATH", f"{tmp_path}:{launch._PATH}")
    with pytest.raises(boxes.SandboxUnavailable, match=r"0\.6\.1 is too old"):
        boxes.require_sandbox()


def test_a_bubblewrap_that_fails_is_not_the_student_s_fault(fresh, monkeypatch, tmp_path):
    broken = tmp_path / "bwrap"
    broken.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo 0.8.0 && exit\necho "bwrap: setting up uid map: Permission denied" >&2; exit 1\n'
    )
    broken.chmod(0o755)
    monkeypatch.setattr(launch, "_PATH", f"{tmp_path}:{launch._PATH}")
    with pytest.raises(boxes.SandboxUnavailable, match="apparmor"):
        boxes.run(ARCHIVE, [], LIMITS)


def test_last_words_that_come_after_the_end_are_heard(fresh, monkeypatch, tmp_path):
    """A process of the sandbox's complains when bwrap itself has ended and was waited for."""
    broken = tmp_path / "bwrap"
    broken.write_text(
        textwrap.dedent(f"""\
            #!{sys.executable}
            import os, sys, time
            if sys.argv[1] == "--version":
                sys.exit(print("bubblewrap 0.8.0"))
            bwrap = os.getpid()
            if os.fork():
                os._exit(1)
            os.close(1)
            os.closerange(3, 1024)
            while os.path.exists(f"/proc/{{bwrap}}"):
                pass  # it has ended; its entry stays until it is waited for
            time.sleep(2.5)
            os.write(2, b"bwrap: setting up uid map: Permission denied")
        """)
    )
    broken.chmod(0o755)
    monkeypatch.setattr(launch, "_PATH", f"{tmp_path}:{launch._PATH}")
    with pytest.raises(boxes.SandboxUnavailable, match="apparmor"):
        boxes.run(ARCHIVE, [], LIMITS)


def test_what_has_ended_is_not_killed_once_more():
    """Whoever stops all boxes may come late: the handle's number may be another box's by then."""
    with _identity() as uid, BoxProcess(ARCHIVE, LIMITS, uid, []) as box:
        box.first_pid()
    box.kill()


def test_a_box_starts_where_a_thousand_files_are_open():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    with contextlib.ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(1100):
            stack.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        frames = wire.pieces("archive", {"archive.zip": b"no archive"})
        assert boxes.run(ARCHIVE, frames, LIMITS).ended == "finished"


def test_a_slow_machine_is_given_time_to_start_a_box(monkeypatch):
    """Limits that are over before the box can have started are followed by longer ones."""
    short = [replace(selftest._SMALL, wall_seconds=seconds) for seconds in (0.001, 4)]
    (probe,) = selftest._late("deadline", "wait", "", *short)
    assert probe.passed, probe.detail


def test_a_program_that_does_not_start_is_not_the_student_s_fault():
    with pytest.raises(boxes.BoxFailure, match="no_such_program"):
        boxes.run("nbjudge.boxes.inside.no_such_program", [], LIMITS)


def test_a_box_too_small_for_its_own_program_is_not_the_student_s_fault():
    with pytest.raises(boxes.SandboxUnavailable):
        boxes.run(
            ARCHIVE,
            [],
            boxes.Limits(
                wall_seconds=60,
                cpu_seconds=60,
                memory_bytes=MIB,
                processes=32,
                file_bytes=MIB,
                scratch_bytes=MIB,
                output_bytes=MIB,
            ),
        )


def test_a_package_that_boxes_cannot_see_is_refused(tmp_path):
    """Loaded from a source tree, as after an editable install."""
    shutil.copytree(Path(boxes.__file__).parents[1], tmp_path / "nbjudge")
    program = "from nbjudge import boxes; boxes.require_sandbox()"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "no box can see; type `make install`" in ended.stderr


def test_every_wall_holds():
    failed = [probe for probe in boxes.self_test() if not probe.passed]
    assert not failed


@pytest.fixture
def walls_alone(monkeypatch):
    """The self-test without limits and kernel, which take seconds: another test has them whole."""
    monkeypatch.setattr(selftest, "_limits", lambda: [])
    monkeypatch.setattr(selftest, "require_limits", lambda: None)


def test_a_folder_that_a_box_can_see_fails_the_self_test(walls_alone):
    failed = [probe for probe in boxes.self_test(Path("/usr")) if not probe.passed]
    assert [probe.name for probe in failed] == ["files"]
    assert "/usr/bin" in failed[0].detail


def test_a_failed_wall_is_refused(fresh, walls_alone, monkeypatch):
    monkeypatch.setattr(selftest, "_SYSTEM_FILES", ("/proc/1",))
    with pytest.raises(boxes.SandboxUnavailable, match=r"files: /proc/1 can be seen"):
        boxes.require_sandbox()


def test_boxes_that_run_at_once_have_different_users_and_see_nothing_of_each_other():
    # Under real root every box has a user id of its own; an ordinary user's boxes have user
    # namespaces of their own.
    sources = (
        "import os, time; print(os.readlink('/proc/self/ns/user'), os.getuid())",
        "time.sleep(1000)",
    )
    cells = [{"index": index, "source": source} for index, source in enumerate(sources)]
    job = wire.encode("job", mode="plain", cells=cells)
    texts, all_of_them = [], threading.Barrier(4)

    class Enough(Exception):
        pass

    def hear(frame):
        if frame.kind == "cell":
            texts.append(frame.header["outputs"][0]["text"])
            all_of_them.wait()
            raise Enough

    def start(_):
        with pytest.raises(Enough):
            boxes.run(RUNNER, [job], boxes.limits_for_runner(), on_frame=hear)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(start, range(4)))
    assert len(set(texts)) == 4
    if os.geteuid() == 0:
        assert {text.split()[0] for text in texts} == {os.readlink("/proc/self/ns/user")}, (
            "root never maps a user namespace"
        )


def test_a_box_dies_with_its_coordinator():
    program = """
        import os, sys
        from nbjudge import boxes, wire
        job = wire.encode("job", mode="plain", cells=[{"index": 0, "source": "import time; time.sleep(1000)"}])
        boxes.run("nbjudge.boxes.inside.runner", [job], boxes.limits_for_runner(), on_frame=lambda frame: print("started", flush=True))
    """
    with subprocess.Popen(
        [sys.executable, "-P", "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True
    ) as coordinator:
        assert coordinator.stdout.readline() == "started\n"
        handles = [os.pidfd_open(pid) for pid in _descendants(coordinator.pid)]
        coordinator.send_signal(signal.SIGKILL)
    assert len(handles) >= 3, "bwrap, the supervisor, the kernel"
    for handle in handles:
        assert _has_ended(handle)


def _descendants(pid: int) -> list[int]:
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as file:
            for child in map(int, file.read().split()):
                found += [child, *_descendants(child)]
    return found


def _has_ended(handle: int) -> bool:
    try:
        return bool(select.select([handle], [], [], 30)[0])
    finally:
        os.close(handle)
