"""What interactive parts read: each module data_*.py writes its files by `write(folder)`."""

import importlib
import shutil
from pathlib import Path


def collect(target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for path in sorted(Path(__file__).parent.glob("data_*.py")):
        importlib.import_module(path.stem).write(target)
