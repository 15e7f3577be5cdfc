"""Tables from microdata or from a file of cells: cells, sums, contributions, checks that everything adds up.

`from_specification` gathers whatever a specification names. `microdata/`: `layout` (what is wanted), `plans` (what the
engine computes), `summed` and `ranked` (up the hierarchies), `from_microdata`. `cells/`: `cells_file`, `from_cells`,
`completion`. Both: `dimensions` and `hierarchy_files`, `linked`, `sums` and `one_column` (several tables as one
system), `additivity`, `wishes`, `history`.
"""
