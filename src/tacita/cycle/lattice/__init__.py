"""Recoding chosen by a search: how far each attribute, or each class of records, goes up its hierarchy.

`ladders` turns hierarchies into arrays, `classes` groups combinations at a node of the lattice, `models` says which
classes are safe. `search` finds the best node and proves it, `heuristic` finds a good one among very many, `local`
gives each class its own levels, and `combined` weighs them against each other.
"""
