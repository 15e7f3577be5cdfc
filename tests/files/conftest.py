"""What the tests of files share: an engine, microdata, makers of foreign files, servers of their own."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.servers import mariadb, postgresql

from tacita.engines.duckdb.engine import DuckDBEngine
from tacita.files.contract import ReadOptions
from tacita.files.formats import format_of
from tacita.model.dictionary import Dictionary
from tacita.model.microdata import Microdata, Source
from tacita.settings import Settings

__all__ = ["mariadb", "postgresql"]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBEngine]:
    folder = tmp_path_factory.mktemp("engine")
    with DuckDBEngine(Settings(memory="1GB", threads=2, spill=folder, state=folder / "state")) as engine:
        yield engine


@pytest.fixture(scope="module")
def load(engine: DuckDBEngine) -> Callable[..., Microdata]:
    """A file as microdata, by its format's module alone."""

    def read(path: Path, **options: Any) -> Microdata:
        known = format_of(path)
        loaded = known.load().read(path, ReadOptions(**options), engine)
        draft = Dictionary(path.stem, loaded.attributes, loaded.description)
        return Microdata(loaded.relation, draft, Source(str(path), known.name, loaded.details), loaded.readings)

    return read


@pytest.fixture(scope="session")
def sas7bdat() -> Callable[[Path, Sequence[tuple[str, bool, str, str]], Sequence[tuple[Any, ...]]], Path]:
    """A maker of SAS files: pyreadstat can read them only, but the C library inside it can write them too.

    A column is its name, whether it is text, its format and its label; a tagged missing is the letter of its tag.
    """
    import pyreadstat

    library = next(Path(pyreadstat.__file__).parent.glob("_readstat_writer*.so"), None)
    if library is None:
        pytest.skip("the C library inside pyreadstat cannot be reached on this system")
    c = ctypes.CDLL(str(library))
    for name in ("readstat_writer_init", "readstat_add_variable"):
        getattr(c, name).restype = ctypes.c_void_p

    def make(path: Path, columns: Sequence[tuple[str, bool, str, str]], rows: Sequence[tuple[Any, ...]]) -> Path:
        out = bytearray()

        @ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
        def take(data: int, length: int, _: object) -> int:
            out.extend(ctypes.string_at(data, length))
            return length

        writer = ctypes.c_void_p(c.readstat_writer_init())
        c.readstat_set_data_writer(writer, take)
        c.readstat_writer_set_file_label(writer, b"a survey")
        variables = []
        for name, is_text, form, label in columns:
            kind, width = (0, 8) if is_text else (5, 8)
            variable = ctypes.c_void_p(c.readstat_add_variable(writer, name.encode(), kind, ctypes.c_size_t(width)))
            c.readstat_variable_set_format(variable, form.encode())
            c.readstat_variable_set_label(variable, label.encode())
            variables.append(variable)
        assert c.readstat_begin_writing_sas7bdat(writer, None, ctypes.c_long(len(rows))) == 0
        for row in rows:
            c.readstat_begin_row(writer)
            for variable, (_, is_text, _, _), cell in zip(variables, columns, row, strict=True):
                if cell is None:
                    c.readstat_insert_missing_value(writer, variable)
                elif is_text:
                    c.readstat_insert_string_value(writer, variable, cell.encode())
                elif isinstance(cell, str):
                    c.readstat_insert_tagged_missing_value(writer, variable, ctypes.c_char(cell.encode()))
                else:
                    c.readstat_insert_double_value(writer, variable, ctypes.c_double(cell))
            assert c.readstat_end_row(writer) == 0
        assert c.readstat_end_writing(writer) == 0
        c.readstat_writer_free(writer)
        path.write_bytes(out)
        return path

    return make
