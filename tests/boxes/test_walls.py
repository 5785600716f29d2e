"""What student code finds when it looks, and reaches, outside its box."""

import os
import textwrap
from pathlib import Path

import pytest

from tests.boxes.box_tools import evaluate, run_cells


def test_no_file_of_the_host_can_be_read(tmp_path):
    gradebook = tmp_path / "gradebook.db"
    gradebook.write_text("marks")
    os.chmod(tmp_path, 0o755)
    repository = Path(__file__).parents[2]
    paths = [
        gradebook,
        repository / "pyproject.toml",
        repository / "solutions",
        repository / "tests",
        "/etc/shadow",
        "/etc/hostname",
        "/var",
    ]
    assert (
        evaluate(
            f"import os; print([path for path in {[str(path) for path in paths]} if os.path.lexists(path)])"
        )
        == "[]\n"
    )


def test_the_working_directory_holds_no_notebook():
    assert evaluate("import os; print(sorted(os.listdir('.')), os.getcwd())") == "[] /tmp/work\n"


def test_a_plot_finds_the_system_s_fonts_and_complains_of_nothing():
    ran = run_cells(
        "import os\nprint(os.path.exists('/etc/fonts'))",
        "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
    )
    first, plot = (cell["outputs"] for _, cell in sorted(ran.cells.items()))
    assert first[0]["text"] == f"{os.path.exists('/etc/fonts')}\n"
    assert [output["output_type"] for output in plot] == ["display_data"], plot


def test_nothing_outside_the_scratch_folders_can_be_written():
    source = """
        import os, sys
        writable = []
        for folder in ["/", "/etc", "/usr", "/dev", "/proc/sys/kernel", sys.prefix, sys.base_prefix, "/tmp", "/spool", "/dev/shm"]:
            try:
                with open(folder + "/probe", "w"):
                    writable.append(folder)
            except OSError:
                pass
        print(writable)
    """
    assert evaluate(textwrap.dedent(source)) == "['/tmp', '/spool', '/dev/shm']\n"


@pytest.mark.parametrize(
    "path", ["/proc/sys/kernel/core_pattern", "/proc/sys/vm/overcommit_memory"]
)
def test_the_hosts_settings_cannot_be_written(path):
    assert "denied" in evaluate(f"open({path!r}, 'r+')") or "Read-only" in evaluate(
        f"open({path!r}, 'r+')"
    )


@pytest.mark.parametrize(
    ("attempt", "refusal"),
    [
        ("socket.create_connection(('192.0.2.1', 80), timeout=5)", "unreachable"),
        ("socket.create_connection(('169.254.169.254', 80), timeout=5)", "unreachable"),
        ("socket.gethostbyname('example.org')", "resolution"),
        ("socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)", "not supported"),
        ("socket.socket(socket.AF_PACKET, socket.SOCK_RAW)", "not supported"),
        ("socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)", "not supported"),
    ],
)
def test_there_is_no_network(attempt, refusal):
    assert refusal in evaluate(f"import socket; {attempt}")


def test_the_environment_holds_only_what_the_box_gives():
    source = "import os; print(sorted(set(os.environ) & {'SECRET', 'SSH_AUTH_SOCK', 'LOGNAME', 'VIRTUAL_ENV', 'PYTHONPATH', 'HOSTNAME'}))"
    os.environ["SECRET"] = "token"
    try:
        assert evaluate(source) == "[]\n"
    finally:
        del os.environ["SECRET"]


def test_only_the_box_s_own_processes_are_seen():
    pids = evaluate(
        "import os; print([int(name) for name in os.listdir('/proc') if name.isdigit()])"
    )
    assert len(eval(pids)) <= 3


def test_the_code_has_no_rights():
    source = """
        import os
        status = dict(line.split(":\\t") for line in open("/proc/self/status"))
        print(0 in os.getresuid() + os.getresgid() + tuple(os.getgroups()), int(status["CapPrm"], 16), int(status["NoNewPrivs"]))
    """
    assert evaluate(textwrap.dedent(source)) == "False 0 1\n"


