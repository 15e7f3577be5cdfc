"""Distances between the distributions before and after, of single attributes, of pairs, and of all together."""
