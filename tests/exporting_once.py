# A kernel of the tests runs this before the first cell of a notebook that exports models: torch's
# exporter learns about its operators once, and what it exports is the same. It defines no name.
__import__("formatlab_exercises.shared.exporting", fromlist=["exporting"]).learn_once()
