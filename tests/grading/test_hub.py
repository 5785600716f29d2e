"""deploy/hub as a hub: JupyterHub with real accounts, two students and an instructor in Chromium, from
fetching an assignment to reading its feedback. It needs root, because it makes accounts, and takes them away again.
"""

import contextlib
import json
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.chromium import CHROMIUM, FLAGS, MINUTES
from tests.grading import small

ROOT = Path(__file__).resolve().parents[2]
PREPARE = ROOT / "deploy" / "hub" / "prepare.sh"
ANSWER = "def square(x):\n    return x * x"
PASSWORD = "of-the-test"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("hub"),
    pytest.mark.skipif(
        os.geteuid() != 0, reason="makes accounts, and a hub starts servers as them"
    ),
]


@dataclass(frozen=True, kw_only=True)
class Hub:
    address: str
    folder: Path
    course: str
    ada: str
    bob: str
    ina: str

    @property
    def formgrader(self) -> str:
        return f"{self.address}/services/{self.course}/formgrader"

    @property
    def grader(self) -> str:
        return f"{self.course}-grader"

    def as_(self, account: str, *words: object, check: bool = True) -> subprocess.CompletedProcess:
        """Run a command as an account would in a terminal of its server."""
        known = pwd.getpwnam(account)
        variables = {
            "HOME": known.pw_dir,
            "USER": account,
            "LOGNAME": account,
            "PATH": f"{self.folder / 'venv' / 'bin'}:/usr/bin:/bin",
            "AUTOGRADER_EXCHANGE": str(self.folder / "exchange"),
            "AUTOGRADER_COURSE_ID": self.course,
            "OMP_NUM_THREADS": "1",
        }
        drop = ["setpriv", f"--reuid={account}", f"--regid={known.pw_gid}", "--init-groups"]
        return subprocess.run(
            [*drop, "--", *map(str, words)],
            cwd=known.pw_dir,
            env=variables,
            check=check,
            capture_output=True,
            text=True,
        )


def home(account: str) -> Path:
    return Path(pwd.getpwnam(account).pw_dir)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def run(*words: object, **options) -> None:
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"


def everybodys_python() -> Path:
    """A Python of this one's version that every account can read, as docs/instructors.md asks for."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    places = [Path(sys.base_prefix) / "bin", Path("/usr/bin"), Path("/usr/local/bin")]
    for python in (place / name for place in places):
        as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
        reads = [*as_nobody, "cat", python]
        if python.exists() and not subprocess.run(reads, capture_output=True).returncode:
            return python
    pytest.fail(f"no {name} that every account can read: type `apt-get install {name}`")


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder as /srv/course: the environment of the tests, moved onto a Python for everybody, with
    JupyterHub and its proxy in it.
    """
    place = Path(tempfile.mkdtemp(prefix="hub-"))
    place.chmod(0o755)
    try:
        python = everybodys_python()
        run(python, "-m", "venv", "--without-pip", place / "venv")
        _take_over(Path(sys.prefix), place / "venv")
        pins = ROOT / "autograder" / "requirements.lock"
        install = [place / "venv" / "bin" / "python", "-m", "pip", "install", "-q"]
        run(*install, "--constraint", pins, "jupyterhub")
        node = {**os.environ, "PATH": f"{Path(sys.prefix) / 'bin'}:{os.environ['PATH']}"}
        run("npm", "install", "--silent", "--prefix", place, "configurable-http-proxy", env=node)
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _take_over(old: Path, new: Path) -> None:
    """The packages of one environment in another: hard links where the disk allows, and the scripts
    written anew, because they name their Python.
    """
    shutil.rmtree(new / "lib")
    for name in ("lib", "share", "etc"):
        if (old / name).is_dir():
            shutil.copytree(old / name, new / name, copy_function=_link, symlinks=True)
    for script in (old / "bin").iterdir():
        target = new / "bin" / script.name
        if script.is_symlink() or target.exists() or not script.is_file():
            continue
        head = script.read_bytes()[:2]
        if head == b"#!":
            text = script.read_text().replace(str(old / "bin"), str(new / "bin"), 1)
            target.write_text(text)
            target.chmod(0o755)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # on another disk
        shutil.copy2(source, target)


@pytest.fixture(scope="module")
def hub(folder) -> Iterator[Hub]:
    """A hub that listens, with a class of three accounts and a published assignment."""
    course = f"hub{os.getpid()}"
    address = f"http://127.0.0.1:{free_port()}"
    ada, bob, ina = (f"{name}-{course}" for name in ("ada", "bob", "ina"))
    hub = Hub(address=address, folder=folder, course=course, ada=ada, bob=bob, ina=ina)
    try:
        run(PREPARE, course, folder)
        for account, role in ((ada, "students"), (bob, "students"), (ina, "instructors")):
            run(
                "useradd",
                "--create-home",
                "--shell",
                "/bin/bash",
                "-G",
                f"{course}-{role}",
                account,
            )
            run("chpasswd", input=f"{account}:{PASSWORD}\n")
            home(account).chmod(0o755)  # as some systems make it: the hub closes it
        _publish(hub)
        with _listening(hub):
            yield hub
    finally:
        _remove_accounts(folder, (ada, bob, ina, hub.grader))
        for role in ("students", "instructors"):
            subprocess.run(["groupdel", f"{course}-{role}"], capture_output=True)


