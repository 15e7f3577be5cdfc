"""Ways to change microdata so that they tell less: one method per file, in a room per family.

`method` says what a method is, `within` applies one to each stratum, `catalogue` knows them by name, and `contract`
checks what all of them keep to. `recoding` works in the engine; the others on records as arrays.
"""
