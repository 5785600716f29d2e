"""The site, built once for all its tests, and a server for it."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pages
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools" / "site"))


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Path:
    """The folder with the pages. Sphinx keeps what it has read in build/, so a second run is faster."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run([sys.executable, ROOT / "tools" / "site", "--out", folder], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    return folder


@pytest.fixture(scope="session")
def read(built) -> dict[str, pages.Page]:
    """Each page that we write, by its address in the site. Netron's own is not ours."""
    paths = [path for path in built.rglob("*.html") if "_static" not in path.relative_to(built).parts]
    return {path.relative_to(built).as_posix(): pages.read(path) for path in sorted(paths)}


@pytest.fixture(scope="session")
def address(built) -> Iterator[str]:
    import serving

    with serving.server(built, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
