"""How fast grading is."""
