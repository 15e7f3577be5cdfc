"""Synthetic data with differential privacy: a model that sees the data only through tables with noise.

`domains` is what may be known beforehand, `tables` what is asked of the data, `tree_model` what is made of the answers,
and `marginals` the method. `marginals.md` gives the argument why it is private.
"""
