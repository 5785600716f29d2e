"""What was published: the versions of an assignment, their cells, exercises and seed."""
