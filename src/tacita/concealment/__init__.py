"""Files in which people keep attributes to themselves: policies, the plan of what is hidden, keys and tokens.

`policies/` says who wants which attributes confidential. `conceal` puts policies, dependencies and attackers together
and returns what is hidden, cell by cell, with reasons. `keys/` encrypts cells for each person and gives them back.
"""
