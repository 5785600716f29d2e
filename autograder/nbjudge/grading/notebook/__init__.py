"""A submitted notebook: read, matched with the published one, rebuilt and made inert."""
