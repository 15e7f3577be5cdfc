"""Looking for the steps of a proof in the tables of a run, and for where a rule stops.

`asked` reads the question. `search` goes from level to level and asks each kind of rule: `rules` and `groups` with
and without aggregates, `nulls` those that make nulls, `changes` those that make versions. A `trail` is a rule's body as
a select that remembers what it matched, `goals` are the facts that its head is compared with, `premises` reads a match
back. `loose`, `superseded` and `equations` help where facts were changed after they came in; `ahead` makes it quick.
`attempts` follows a rule towards a fact that it does not give.
"""
