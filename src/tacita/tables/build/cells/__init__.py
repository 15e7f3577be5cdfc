"""Tables from a file of cells: read, checked as a whole, completed; which cells are suppressed, in whatever words."""
