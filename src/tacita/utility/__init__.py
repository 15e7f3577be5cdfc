"""What a change costs: one measure of information loss per file, in a room per family.

`loss` says what a measure is, `catalogue` knows them by name, `contract` checks what all of them keep to. `continuous`
compares numbers, `categorical` categories, `distributions` margins and joint distributions, `analyses` the results that
users get. Recoding has losses of its own kind, in `recoding`.
"""
