"""The dictionary as a TOML file beside the data: readable, diffable, yours to edit.

Where it stands (`place`), reading it with all faults at once (`reading`), writing it (`writing`) and bringing it up
to date without touching what a person wrote (`updating`). Text in, text out: whoever owns the disk writes it.
"""

from tacita.model.dictionary_file.place import dictionary_path, find
from tacita.model.dictionary_file.reading import load, loads
from tacita.model.dictionary_file.updating import updated
from tacita.model.dictionary_file.writing import dumps

__all__ = ["dictionary_path", "dumps", "find", "load", "loads", "updated"]
