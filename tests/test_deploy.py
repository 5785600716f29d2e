"""What deploy/dask gives to Slurm and Kubernetes starts the scripts that the tests of the cluster
run, with arguments that they take; what deploy/hub gives to a hub fits together.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path, PurePosixPath
from types import SimpleNamespace

import pytest
import yaml
from nbgrader.apps.baseapp import NbGrader
from nbgrader.exchange.default import Exchange
from traitlets.config.loader import PyFileConfigLoader

DEPLOY = Path(__file__).resolve().parents[1] / "deploy"
DASK, HUB = DEPLOY / "dask", DEPLOY / "hub"


@pytest.fixture(scope="module")
def objects():
    return list(yaml.safe_load_all((DASK / "kubernetes.yaml").read_text()))


def containers(objects):
    pods = [each["spec"]["template"]["spec"] for each in objects if each["kind"] == "Deployment"]
    return {container["name"]: (container, pod) for pod in pods for container in pod["containers"]}


@pytest.fixture
def said(tmp_path):
    """Runs a command with a `dask` that prints what it is started with, where the sandbox holds."""
    for name, line in {
        "dask": 'echo "$DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION $@"',
        "python": "echo nbjudge-version",
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)

    def run(*command, **environment):
        path = f"{tmp_path}:{os.environ['PATH']}"
        done = subprocess.run(
            list(map(str, command)),
            capture_output=True,
            text=True,
            check=True,
            env={"PATH": path, **environment},
        )
        return done.stdout.split()

    return run


def test_kubernetes_starts_scheduler_and_workers_that_find_each_other(objects, said):
    found = containers(objects)
    starts = {
        name: said(DASK.parents[1] / one["command"][0], *one["command"][1:])
        for name, (one, _) in found.items()
    }
    assert starts["scheduler"][:3] == ["True", "scheduler", "--protocol"]
    [service] = [each for each in objects if each["kind"] == "Service"]
    address = f"tls://{service['metadata']['name']}:{service['spec']['ports'][0]['port']}"
    assert starts["worker"][:5] == ["True", "worker", address, "--nthreads", "4"]
    assert starts["worker"][5:7] == ["--resources", "nbjudge-version=4"]


def test_only_workers_are_privileged_and_nobody_gets_a_token_or_another_one_s_key(objects):
    found = containers(objects)
    assert {
        name for name, (one, _) in found.items() if one["securityContext"].get("privileged")
    } == {"worker"}
    for name, (_, pod) in found.items():
        assert pod["automountServiceAccountToken"] is False
        assert [volume["secret"]["secretName"] for volume in pod["volumes"]] == [f"nbjudge-{name}"]


def test_slurm_starts_a_worker_with_a_submission_for_each_processor(said, tmp_path):
    script = tmp_path / "slurm_script"  # Slurm runs a copy
    script.write_text((DASK / "slurm.sbatch").read_text())
    own = {"SLURM_SUBMIT_DIR": str(DASK.parents[1]), "SLURM_CPUS_PER_TASK": "6"}
    assert said("sh", script, "certificates", "tls://login:8786", **own)[:7] == [
        "True",
        "worker",
        "tls://login:8786",
        "--nthreads",
        "6",
        "--resources",
        "nbjudge-version=6",
    ]


def test_the_hub_s_settings_are_read_by_nbgrader_and_name_one_exchange(monkeypatch, tmp_path):
    spawner = hub_settings(tmp_path, monkeypatch).Spawner
    for name, value in spawner.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(HUB / "student"))
    monkeypatch.chdir(tmp_path)
    app = NbGrader()
    app.initialize([], root=str(tmp_path))
    assert Exchange(config=app.config).root == str(tmp_path / "exchange")
    assert app.coursedir.course_id == "ml-2026-a"
    ours = DEPLOY.parent / "autograder" / "nbjudge" / "lab" / "config"
    for role, folder in (("student", "student"), ("grader", "instructor")):
        for name in ("jupyter_server_config.json", "labconfig/page_config.json"):
            assert json.loads((HUB / role / name).read_text()) == json.loads(
                (ours / folder / name).read_text()
            )


def hub_settings(folder, monkeypatch):
    """The hub's configuration, as it is read in a folder that `prepare.sh` made, on a machine with its
    groups and accounts.
    """
    members = {"ml-2026-a-instructors": ["ina"], "ml-2026-a-students": ["bob", "ada"]}
    monkeypatch.setattr("grp.getgrnam", lambda name: SimpleNamespace(gr_mem=members[name]))
    monkeypatch.setattr("pwd.getpwnam", lambda name: SimpleNamespace(pw_dir=f"/home/{name}"))
    shutil.copytree(HUB, folder / "hub")
    (folder / "hub" / "COURSE").write_text("ml-2026-a\n")
    loader = PyFileConfigLoader("jupyterhub_config.py", path=str(folder / "hub"))
    return loader.load_config()


def test_formgrader_runs_as_the_grader_and_only_instructors_are_let_in(monkeypatch, tmp_path):
    hub = hub_settings(tmp_path, monkeypatch).JupyterHub
    [service], [role] = hub.services, hub.load_roles
    assert service["user"] == "ml-2026-a-grader" and service["name"] == "ml-2026-a"
    assert role["groups"] == ["formgrade-ml-2026-a"]
    assert hub.load_groups["formgrade-ml-2026-a"] == {"users": ["ina"]}
    assert "access:services!service=ml-2026-a" in role["scopes"]
    assert service["environment"]["JUPYTER_CONFIG_PATH"].endswith("hub/grader")


def test_a_home_is_closed_before_its_server_starts(monkeypatch, tmp_path):
    settings = hub_settings(tmp_path, monkeypatch)
    home = tmp_path / "ada"
    home.mkdir(mode=0o755)
    monkeypatch.setattr("pwd.getpwnam", lambda name: SimpleNamespace(pw_dir=str(home)))
    settings.Spawner.pre_spawn_hook(SimpleNamespace(user=SimpleNamespace(name="ada")))
    assert home.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="reads as another account")
def test_an_environment_is_tried_as_an_account_of_the_hub(tmp_path):
    def tried(*more):
        words = [HUB / "can-start.sh", environment, "nobody", *more]
        return subprocess.run(list(map(str, words)), capture_output=True, text=True)

    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid():
            folder.chmod(folder.stat().st_mode | 0o011)
    environment, home = tmp_path / "environment", tmp_path / "home"
    (environment / "bin").mkdir(parents=True)
    home.mkdir(mode=0o700)
    for name in ("jupyter-lab", "course"):
        (environment / "bin" / name).touch()
    (home / "python").write_text("#!/bin/sh\n")
    (home / "python").chmod(0o755)
    (environment / "bin" / "python").symlink_to(home / "python")
    closed = tried()
    assert closed.returncode == 1 and f"is {home / 'python'}" in closed.stderr, closed
    home.chmod(0o755)
    assert tried().returncode == 0, tried()
    (tmp_path / "exchange").mkdir(mode=0o755)
    shut = tried(tmp_path / "exchange")
    assert shut.returncode == 1 and f"chmod 777 {tmp_path / 'exchange'}" in shut.stderr
    (tmp_path / "exchange").chmod(0o777)
    assert tried(tmp_path / "exchange").returncode == 0


def test_an_image_copies_what_it_is_installed_from_and_no_course_folder():
    """By a list of what is copied: a course folder may have any name."""
    lines = (DEPLOY.parent / ".dockerignore").read_text().splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    assert patterns[0] == "*"

    def is_copied(path: PurePosixPath) -> bool:
        copied = True
        for pattern in patterns:
            name = pattern.removeprefix("!")
            if _holds(path, name):
                copied = name != pattern
        return copied

    needed = ["LICENSE", "NOTICE.md", "pyproject.toml", "requirements.lock", "tools/prepare.py"]
    needed += ["autograder/pyproject.toml", "autograder/README.md", "workbench/pyproject.toml"]
    needed += ["exercises/a/ask.py", "labs/day-50/references/a.safetensors"]
    for name in needed:
        assert is_copied(PurePosixPath(name)), name
    for name in (
        "ml-2026/gradebook.db",
        "spring/.nbjudge/seeds/x",
        "course-data/a",
        "my/submitted/ada/p.ipynb",
        "exercises/spring/gradebook.db",
        "solutions/day-50/a.ipynb",
        ".git/config",
    ):
        assert not is_copied(PurePosixPath(name)), name


def _holds(path: PurePosixPath, pattern: str) -> bool:
    """Whether a pattern names a path or one of the folders that it lies in."""
    anywhere = pattern.removeprefix("**/")
    if anywhere != pattern:
        return any(PurePosixPath(part).match(anywhere) for part in path.parts)
    return PurePosixPath(*path.parts[: len(PurePosixPath(pattern).parts)]).match(pattern)
