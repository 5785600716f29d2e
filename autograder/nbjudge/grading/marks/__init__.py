"""From what ran to marks, to their reasons, and to what a person who marks sees."""
