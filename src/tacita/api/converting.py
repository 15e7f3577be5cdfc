"""The same tuples in another format, labels and missing codes kept where the format can."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from tacita.api.dataset import Dataset
from tacita.errors import DictionaryError, OutputError, counted
from tacita.files.atomic import check_target, write_text
from tacita.files.contract import WriteOptions
from tacita.files.write import fitting, write
from tacita.model import dictionary_file
from tacita.model.result import Result

_WITH_LABELS = frozenset({".dta", ".sav", ".zsav"})
"""Formats that hold labels themselves: a dictionary beside them is for categories only."""


@dataclass(frozen=True, slots=True, repr=False)
class Conversion(Result):
    """What was written: files, the number of tuples, and what the format could not hold."""

    written: tuple[Path, ...]
    rows: int
    notes: tuple[str, ...] = ()

    def _in_short(self) -> str:
        return f"{counted(self.rows, 'tuple')} in {counted(len(self.written), 'file')}"


def convert(data: Dataset, target: str | Path, *, force: bool = False, escape_formulas: bool = False) -> Conversion:
    """Write a data set to a file of another format; what that cannot hold goes into a dictionary beside it."""
    path, source = Path(target), data.microdata.source.name
    check_target(path, force=force)
    _check_apart(source, path)
    _check_dictionary_stays_true(data, source, path, force=force)
    options = WriteOptions(force=force, progress=data.context.progress, escape_formulas=escape_formulas)
    done = write(data.microdata, path, options, data.context.settings)
    written, notes = [path], list(done.notes)
    beside = dictionary_file.dictionary_path(path)
    carries = path.suffix.lower() in _WITH_LABELS
    of_worth = any(a.category or (not carries and (a.labels or a.missing or a.description)) for a in done.dictionary)
    if (of_worth or (beside.exists() and force)) and beside != dictionary_file.find(Path(source)):
        if beside.exists() and not force:
            notes.append(f"{beside} exists and was left as it is; --force replaces it")
        else:
            write_text(beside, dictionary_file.dumps(done.dictionary), force=True)
            written.append(beside)
    return Conversion(tuple(written), data.rows, tuple(notes))


def stream_csv(data: Dataset, stream: TextIO, *, escape_formulas: bool = False) -> tuple[str, ...]:
    """Write a data set as CSV to a stream; return notes about what a spreadsheet would do with it."""
    from tacita.files.delimited import write_to_pipe

    return tuple(write_to_pipe(data.microdata, stream, escape_formulas=escape_formulas))


def _check_apart(source: str, target: Path) -> None:
    """Raise if the new file would become a part of the old ones."""
    folder = Path(source)
    within = folder.is_dir() and target.resolve().is_relative_to(folder.resolve())
    matched = not folder.exists() and target.absolute().match(str(folder.absolute()))
    if within or matched:
        raise OutputError("the new file would be a part of the data itself", where=str(target), do="write it elsewhere")


def _check_dictionary_stays_true(data: Dataset, source: str, target: Path, *, force: bool) -> None:
    """Raise if the new file would find a dictionary beside it that speaks of other columns."""
    beside = dictionary_file.dictionary_path(target)
    shared = dictionary_file.find(Path(source)) == beside
    renamed, notes = fitting(data.microdata, target)
    if shared and renamed.dictionary.names != data.dictionary.names:
        raise OutputError(
            f"names have to change ({notes[0]}), and {beside} speaks of the old ones",
            where=str(target),
            do=f"give the new file a name of its own, such as {target.stem}-{target.suffix[1:]}{target.suffix}",
        )
    if beside.exists() and not shared and not force:
        try:
            dictionary_file.load(beside).check_fits(renamed.dictionary.names, where=str(beside))
        except DictionaryError:
            raise OutputError(
                f"{beside} beside it speaks of other columns",
                where=str(target),
                do="give the new file another name, or add --force",
            ) from None
