"""Who wants which attributes kept confidential: policies from a file, an attribute of the data, or rules.

`policy` has the value; `policy_file` and `policy_column` read lists of names, `policy_rules` lets a program conclude
them. Names that are unknown are not repeated in messages: they may be values of the data.
"""
