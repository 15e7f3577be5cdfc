"""Reading a small text file beside the data; every way in which that can fail is said in a sentence."""

from __future__ import annotations

from pathlib import Path

from tacita.errors import InputError, did_you_mean


def read_text(
    path: Path, error: type[InputError], what: str, encoding: str = "utf-8", otherwise: str | None = None
) -> str:
    """Return the text of a file without its byte order mark, or raise `error` with what to do next.

    Files of programs that know no UTF-8 may have another encoding, `otherwise`.
    """
    where = str(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        near = did_you_mean(path.name, _siblings(path))
        raise error(f"there is no such file{near}", where=where, do=f"give the path of {what}") from None
    except IsADirectoryError:
        raise error("this is a folder, not a file", where=where, do=f"give the path of {what}") from None
    except PermissionError:
        raise error("the file may not be read", where=where, do="ask its owner for the right to read it") from None
    except (OSError, ValueError) as fault:  # a path with a zero byte is a ValueError
        reason = fault.strerror or str(fault) if isinstance(fault, OSError) else str(fault)
        raise error(f"the file cannot be read: {reason}", where=where, do="check the path and the disk") from None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif b"\0" in data:
        raise error("this is not a text file", where=where, do=f"give the path of {what}, a plain text file")
    try:
        text = data.decode(encoding)
    except LookupError:
        raise error(f"no encoding '{encoding}' is known", where=where, do="use utf-8, cp1252 or latin-1") from None
    except UnicodeDecodeError as fault:
        if otherwise is not None and encoding != "utf-16":
            return read_text(path, error, what, otherwise)
        line = data.count(b"\n", 0, fault.start) + 1
        raise error(
            f"line {line} is not {encoding.upper()} text",
            where=where,
            do="save the file in the encoding UTF-8",
        ) from None
    return text.removeprefix("\ufeff")


def _siblings(path: Path) -> list[str]:
    try:
        return [sibling.name for sibling in path.parent.iterdir()]
    except OSError:
        return []
