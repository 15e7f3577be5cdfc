"""Files of Stata, SPSS and SAS: numbers, value labels, user-defined missings and dates, in and out.

`packages` says how each package counts days and spells missings, `display` what its formats mean, `moments` and
`codes` turn its numbers into dates and codes of ours and back; `library` alone touches pyreadstat.
"""

from tacita.files.statistical.naming import fitting
from tacita.files.statistical.reading import read
from tacita.files.statistical.writing import write

__all__ = ["fitting", "read", "write"]
