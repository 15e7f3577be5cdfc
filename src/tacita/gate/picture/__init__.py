"""What an observer can see: counts of released records, distances to the baseline, exposures, evidence.

`measures` has the definitions of the paper as formulas over a table of counts. `picture` keeps the same figures up to
date record by record, exactly and in constant time. `evidence` is the observer's Bayes factor, `leaders` knows the most
distant targets, `fixed_point` is the arithmetic of all of them.
"""
