"""What an instructor does around grading: release, publish, exchange, feedback, export. nbgrader
does the work, in our folders.
"""
