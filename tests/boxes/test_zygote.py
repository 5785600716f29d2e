"""Boxes that get a fork of the zygote differ from others in one thing: what they need is imported
already.
"""

import hashlib
import os
import signal
import socket
import textwrap
from pathlib import Path

import pytest
from box_tools import CHECKER, RUNNER, run_cells

from nbjudge import boxes
from nbjudge.boxes import zygote
from nbjudge.boxes.inside import confinement, template
from nbjudge.boxes.system import members, numbers

HELD = "'torch' in __import__('sys').modules"


@pytest.fixture(autouse=True)
def _anew():
    """No zygote of the test before, and none for the next."""
    zygote.close()
    yield
    zygote.close()


def in_box(series, *sources, **job):
    ran = run_cells(*sources, start=series.run, **job)
    assert ran.ended == "finished", ran.detail
    return ran


def of_template(series) -> dict[str, object]:
    """All that the system tells an instructor of a resting box's template."""
    first = series._box._first
    (pid,) = set(members(first)) - {first}
    folder, of_first = Path("/proc", str(pid)), Path("/proc", str(first))
    status = dict(line.split(":\t", 1) for line in (folder / "status").read_text().splitlines())
    plain = ("Umask", "SigIgn", "SigBlk", "Cpus_allowed", "Threads")
    asked = {
        "parent": lambda: int(status["PPid"]) == first,
        "depth": lambda: len(status["NStgid"].split()),
        "session": lambda: status["NSsid"].split()[-1] == status["NSpid"].split()[-1],
        "namespaces": lambda: [
            path.name
            for path in (folder / "ns").iterdir()
            if os.readlink(path) != os.readlink(of_first / "ns" / path.name)
        ],
        "root": lambda: sorted(os.listdir(folder / "root")),
        "mounts": lambda: (
            (folder / "mountinfo").read_text() == (of_first / "mountinfo").read_text()
        ),
        "folder": lambda: os.readlink(folder / "cwd"),
        "environment": lambda: sorted((folder / "environ").read_bytes().split(b"\0")),
        "descriptors": lambda: sorted(
            os.readlink(path).partition("[")[0] for path in (folder / "fd").iterdir()
        ),
        "priority": lambda: os.getpriority(os.PRIO_PROCESS, pid),
        "score": (folder / "oom_score_adj").read_text,
        "personality": (folder / "personality").read_text,
    }
    seen = confinement.seen(pid)
    if os.geteuid() == 0:  # each box has a user id of its own
        own = str(series._box._uid)
        assert seen["Uid"].split() == seen["Gid"].split() == [own] * 4
        seen |= {"Uid": "its own", "Gid": "its own"}
    return {
        **seen,
        **{name: status[name] for name in plain},
        **{name: _told(question) for name, question in asked.items()},
    }


def _told(question):
    try:
        return question()
    except PermissionError:
        return "not told to an ordinary user"


@pytest.mark.parametrize("module", [RUNNER, CHECKER])
def test_a_template_that_was_lent_is_what_one_of_the_box_s_own_is(module):
    seen = {}
    for cold in (True, False):
        with boxes.Series(module, cold=cold) as series:
            if module == RUNNER:
                in_box(series, "1")
            else:
                digest_nothing(series)
            assert (zygote.of(module)._process is None) == cold
            seen[cold] = of_template(series)
    assert seen[False] == seen[True]
    assert seen[True]["parent"] is True
    assert seen[True]["namespaces"] in ([], "not told to an ordinary user")


def digest_nothing(series):
    from nbjudge import wire

    job = wire.encode("job", exercise="inspect", op="digest", imports=["judge:inspect"])
    ended = series.run(lambda: [job, wire.encode("go")], boxes.limits_for_checker())
    assert ended.ended == "finished", ended.detail


def test_a_box_finds_what_it_expects_and_what_others_wanted_before():
    with boxes.Series(RUNNER) as first:
        assert in_box(first, HELD, imports=["torch"]).text(0) == "True"
    own = "import os; os.path.exists('/proc/2') and open('/proc/2/cmdline').read()"
    with boxes.Series(RUNNER, ["torch"]) as second:
        assert in_box(second, HELD).text(0) == "True"
        assert in_box(second, own).status(0) == "ok"
    with boxes.Series(RUNNER, ["torch"], cold=True) as cold:
        assert in_box(cold, HELD).text(0) == "False"


