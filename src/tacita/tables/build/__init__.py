"""Tables from microdata or from a file of cells: cells, sums, contributions, checks that everything adds up.

`from_specification` gathers whatever a specification names. Microdata: `layout` (what is wanted), `plans` (what the
engine computes), `summed` and `ranked` (up the hierarchies), `from_microdata`. Cells: `cells_file`, `from_cells`,
`completion`, `additivity`. Both: `dimensions` and `hierarchy_files`, `linked` and `sums` (several tables as one
system), `wishes`, `history`.
"""
