"""Each probe fails when what it looks at is taken away, and then nothing is graded."""

import pytest

from nbjudge import boxes
from nbjudge.boxes import launch, selftest
from nbjudge.grading.run import batch, coordinator

# A word of the command that starts a box (and how many go), and the probe that misses it. None: a
# box no longer starts.
PROTECTIONS = {
    "--new-session": (1, "separation"),
    "--as-pid-1": (1, "separation"),
    "--unshare-ipc": (1, "separation"),
    "--unshare-net": (1, "network"),
    "--unshare-pid": (1, None),
    "--unshare-uts": (1, None),
    "--seccomp": (2, "system calls"),
    "--remount-ro": (4, "system"),
    "--data": (1, "limits"),
    "--nproc": (1, "limits"),
    "--cpu": (1, "limits"),
    "--fsize": (1, "limits"),
    "--core": (1, "limits"),
    "--memlock": (1, "limits"),
    "--size": (2, "disk"),
}
# What only real root's boxes have: an ordinary user has none of it to drop.
OF_ROOT = {
    "--reuid": (1, "identity"),
    "--clear-groups": (1, "identity"),
    "--bounding-set": (1, "identity"),
}


def without(monkeypatch, option: str, count: int) -> None:
    command = launch.command

    def shortened(*arguments) -> list[str]:
        words = command(*arguments)
        while position := next(
            (place for place, word in enumerate(words) if word.partition("=")[0] == option), None
        ):
            if option == "--clear-groups":
                words[position : position + 1] = ["--groups=100"]
                continue
            del words[position : position + count]
        return words

    monkeypatch.setattr(launch, "command", shortened)


@pytest.mark.parametrize("option", [*PROTECTIONS, *(OF_ROOT if launch.os.geteuid() == 0 else ())])
def test_a_probe_misses_each_protection(option, monkeypatch):
    count, expected = (PROTECTIONS | OF_ROOT)[option]
    without(monkeypatch, option, count)
    try:
        failed = {probe.name for probe in selftest._report(()) if not probe.passed}
    except boxes.SandboxUnavailable:
        failed = {None}
    assert expected in failed


def test_grading_refuses_what_the_doctor_finds(monkeypatch, tmp_path):
    """One list: the limit on processor time is none of the walls, and still nothing is graded
    without it.
    """
    without(monkeypatch, "--cpu", 1)
    monkeypatch.setattr(selftest, "_killed", lambda name, *how: selftest.Probe(name, True, "", ""))
    selftest.require_walls.cache_clear()
    selftest.require_limits.cache_clear()
    with pytest.raises(coordinator.Refused, match="limit cpu"):
        batch.Sandbox(tmp_path).prove()
