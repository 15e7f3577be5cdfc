"""What a door calls, one module for each use case. Doors import this room and the modules at the root, and no other.

`dataset` has the verbs of a data set as thin methods; `reading` is where data sets come from, `roles` what their
attributes are. `categorizing`, `assessing`, `attacking`, `masking`, `releasing`, `converting` and `generating` are
verbs with their options; `releases` verifies and explains what was released; `tables` is about statistical tables,
`rules`, `reasoning`, `conversation` and `editor` about rule programs, `catalogues` about what can be named. A rule that
protects people is here or in a room below, never in a door.
"""
