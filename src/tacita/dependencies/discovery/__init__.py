"""The search for all minimal dependencies, exact or relaxed.

`options` is what a user asks for, `discover` the way from microdata to a `Discovery`. `coding` and `comparing` make a
table of codes of the records, with what is alike. `exact` finds exact dependencies, `levels` those with a tolerance,
`distances` those with distances; `equal_facts` and `alike_facts` say how much each of them tells. `groups` looks at
groups of records, `joins` at several files together.
"""
