"""Synthetic data: records, or some of their values, are drawn from a model of the file instead of taken from it.

`trees` synthesises attribute after attribute from decision trees, `copula` from a normal copula, `hybrid` within groups
of similar records, and `private` from noisy tables with differential privacy. `combining` turns estimates from several
synthetic files into one with an honest variance. The other files hold parts of these methods.
"""