def _remove_accounts(folder: Path, accounts: tuple[str, ...]) -> None:
    """With what they still run, and the hub's proxy, so that nothing is left behind."""
    for process in psutil.process_iter(["username", "cmdline"]):
        is_of_hub = any(str(folder) in word for word in process.info["cmdline"] or ())
        if process.info["username"] in accounts or is_of_hub:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
    for account in accounts:
        subprocess.run(["userdel", "--force", "--remove", account], capture_output=True)
    known = {each.pw_name for each in pwd.getpwall()}
    assert known.isdisjoint(accounts), "an account of the test is left: remove it by `userdel`"


def _publish(hub: Hub) -> None:
    solution = home(hub.grader) / "solutions" / small.ASSIGNMENT
    solution.mkdir(parents=True)
    (home(hub.grader) / "exercises").mkdir()
    notebook = {**small.notebook(small.cells()), "nbformat_minor": 5}
    (solution / f"{small.NOTEBOOK}.ipynb").write_text(json.dumps(notebook))
    run("chown", "-R", hub.grader, home(hub.grader))
    hub.as_(hub.grader, "course", "release")
    hub.as_(hub.grader, "course", "publish", "--course-id", hub.course)


@contextlib.contextmanager
def _listening(hub: Hub) -> Iterator[None]:
    proxy = hub.folder / "node_modules" / ".bin"
    variables = {
        **{name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")},
        "PATH": f"{hub.folder / 'venv' / 'bin'}:{proxy}:{Path(sys.prefix) / 'bin'}:/usr/sbin:/usr/bin:/bin",
        "HUB_FORMGRADER": f"http://127.0.0.1:{free_port()}",
    }
    command = [
        *(hub.folder / "venv" / "bin" / "jupyterhub", "--config", "jupyterhub_config.py"),
        f"--JupyterHub.bind_url={hub.address}",
        f"--JupyterHub.hub_port={free_port()}",
        f"--ConfigurableHTTPProxy.api_url=http://127.0.0.1:{free_port()}",
    ]
    log = hub.folder / "hub.log"
    # Not a pipe: servers that outlive their hub would hold it open.
    with (
        log.open("w") as output,
        subprocess.Popen(
            list(map(str, command)),
            cwd=hub.folder / "hub",
            env=variables,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process,
    ):
        try:
            while not _answers(f"{hub.address}/hub/health"):
                assert process.poll() is None, log.read_text()
                time.sleep(0.2)
            yield
        except BaseException:
            print("".join(log.read_text().splitlines(keepends=True)[-400:]))
            raise
        finally:
            process.terminate()  # it ends its servers, its service and its proxy
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address) as answer:
            return answer.status == 200
    except (urllib.error.URLError, ConnectionError):
        return False


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert CHROMIUM, "Chromium is missing; type: sudo apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def logged_in(browser: Browser, hub: Hub, account: str, where: str) -> Page:
    """A browser of one person's own, behind the hub's form."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(MINUTES)
    page.goto(f"{hub.address}/hub/login?next={where}")
    page.locator("#username_input").fill(account)
    page.locator("#password_input").fill(PASSWORD)
    page.locator("#login_submit").click()
    return page


def own_lab(browser: Browser, hub: Hub, account: str) -> Page:
    page = logged_in(browser, hub, account, "/hub/spawn")
    expect(page.get_by_role("menuitem", name="Nbgrader")).to_be_visible(timeout=MINUTES)
    return page


@pytest.fixture(scope="module")
def students(browser, hub) -> dict[str, Page]:
    """Both in their servers at the same time, on nbgrader's list of assignments."""
    pages = {account: own_lab(browser, hub, account) for account in (hub.ada, hub.bob)}
    for page in pages.values():
        page.get_by_role("menuitem", name="Nbgrader").click()
        expect(page.locator(".lm-Menu-itemLabel:visible")).to_have_text(["Assignment List"])
        page.get_by_role("menuitem", name="Assignment List").click()
        expect(page.get_by_role("button", name="Fetch", exact=True)).to_be_visible(timeout=MINUTES)
    return pages


@pytest.fixture(scope="module")
def handed_in(students, hub) -> dict[str, Page]:
    """Ada did the work; Bob looks for Ada's file where his code is graded."""
    secret = home(hub.ada) / "diary.txt"
    secret.write_text("nothing of yours")
    shutil.chown(secret, hub.ada)
    secret.chmod(0o644)
    answers = {
        hub.ada: ANSWER,
        hub.bob: f"def square(x):\n    return len(open({str(secret)!r}).read()) * 0 + x * x",
    }
    for account, page in students.items():
        page.get_by_role("button", name="Fetch", exact=True).click()
        submit = page.get_by_role("button", name="Submit", exact=True)
        expect(submit).to_be_visible(timeout=MINUTES)
        path = home(account) / small.ASSIGNMENT / f"{small.NOTEBOOK}.ipynb"
        document = json.loads(path.read_text())
        for cell in document["cells"]:
            if cell["metadata"].get("nbgrader", {}).get("grade_id") == "square":
                cell["source"] = answers[account]
        path.write_text(json.dumps(document))
        submit.click()
    inbound = hub.folder / "exchange" / hub.course / "inbound"
    for account in students:
        until(lambda account=account: list(inbound.glob(f"{account}+*")))
    return students


def until(condition) -> None:
    ends = time.monotonic() + MINUTES / 1000
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.2)


