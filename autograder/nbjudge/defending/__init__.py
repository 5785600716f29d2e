"""Questions about a program whose right answers were computed by running it, as it stands and with one
small change each: for a class by `course defend`, in boxes; for somebody who learns alone by `defend`.
"""
