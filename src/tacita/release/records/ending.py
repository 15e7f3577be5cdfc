"""Which ending the released data file gets: that of the source, if it is a file of a format that can be written."""

from __future__ import annotations

from tacita.files.formats import FORMATS
from tacita.model.microdata import Source

DEFAULT = ".parquet"
_NEAREST = {".xls": ".xlsx", ".xlsb": ".xlsx", ".xlsm": ".xlsx", ".ods": ".xlsx"}


def released_ending(source: Source) -> tuple[str, tuple[str, ...]]:
    """Return the ending of the released file, and what has to be said about it.

    >>> released_ending(Source("survey/firms.CSV.gz", "CSV"))
    ('.csv.gz', ())
    >>> released_ending(Source("firms.sas7bdat", "SAS"))[0]
    '.parquet'
    """
    name = source.name.lower()
    endings = [(e, f) for f in FORMATS if f.name == source.format for e in f.endings if name.endswith(e)]
    if endings:
        ending, known = max(endings, key=lambda pair: len(pair[0]))
        if known.writable:
            return ending, ()
        if ending in _NEAREST:
            return _NEAREST[ending], (f"{ending} can be read, not written: the data are released as .xlsx",)
    if source.format == "Parquet":
        return DEFAULT, ("several Parquet files became one",)
    return DEFAULT, (f"the source ({source.format}) is no file that can be written: the data are released as Parquet",)
