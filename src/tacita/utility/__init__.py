"""What a change costs: one measure of information loss per file."""
