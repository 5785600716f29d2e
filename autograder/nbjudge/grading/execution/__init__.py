"""The boxes of one submission, and what is sent into them and comes out."""
