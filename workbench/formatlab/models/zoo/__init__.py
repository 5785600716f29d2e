"""One model in many formats: what carrying it through each of them gave, the systems there are, and
files that misbehave on opening.
"""

from formatlab.models.zoo.carried import Carried, Journey, judge
from formatlab.models.zoo.files import files, listing
from formatlab.models.zoo.hostile import Marker, replace_member
from formatlab.models.zoo.landscape import LINKS, STACKS
from formatlab.models.zoo.opened import Opened, opened
from formatlab.models.zoo.systems import (
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
