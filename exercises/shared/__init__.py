"""What several exercises have in common; like each of them in two halves: what asks, and `judge/`,
which student code never sees.
"""
