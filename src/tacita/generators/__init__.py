"""Data to try things on: generated surveys, what surrounds them, and the small data sets of the papers.

What belongs here: one file per population (firms, households), per companion of a survey (identity oracle,
ownership) and for the printed figures; each comes with its true dictionary. Everything is drawn from a seed,
block by block: the same name and seed give the same rows on every machine with the same numpy, and ten
million rows are never in memory at once. Nothing here reads a file or knows a risk measure; ``catalogue`` is
the door.
"""