@pytest.fixture(scope="module")
def graded(browser, hub, handed_in) -> Page:
    """The instructor collects and grades in formgrader."""
    page = logged_in(browser, hub, hub.ina, f"/services/{hub.course}/formgrader")
    row = page.locator("tr", has_text=small.ASSIGNMENT)
    expect(row).to_be_visible(timeout=MINUTES)
    row.locator("td.collect a").click()
    close(page)
    expect(row.locator("td.num-submissions")).to_have_text("2", timeout=MINUTES)
    row.locator("td.num-submissions a").click()
    for account in (hub.ada, hub.bob):
        line = page.locator("tr", has_text=account)
        line.locator("td.autograde a").click()
        close(page)
    return page


def close(page: Page) -> None:
    """Formgrader's dialog says that it worked."""
    dialog = page.locator(".modal.in, .modal.show").last
    expect(dialog).to_contain_text("Success", timeout=MINUTES)
    dialog.get_by_role("button", name="OK").click()
    expect(page.locator(".modal-backdrop")).to_have_count(0, timeout=MINUTES)


def test_the_class_is_graded_in_the_sandbox_under_an_account_that_sees_no_homes(hub, graded):
    expect(graded.locator("tr", has_text=hub.ada)).to_contain_text("3 / 8", timeout=MINUTES)
    expect(graded.locator("tr", has_text=hub.bob)).to_contain_text("0 / 8", timeout=MINUTES)
    # Its terminal is where the other commands are typed.
    terminal = graded.request.get(f"{hub.address}/services/{hub.course}/lab")
    assert terminal.status == 200


def test_homes_are_closed_to_others_and_the_grader_s_to_all(hub, students):
    homes = {account: home(account) for account in (hub.ada, hub.bob, hub.grader)}
    for visitor in (*homes, hub.ina):
        for owner, place in homes.items():
            looks = hub.as_(visitor, "ls", place, check=False)
            assert (looks.returncode == 0) == (visitor == owner), (visitor, owner, looks.stderr)
    for visitor in (hub.ada, hub.ina):  # the hub's cookies and its database
        for file in ("cookie_secret", "jupyterhub.sqlite"):
            assert (hub.folder / "state" / file).is_file()
            assert hub.as_(visitor, "cat", hub.folder / "state" / file, check=False).returncode


def test_formgrader_is_for_graders_alone(hub, students, browser):
    for account, page in students.items():
        own = page.request.get(f"{hub.address}/user/{account}/formgrader")
        assert own.status == 404, "none in a student's own server"
        assert page.request.get(hub.formgrader).status == 403
        assert page.request.get(f"{hub.address}/services/{hub.course}/lab").status == 403


def test_work_of_others_in_the_exchange_is_not_to_be_read_or_removed(hub, handed_in):
    inbound = hub.folder / "exchange" / hub.course / "inbound"
    [of_ada] = inbound.glob(f"{hub.ada}+*")
    assert hub.as_(hub.bob, "ls", inbound, check=False).returncode
    hub.as_(hub.bob, "rm", "-rf", hub.folder / "exchange" / hub.course, check=False)
    assert of_ada.is_dir() and list(of_ada.glob("*.ipynb"))


def test_feedback_comes_back_to_its_own_student(hub, graded, handed_in):
    hub.as_(hub.grader, "course", "feedback", small.ASSIGNMENT, "--send")
    page = handed_in[hub.ada]
    page.get_by_role("button", name="Fetch Feedback").click()
    found = home(hub.ada) / small.ASSIGNMENT / "feedback"
    until(lambda: list(found.rglob("*.html")))
    [html] = found.rglob("*.html")
    assert "3.0" in html.read_text()
    others = hub.folder / "exchange" / hub.course / "feedback"
    assert hub.as_(hub.bob, "ls", others, check=False).returncode
