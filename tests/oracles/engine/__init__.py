"""What each plan means, said naively in plain Python: the oracle of the tests, never used for work.

One file per plan, under the plan's name. Rows are tuples of Python values, None for a missing one.
"""
