"""A program as logic: terms, atoms, rules, where each was written, and the checks that say whether it can be run."""
