"""What the judges of several exercises have in common."""
