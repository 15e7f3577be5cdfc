"""Losses of numbers: cell by cell where records are paired, and by covariances, correlations and principal factors."""
