"""The rules that say which cells are sensitive, one per file, each with its formula and its source."""
