"""One model in many formats: what carrying it through each of them gave, what is not installed, and files that misbehave on opening."""

from autograder.models.zoo.carried import Carried, Journey, judge
from autograder.models.zoo.elsewhere import ELSEWHERE, Elsewhere, Subject
from autograder.models.zoo.hostile import Marker, replace_member
from autograder.models.zoo.landscape import LINKS, STACKS

__all__ = ["ELSEWHERE", "LINKS", "STACKS", "Carried", "Elsewhere", "Journey", "Marker", "Subject", "judge", "replace_member"]