def test_student_code_sees_nothing_of_the_zygote_but_its_libraries():
    """Not in its memory, arguments or environment, and nothing that judges."""
    look = """
        import gc, os, sys
        for name in ("environ", "cmdline"):
            print(sorted(open(f"/proc/self/{name}").read().split("\\0")))
        print([name for name in sys.modules if ".judge" in name or name.startswith("nbjudge.rungs")])
        print(os.getppid(), os.listdir("/exercises") if os.path.exists("/exercises") else None)
        print(sorted(int(name) for name in os.listdir("/proc/self/fd"))[:3])
        print([path for path in sys.path_importer_cache if "solutions" in path or "tests" in path])
    """
    found = {}
    for cold in (True, False):
        with boxes.Series(RUNNER, ["numpy", "exercise:dropout"], cold=cold) as series:
            lines = in_box(series, textwrap.dedent(look), imports=["numpy"]).text(0).splitlines()
            found[cold] = [line for line in lines if "nbjudge.boxes.inside" not in line]
    assert found[False] == found[True]


# What is searched for is its first half, which the search itself holds too; behind that one stands
# something else.
FIRST, SECOND = "first half of a mark that nobody else has", "and the second half of it"
PLANT = (
    f"import os\nmark = b'{FIRST}'.hex() + b'{SECOND}'.hex()\nkept = [bytes.fromhex(mark)] * 3\n"
)
SEARCH = f"""
import hashlib, re
def search():
    found = 0
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for line in maps:
            start, end = (int(word, 16) for word in line.split()[0].split("-"))
            if " rw" in line:
                memory.seek(start)
                for match in re.finditer(rb"{FIRST}", part := memory.read(end - start)):
                    behind = part[match.end():][:{len(SECOND)}]
                    found += hashlib.sha256(behind).hexdigest() == "{hashlib.sha256(SECOND.encode()).hexdigest()}"
    return found
print(search() > 0)
"""


def test_nothing_of_one_student_is_in_the_memory_of_the_next():
    with boxes.Series(RUNNER) as one:
        ran = in_box(one, PLANT, SEARCH)
        assert ran.text(1) == "True\n", ran.text(1)
        with boxes.Series(RUNNER) as beside:
            assert in_box(beside, SEARCH).text(0) == "False\n"
    with boxes.Series(RUNNER) as after:
        assert in_box(after, SEARCH).text(0) == "False\n"


@pytest.mark.parametrize("said", [None, b"", b"let me in"], ids=["nothing", "gone", "other words"])
def test_who_does_not_knock_in_time_finds_the_door_closed(said, monkeypatch):
    monkeypatch.setattr(template, "_COMING_SECONDS", 0.2)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if said is not None:
        theirs.send(said) if said else theirs.shutdown(socket.SHUT_WR)
    assert not template.Template._take_in(object.__new__(template.Template), ours)
    with pytest.raises(BrokenPipeError), theirs:
        theirs.send(template.KNOCK)


def test_a_template_with_other_rights_is_not_taken(monkeypatch):
    """Here, process 1 itself is told to have other limits than those that the fork is given."""
    whole = zygote.launch.resource_limits
    with monkeypatch.context() as patch:
        patch.setattr(
            zygote.launch, "resource_limits", lambda limits: whole(limits) | {"CORE": 4096}
        )
        zygote.launch.resource_limits(boxes.limits_for_runner())
        loan = zygote.Loan.give

        def give(self, box, uid, limits):
            patch.setattr(zygote.launch, "resource_limits", whole)
            loan(self, box, uid, limits)

        patch.setattr(zygote.Loan, "give", give)
        with boxes.Series(RUNNER, ["torch"]) as series:
            assert in_box(series, HELD).text(0) == "False"
            assert of_template(series)["parent"]


def test_a_zygote_that_is_gone_costs_no_box():
    with boxes.Series(RUNNER, ["torch"]) as first:
        assert in_box(first, HELD).text(0) == "True"
        os.kill(zygote.of(RUNNER)._process.pid, signal.SIGKILL)
        signal.pidfd_send_signal(zygote.of(RUNNER)._handle, signal.SIGKILL)
        zygote.of(RUNNER)._process.wait()
        assert in_box(first, HELD).text(0) == "True", "what was lent stays"
    held = []
    for _ in range(2):
        with boxes.Series(RUNNER, ["torch"]) as series:
            held.append(in_box(series, HELD).text(0))
    assert held == ["False", "True"], "the first finds it gone, the next one gets another"


def test_a_box_that_dies_leaves_no_fork_behind():
    with boxes.Series(RUNNER) as series:
        in_box(series, "1")
        session = os.getsid(zygote.of(RUNNER)._process.pid)
    for _ in range(3):
        with boxes.Series(RUNNER) as series:
            in_box(series, "1")
            series._box._process.kill()
    zygote.close()
    left = [
        pid for pid in os.listdir("/proc") if pid.isdigit() and numbers(int(pid), 3) == [session]
    ]
    assert left == []
