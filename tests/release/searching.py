"""Every byte of what is handed out, searched for what must not be in it."""

from __future__ import annotations

import gzip
import json
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pyarrow.parquet as pq


def handed_out(folder: Path) -> Iterable[tuple[str, bytes]]:
    """Every name and every byte of a folder, packed files unpacked."""
    for path in folder.rglob("*"):
        yield str(path.relative_to(folder)), str(path.relative_to(folder)).encode()
        if path.is_dir():
            continue
        yield path.name, path.read_bytes()
        if path.suffix == ".gz":
            yield path.name, gzip.decompress(path.read_bytes())
        elif path.suffix == ".xlsx":
            with zipfile.ZipFile(path) as packed:
                yield from ((f"{path.name}/{name}", packed.read(name)) for name in packed.namelist())
        elif path.suffix == ".parquet":
            file = pq.ParquetFile(path)
            yield path.name, repr([file.metadata.to_dict(), file.schema_arrow.metadata]).encode()
            yield path.name, repr(file.read().to_pylist()).encode()


def leaks(folder: Path, wanted: Iterable[str]) -> list[tuple[str, str]]:
    """Which texts stand where, in the encodings that files are written in."""
    found = []
    forms = {text: {text.encode(), text.encode("utf-16-le"), json.dumps(text)[1:-1].encode()} for text in wanted}
    for name, content in handed_out(folder):
        found += [(text, name) for text, spelt in forms.items() if any(form in content for form in spelt)]
    return found
