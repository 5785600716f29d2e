"""What runs inside a box. Nothing here is imported by the coordinator except to name a module."""
