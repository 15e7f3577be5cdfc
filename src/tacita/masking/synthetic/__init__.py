"""Synthetic data: records, or some of their values, are drawn from a model of the file instead of taken from it.

`trees` synthesises attribute after attribute from decision trees, `copula` from a normal copula, `marginals` from
noisy tables with differential privacy, and `hybrid` within groups of similar records. `combining` turns estimates from
several synthetic files into one with an honest variance. The other files hold the parts of these methods;
`marginals.md` gives the argument why the private one is private.
"""
