"""Can an archive be one student's? A bulk download of any learning platform cannot: it holds the
same notebook of the assignment several times, and each of them whole.

1. Whole is what is called like a published notebook, or is none by its name, and holds most of that
   notebook's cells. Where nothing is published, the name decides.
2. Several in folders of which none lies in another are several people's: a student's old copies lie
   below, and a lab has one folder.
3. So are several of which none bears the notebook's name, but for what browsers and platforms put
   behind a name that they have seen before.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import combinations
from pathlib import PurePosixPath

from nbjudge.grading.document.cells import Notebook
from nbjudge.grading.intake import notebook_names
from nbjudge.grading.intake.untrusted import shown
from nbjudge.grading.notebook import parser, renamed
from nbjudge.leftovers import is_leftover

# Of a class's download, so many are enough: of each notebook by its name, and of those that bear
# the name of none.
MAX_OF_ONE = 3
MAX_OTHERS = 12
MOST_NAMED = 3


def problem_of(
    files: Mapping[str, bytes], skeletons: Mapping[str, Notebook], assignment: str
) -> str | None:
    """Why the files cannot be one student's, with what to do; None where they can."""
    for name, paths in _whole(files, skeletons).items():
        if not (_are_apart(paths) or _are_called_apart(paths, name)):
            continue
        several = ", ".join(map(shown, paths[:MOST_NAMED]))
        more = f" and {len(paths) - MOST_NAMED} more" if len(paths) > MOST_NAMED else ""
        return (
            f"it holds {shown(name)}.ipynb {len(paths)} times ({several}{more}), as the download of a whole class does, "
            f"and nobody is taken from it: unpack it, and give one zip file for each person, called STUDENT_{assignment}.zip, or any "
            "names with a CSV of the columns student and file by `--roster`. If all of it is one student's, ask for an archive with "
            "the notebooks that count"
        )
    return None


def _whole(files: Mapping[str, bytes], skeletons: Mapping[str, Notebook]) -> dict[str, list[str]]:
    """By notebook, the paths of the files that are it, whole."""
    found: dict[str, list[str]] = defaultdict(list)
    read: Counter[str] = Counter()
    for path, named in _notebooks(files, skeletons):
        if not skeletons:
            found[named].append(path)
            continue
        kind = named if named in skeletons else ""
        read[kind] += 1
        if read[kind] > (MAX_OF_ONE if kind else MAX_OTHERS):
            continue
        wanted = {named: skeletons[named]} if named in skeletons else skeletons
        try:
            cells = parser.read_notebook(files[path])[0]
        except ValueError:
            continue
        if holds := renamed.notebook_of(cells, wanted):
            found[holds].append(path)
    return found


def _notebooks(files: Mapping[str, bytes], skeletons: Mapping[str, Notebook]):
    """The paths of notebooks, and which each is by its name."""
    for path in sorted(files):
        named = None if is_leftover(path) else notebook_names.named(path, tuple(skeletons))
        if named and notebook_names.begins_as_notebook(files[path]):
            yield path, named.notebook


def _are_apart(paths: list[str]) -> bool:
    folders = {PurePosixPath(path).parent for path in paths}
    return any(
        not (one.is_relative_to(other) or other.is_relative_to(one))
        for one, other in combinations(folders, 2)
    )


def _are_called_apart(paths: list[str], name: str) -> bool:
    stems = [notebook_names.without_number(PurePosixPath(path).stem) for path in paths]
    called = {notebook_names.folded(stem) for stem in stems}
    is_named = any(
        (own := notebook_names.named(path, (name,))) and own.notebook == name for path in paths
    )
    return not is_named and len(called) > 1
