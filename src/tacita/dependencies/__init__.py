"""What determines what: dependencies between attributes, and the attributes to hide so that a secret stays one.

`dependency` has the nouns. `discovery/` finds all minimal dependencies, exact or relaxed by distances and tolerances;
`comparison/` says when two values count as alike. `hiding/` chooses what else to hide: hitting sets, closure,
borderline cases, known totals. Who wants what hidden, and how cells are hidden, is in the room `concealment`.
"""
