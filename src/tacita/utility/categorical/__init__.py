"""Losses of categories: cell by cell, by contingency tables, by entropy and by information gain."""
