"""Which spellings of a missing value are codes that mean something, and which just say that there is no value.

``99`` that a dictionary declares missing, SPSS's user missings and Stata's ``.a`` are codes: *refused* is not *does not
apply*, and a reader of the file sees which one it is. ``NA`` in a column of numbers is how some packages write an empty
cell.
"""

from __future__ import annotations

from tacita.model.attribute import Attribute

# Spellings of "no value" that statistical packages and spreadsheets write into columns of numbers.
MISSING_MARKERS = ("NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", ".", "-", "?", "#N/A", "#NULL!")


def is_code(spelling: str, attribute: Attribute) -> bool:
    """Return whether the spelling of a missing value is a code; a word such as NA is one if it is declared.

    >>> is_code("99", Attribute("age")), is_code("NA", Attribute("age"))
    (True, False)
    >>> is_code("NA", Attribute("age", missing=("NA",)))
    True
    """
    if not spelling.strip():
        return False
    return spelling not in MISSING_MARKERS or spelling in attribute.missing
