"""Planning: which records of a batch can leave, in which order, and what would make the others safe.

`subset` finds the largest safe subset of a target by integer programming (HiGHS), `order` an order in which every
record passes, `remedy` how many records of another value would have to leave first. `plan` puts them together.
Whatever is planned was tried on a copy of the gate.
"""
