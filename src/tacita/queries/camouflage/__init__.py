"""Answers that are intervals: the data are hidden among vectors, and every answer holds for all of them."""
