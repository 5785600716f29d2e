"""The course's exercises, one folder each; README.md says what lies where. `autograder.exercises`
finds them.
"""
