"""Ways to change microdata so that they tell less: one method per file."""
