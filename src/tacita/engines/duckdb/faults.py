"""DuckDB's exceptions told in our words, without the data that DuckDB likes to quote in them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import duckdb

from tacita.errors import InputError, InternalError, OutputError, ReasoningError, TacitaError, raise_alone


@contextlib.contextmanager
def in_our_words(where: str = "") -> Iterator[None]:
    """Translate what DuckDB raises inside; the original, which may hold values, is not chained."""
    translated: TacitaError | None = None
    try:
        yield
    except RuntimeError as error:
        if "interrupt" not in str(error).lower():
            raise
        raise KeyboardInterrupt from None
    except duckdb.Error as error:
        if isinstance(error, duckdb.InterruptException) or "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        translated = _translated(error, where)
    # Raised here, outside of the except, and alone: not even the context of our error may hold DuckDB's text.
    if translated is not None:
        raise_alone(translated)


def _translated(error: duckdb.Error, where: str) -> TacitaError:
    text = str(error)
    if isinstance(error, duckdb.OutOfMemoryException):
        if "temp" in text.lower() and ("disk" in text.lower() or "directory" in text.lower()):
            return OutputError(
                "the folder for spilled data is full",
                where=where,
                do="set TACITA_SPILL to a folder with more room",
            )
        return TacitaError(
            "the data does not fit in the memory that the engine may take",
            where=where,
            do="give it more with --memory (or TACITA_MEMORY), or a larger spill folder with TACITA_SPILL",
        )
    lowered = text.lower()
    if "no space left" in lowered or "file too large" in lowered or "disk quota" in lowered:
        return OutputError("the disk is full", where=where, do="free some space, or write elsewhere")
    if "permission denied" in lowered:
        return InputError(
            "no permission to read or write there", where=where, do="check the rights of the file and folder"
        )
    if isinstance(error, duckdb.IOException | duckdb.InvalidInputException):
        reason = "it is damaged or not of this format"
        if match := re.search(
            r"No magic bytes found|too small to be a Parquet file|Invalid parquet|TProtocolException", text
        ):
            reason = f"it is not a Parquet file ({match[0].lower()})"
        elif "unify" in lowered or "schema mismatch" in lowered:
            reason = "its parts do not have the same columns"
        elif "at least one column" in lowered or "no columns" in lowered:
            reason = "it has no columns"
        return InputError(f"the file cannot be read: {reason}", where=where, do="check how the file was made")
    # A sum is formed in 128 bits, and fails only when it is put into 64.
    beyond = "int128" in lowered and "out of range for the destination type" in lowered
    if isinstance(error, duckdb.OutOfRangeException) or "overflow" in lowered or beyond:
        return ReasoningError(
            "a whole number grew beyond 64 bits",
            where=where,
            do="compute with decimal numbers (write 1.0 for 1, or number(X)), or keep the values smaller",
        )
    # A fault of ours: say which kind, but not the values that the text may quote.
    return InternalError(f"the engine refused a plan ({type(error).__name__})", where=where)
