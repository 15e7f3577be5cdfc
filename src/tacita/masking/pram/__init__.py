"""PRAM: categories changed at random by known probabilities, one way to have the matrix per file.

`given` takes the matrix of the user, `generated` draws one with a minimum diagonal, `invariant` makes one that keeps
the margins. `transitions` is the matrix itself, `application` what all of them share, and `correction` the estimator
by which users of the release undo the change in tables.
"""
