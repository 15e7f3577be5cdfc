"""Secondary suppression: the cheapest set of cells to withhold so that no sensitive cell can be recalculated."""
