"""Recipes: what is to be done to microdata, step by step, as a value and as a TOML file, and how it is carried out.

The command line, the Python interface and pages share the one format. A recipe with the same seed, run again on the
same data, gives the same bytes.
"""
