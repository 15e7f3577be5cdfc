"""Rewrites between the program that was written and the one that is run; one pass a file."""
