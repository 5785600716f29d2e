"""What of an earlier run still holds."""
