"""The course's exercises, one folder each; README.md says what lies where. `nbjudge.exercises`
finds them.
"""
