"""What the tests of files share: an engine, microdata, makers of foreign files, servers of their own."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tacita.engines.duckdb.engine import DuckDBEngine
from tacita.files.contract import ReadOptions
from tacita.files.formats import format_of
from tacita.model.dictionary import Dictionary
from tacita.model.microdata import Microdata, Source
from tacita.settings import Settings


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


# -- servers ----------------------------------------------------------------------------------------------------------


def _program(name: str) -> str | None:
    """A program on the path, or where Debian keeps servers."""
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin") or (str(places[0]) if places else None)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def _private_folder(account: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """A folder for a server, and how to run as somebody who is not root: servers refuse root."""
    with tempfile.TemporaryDirectory(prefix="tacita-server-") as name:
        folder = Path(name)
        if os.geteuid() != 0:
            yield folder, {}
            return
        user = pwd.getpwnam(account)
        os.chown(folder, user.pw_uid, user.pw_gid)
        yield folder, {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


@contextlib.contextmanager
def _running(command: list[str], log: Path, is_ready: Callable[[], bool], **how: Any) -> Iterator[None]:
    with log.open("wb") as out:
        server = subprocess.Popen(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, cwd="/", **how)
    try:
        for _ in range(6000):
            if is_ready():
                break
            assert server.poll() is None, log.read_text(errors="replace")
            time.sleep(0.1)
        yield
    finally:
        server.send_signal(signal.SIGINT if "postgres" in command[0] else signal.SIGTERM)
        server.wait(600)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of a PostgreSQL server of our own, with the password ``s3cr3t-pw``."""
    initdb, postgres = _program("initdb"), _program("postgres")
    if initdb is None or postgres is None:
        pytest.skip("PostgreSQL is not installed: run scripts/services")
    adbc = pytest.importorskip("adbc_driver_postgresql.dbapi")
    with _private_folder("nobody") as (folder, how):
        (folder / "pw").write_text("s3cr3t-pw\n")
        (folder / "pw").chmod(0o644)
        data, port = folder / "data", _free_port()
        arguments = ["-U", "ann", "--auth=scram-sha-256", f"--pwfile={folder / 'pw'}", "-E", "UTF8", "--locale=C", "-N"]
        made = subprocess.run([initdb, "-D", str(data), *arguments], capture_output=True, cwd="/", check=False, **how)
        assert made.returncode == 0, made.stderr
        url = f"postgresql://ann:s3cr3t-pw@127.0.0.1:{port}/postgres"

        def is_ready() -> bool:
            with contextlib.suppress(adbc.Error), adbc.connect(url):
                return True
            return False

        options = [f"-p{port}", f"-k{folder}", "-cfsync=off", "-clisten_addresses=127.0.0.1"]
        with _running([postgres, "-D", str(data), *options], folder / "log", is_ready, **how):
            yield url


@pytest.fixture(scope="session")
def mariadb() -> Iterator[str]:
    """The URL of a MariaDB server of our own, with the password ``s3cr3t-pw`` and the database ``survey``."""
    install, mariadbd = _program("mariadb-install-db"), _program("mariadbd")
    if install is None or mariadbd is None or _program("my_print_defaults") is None:
        pytest.skip("MariaDB is not installed: run scripts/services")
    pymysql = pytest.importorskip("pymysql")
    with _private_folder("nobody") as (folder, how):
        data, port, path = folder / "data", _free_port(), str(folder / "socket")
        arguments = ["--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"]
        command = [install, "--no-defaults", f"--datadir={data}", *arguments]
        made = subprocess.run(command, capture_output=True, cwd="/", check=False, **how)
        assert made.returncode == 0, made.stderr

        def is_ready() -> bool:
            with contextlib.suppress(pymysql.err.OperationalError):
                pymysql.connect(unix_socket=path, user="root").close()
                return True
            return False

        options = [f"--datadir={data}", f"--socket={path}", f"--port={port}", "--bind-address=127.0.0.1"]
        with _running([mariadbd, "--no-defaults", *options], folder / "log", is_ready, **how):
            with contextlib.closing(pymysql.connect(unix_socket=path, user="root")) as connection:
                for statement in (
                    "CREATE DATABASE survey CHARACTER SET utf8mb4",
                    "CREATE USER 'ann'@'127.0.0.1' IDENTIFIED BY 's3cr3t-pw'",
                    "GRANT ALL ON survey.* TO 'ann'@'127.0.0.1'",
                ):
                    connection.cursor().execute(statement)
            yield f"mysql://ann:s3cr3t-pw@127.0.0.1:{port}/survey"
