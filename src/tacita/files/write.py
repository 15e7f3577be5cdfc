"""The front door out: microdata to a file of any format, atomically."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tacita.errors import UsageError
from tacita.files.atomic import atomic, check_target
from tacita.files.contract import WriteOptions
from tacita.files.formats import FORMATS, format_of
from tacita.files.formulas import escaped
from tacita.model.dictionary import Dictionary
from tacita.model.microdata import Microdata
from tacita.settings import Settings


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: sentences about what the format could not hold, and the dictionary that fits the new file."""

    notes: tuple[str, ...]
    dictionary: Dictionary


def fitting(microdata: Microdata, target: Path) -> tuple[Microdata, tuple[str, ...]]:
    """Return the microdata under the names that the target's format allows, and what had to change, in words."""
    module = format_of(target).load()
    if not hasattr(module, "fitting"):  # most formats take any name
        return microdata, ()
    fitted: tuple[Microdata, tuple[str, ...]] = module.fitting(microdata, target.suffix)
    return fitted


def write(
    microdata: Microdata, target: str | Path, options: WriteOptions | None = None, settings: Settings | None = None
) -> Written:
    """Write microdata to a file."""
    options = options or WriteOptions()
    target = Path(target)
    known = format_of(target)
    if not known.writable:
        writable = " ".join(ending for f in FORMATS if f.writable for ending in f.endings)
        raise UsageError(f"'{target.suffix}' can be read, not written", do=f"choose one of {writable}")
    check_target(target, force=options.force)
    name = target.name.lower()
    ending = max((e for e in known.endings if name.endswith(e)), key=len)
    if options.escape_formulas:
        if known.module != "delimited":
            raise UsageError(
                f"formulas are escaped in CSV and TSV; {known.name} knows texts from formulas",
                where=str(target),
                do="leave --escape-formulas (escape_formulas) out, or write CSV",
            )
        microdata = escaped(microdata)
    microdata, renamed = fitting(microdata, target)
    with atomic(target, force=options.force, settings=settings) as partial:
        notes = known.load().write(microdata, partial, options, ending=ending)
    return Written((*renamed, *notes), microdata.dictionary)
