"""What else must be hidden so that confidential attributes do not follow from the others.

`hitting_set` and `heuristics` choose attributes that break every determining set; `closure` finds what follows in
several steps; `choice` puts them together for one policy. `borderline` and `known_totals` look at the records: a hidden
value can also be told by what it breaks, and by what is left of a total.
"""
