"""The cells of a frozen version: how many records each has, sums in whole numbers, and who contributes."""
