"""Which cells tell too much, one rule per file, and how much protection each needs.

`assess` combines rules into `Levels`; `finding` has the contract that a rule keeps. A rule says why a cell is sensitive
in a sentence that holds no contribution and no value.
"""
