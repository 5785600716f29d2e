"""What is right: the instructor's own solution, and the lab as it was released."""
