"""Spark's exceptions told in our words, without the plans and data that Spark likes to quote in them."""

from __future__ import annotations

import contextlib
import logging
import subprocess
from collections.abc import Iterator

from tacita.errors import InputError, InternalError, OutputError, ReasoningError, TacitaError, raise_alone

# PySpark prints each failed query, constants and all, as a line of JSON to the standard error.
_TALKATIVE = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
_CUT = {"Py4JError", "Py4JNetworkError", "ConnectionRefusedError", "ConnectionResetError", "BrokenPipeError"}


@contextlib.contextmanager
def in_our_words(where: str = "") -> Iterator[None]:
    """Translate what Spark raises inside; the original, which may hold values, is neither chained nor logged."""
    from py4j.protocol import Py4JError, Py4JJavaError
    from pyspark.errors import PySparkException

    translated: TacitaError | None = None
    with _silence():
        try:
            yield
        except Py4JJavaError as error:
            # What Java says; only a name and a few phrases of it go further.
            translated = _translated(str(error), _java_name(error), where)
        except (PySparkException, Py4JError) as error:
            translated = _translated(str(error), type(error).__name__, where)
        except ConnectionError as error:
            translated = _translated("connection", type(error).__name__, where)
    if translated is not None:
        raise_alone(translated)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    loggers = [logging.getLogger(name) for name in _TALKATIVE]
    before = [logger.disabled for logger in loggers]
    root = logging.getLogger()
    root.addFilter(_not_of_py4j)
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        root.removeFilter(_not_of_py4j)
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


def _not_of_py4j(record: logging.LogRecord) -> bool:
    """Whether a line is none of py4j, which reports a broken connection to everybody."""
    return "py4j" not in record.pathname


def _java_name(error: object) -> str:
    """Return the class of the innermost cause: a job that was aborted says nothing by itself."""
    with contextlib.suppress(Exception):
        cause = error.java_exception  # type: ignore[attr-defined]
        for _ in range(20):
            if cause.getCause() is None:
                break
            cause = cause.getCause()
        return str(cause.getClass().getSimpleName())
    return type(error).__name__


def _is_gone() -> bool:
    """Whether Java has ended; py4j says of a call that nobody answers what it says of one that does not exist."""
    from pyspark import SparkContext

    process = getattr(SparkContext._gateway, "proc", None)
    if process is None:
        return True
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(1)
    return process.poll() is not None


def _translated(text: str, kind: str, where: str) -> TacitaError:
    lowered = text.lower()
    if "outofmemoryerror" in lowered or "sparkoutofmemory" in lowered or "cannot_grow" in lowered:
        return TacitaError(
            "the data does not fit in the memory that the engine may take",
            where=where,
            do="give it more with --memory (or TACITA_MEMORY), or use a Spark session with more of it",
        )
    if "no space left" in lowered or "disk quota" in lowered:
        return OutputError("the disk is full", where=where, do="free some space, or set TACITA_SPILL to another folder")
    if "permission denied" in lowered or "accesscontrolexception" in lowered:
        return InputError(
            "no permission to read or write there", where=where, do="check the rights of the file and folder"
        )
    if "is not a parquet file" in lowered or "parquetdecodingexception" in lowered or "cannot_read_file" in lowered:
        return InputError(
            "the file cannot be read: it is damaged or not of this format",
            where=where,
            do="check how the file was made",
        )
    if "arithmetic_overflow" in lowered or "cast_overflow" in lowered or "long overflow" in lowered:
        return ReasoningError(
            "a whole number grew beyond 64 bits",
            where=where,
            do="compute with decimal numbers (write 1.0 for 1, or number(X)), or keep the values smaller",
        )
    if (kind in _CUT and _is_gone()) or "stopped sparkcontext" in lowered:
        return TacitaError(
            "Spark is not running any more", where=where, do="make a new engine; if it stops again, give it more memory"
        )
    # A fault of ours: say which kind, but not the values that the text may quote.
    return InternalError(f"the engine refused a plan ({kind})", where=where)
