"""The cell key method: the same noise for the same records, in every table."""
