"""Tables from microdata or from a file of cells: cells, sums, contributions, checks that everything adds up."""
