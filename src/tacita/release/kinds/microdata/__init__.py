"""The release of microdata that the cycle made safe: a claim about risk that holds for the released file alone."""
