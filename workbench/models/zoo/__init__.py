"""One model in many formats: what carrying it through each of them gave, what is not installed, and files that misbehave on opening."""

from workbench.models.zoo.carried import Carried, Journey, judge
from workbench.models.zoo.elsewhere import ELSEWHERE, Elsewhere, Subject
from workbench.models.zoo.hostile import Marker, replace_member
from workbench.models.zoo.landscape import LINKS, STACKS

__all__ = ["ELSEWHERE", "LINKS", "STACKS", "Carried", "Elsewhere", "Journey", "Marker", "Subject", "judge", "replace_member"]
