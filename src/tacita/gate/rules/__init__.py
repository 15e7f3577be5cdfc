"""The rules of a gate: whether a target may have one more record of a value.

`rule.py` is what every rule has. `definition_5` and `fit` are those of the paper, `crowd` the default,
`evidence_limits` the two gates on Bayes factors, `shares` keeps the released shares of targets level. `start` says
when control begins, `judge` puts start and rules together for one dependency.
"""
