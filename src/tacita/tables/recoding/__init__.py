"""Before anything is suppressed: granularity, and which categories to merge.

`granularity` finds the hyper-rows that are too fine, `proposals` ranks merges by what they remove and what they cost,
`recoded` carries one out, `recoding` goes on until few sensitive cells are left.
"""
