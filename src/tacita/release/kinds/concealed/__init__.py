"""The release of a file with concealed cells: the file, tokens of hidden cells, and apart from them keys and reasons.

`sealed` makes tokens of hidden cells and opens them, `tuples` empties the cells, `kind` writes the folders, `check`
verifies them, `explain` says why a cell is hidden, `reveal` gives hidden cells back to whoever has a key.
"""
