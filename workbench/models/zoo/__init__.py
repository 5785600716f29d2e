"""One model in many formats: what carrying it through each of them gave, the systems there are, and
files that misbehave on opening.
"""

from workbench.models.zoo.carried import Carried, Journey, judge
from workbench.models.zoo.files import files, listing
from workbench.models.zoo.hostile import Marker, replace_member
from workbench.models.zoo.landscape import LINKS, STACKS
from workbench.models.zoo.opened import Opened, opened
from workbench.models.zoo.systems import (
    CONVERTED,
    DESCRIBED,
    PACKAGES,
    RUN,
    SYSTEMS,
    System,
    verdicts,
)

__all__ = [
    "CONVERTED",
    "DESCRIBED",
    "LINKS",
    "PACKAGES",
    "RUN",
    "STACKS",
    "SYSTEMS",
    "Carried",
    "Journey",
    "Marker",
    "Opened",
    "System",
    "files",
    "judge",
    "listing",
    "opened",
    "replace_member",
    "verdicts",
]
