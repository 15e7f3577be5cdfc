"""Spellings that make one value look like several: in what is sensitive they feign diversity, in keys rarity."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tacita.errors import counted
from tacita.files.one_spelling import spelled_apart
from tacita.model.microdata import Microdata
from tacita.risk.measure import Measure
from tacita.risk.sample import Sample


def notes_on_spellings(
    microdata: Microdata, known: Collection[str], sample: Sample, measures: Iterable[Measure]
) -> list[str]:
    """Return a note for each attribute in which values differ only in case or blanks; it shows none of them."""
    named = [str(name) for measure in measures if (name := getattr(measure, "sensitive", None))]
    sensitive = {name for name in (*sample.sensitive, *named) if name not in known}
    spellings = spelled_apart(microdata.relation, [*known, *sensitive])
    notes = []
    for name, count in spellings.items():
        seem = "its values look more diverse" if name in sensitive else "records look rarer"
        are = "is another spelling" if count == 1 else "are other spellings"
        notes.append(
            f"{counted(count, 'value')} of {name} {are} of a more frequent one, in case or blanks only, "
            f"so {seem} than they are; "
            f"to read them as one, use --one-spelling {name} (one_spelling={name!r} in Python)"
        )
    return notes
