"""A queryable database: statistics about people are answered, and no answer or history of answers is about a person.

A holder opens a frozen version of a data set under a `policy/`: which attributes may be filtered by, with which cut
points, and what may be asked for. `cube/` has one cell for each combination that occurs; every question is about a set
of cells. `language/` makes a `question` of SQL. `audit/` says what would become known if it were answered, by all that
was answered before; `answering` decides, and `recording` writes the answer to the ledger before anybody sees it. Where
the policy does not want exact answers, `camouflage/` gives intervals and `noise/` perturbed figures.
"""
