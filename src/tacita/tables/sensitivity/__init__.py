"""Which cells tell too much, and how much protection each needs; `rules/` has one rule per file.

`assess` combines rules into `Levels`; `finding` has the contract that a rule keeps. A rule says why a cell is sensitive
in a sentence that holds no contribution and no value.
"""
