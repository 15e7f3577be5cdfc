"""Choosing with eyes open: recipes carried out, judged by what they cost and what they still tell, and compared."""
