"""When two values of an attribute count as alike: distances of numbers, dates and texts, each with a threshold.

A similarity is asked once about the different values of an attribute, and returns which of them are alike
(`neighbours`). `similarity` says what one of one's own has to be; the catalogue is `tacita.dependencies.catalogue`.
"""