@pytest.mark.parametrize(
    "call",
    [
        "memfd_create(b'x', 0)",
        "inotify_init1(0)",
        "ptrace(16, 1, 0, 0)",
        "unshare(0x10000000)",
        "setns(0, 0)",
        "mount(b'none', b'/tmp', b'tmpfs', 0, None)",
        "shmget(0, 4096, 0o1600)",
        "syscall(438, 0, 0, 0)",
        "prlimit(1, 7, ctypes.c_buffer(16), None)",
        "syscall(425, 8, None)",
        "syscall({'x86_64': 206}.get(__import__('os').uname().machine, 0), 8, ctypes.c_buffer(8))",
        "fcntl(libc.open(b'/tmp/leased', 0o100, 0o600), 1024, 1)",
        "prctl(4, 0, 0, 0, 0)",
        "vmsplice(1, 0, 0, 0)",
        # a table of locks of as many gigabytes as one likes; rules without end; a filter
        "prctl(78, 1, 1 << 20, 0, 0)",
        "syscall(444, None, 0, 1)",
        "prctl(22, 2, 0, 0, 0)",
        "syscall({'x86_64': 317, 'aarch64': 277}[__import__('platform').machine()], 1, 0, 0)",
        # a thread with descriptors of its own
        "close_range(ctypes.c_uint(0xFFFFFFFE), ctypes.c_uint(0xFFFFFFFF), 2)",
        "syscall({'x86_64': 56, 'aarch64': 220}[__import__('platform').machine()], 0x10900, 0, 0, 0, 0)",
    ],
)
def test_the_system_call_is_refused(call):
    source = f"import ctypes; libc = ctypes.CDLL(None, use_errno=True); print(libc.{call}, ctypes.get_errno())"
    assert evaluate(source) == "-1 1\n"


def test_a_nested_user_namespace_is_refused():
    source = "import subprocess; print(subprocess.run(['unshare', '-U', 'true'], stderr=subprocess.DEVNULL).returncode)"
    assert evaluate(source) == "1\n"


def test_the_supervisor_cannot_be_read_or_stopped():
    source = """
        import os, signal
        def attempt(action):
            try:
                return action()
            except OSError as error:
                return error.strerror
        print(attempt(lambda: os.listdir("/proc/1/fd")))
        print(attempt(lambda: open("/proc/1/mem", "rb")))
        print(attempt(lambda: open("/proc/1/environ").read()))
        for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGSEGV):
            os.kill(1, number)
    """
    ran = run_cells(textwrap.dedent(source), "'still here'")
    assert ran.text(0) == "Permission denied\n" * 3
    assert ran.text(1) == "'still here'"


def test_limits_cannot_be_raised():
    source = "from resource import *; hard = getrlimit(RLIMIT_DATA)[1]; setrlimit(RLIMIT_DATA, (hard + 1, hard + 1))"
    assert "not allowed" in evaluate(source)


def test_nothing_planted_in_a_home_folder_reaches_the_next_box():
    plant = """
        import os
        folder = os.path.expanduser("~/.ipython/profile_default/startup")
        os.makedirs(folder)
        open(folder + "/00.py", "w").write("planted = 1")
        open(os.path.expanduser("~/usercustomize.py"), "w").write("planted = 1")
    """
    run_cells(textwrap.dedent(plant))
    assert (
        evaluate("import os; print(os.listdir(os.path.expanduser('~')), 'planted' in globals())")
        == "[] False\n"
    )


def test_a_kernel_that_is_replaced_does_not_run_what_was_planted_before():
    plant = """
        import os
        folder = os.environ["IPYTHONDIR"] + "/profile_default/startup"
        os.makedirs(folder, exist_ok=True)
        open(folder + "/00.py", "w").write("planted = 1")
        os._exit(1)
    """
    assert run_cells(textwrap.dedent(plant), "print('planted' in globals())").text(1) == "False\n"
