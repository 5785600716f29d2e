"""Attacks are modules beside the tests, and answers come from the demo's class."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "demo")]
