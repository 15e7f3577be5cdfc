"""Servers of databases that tests start for themselves, as fixtures: a folder imports what it needs in its conftest."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest


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
    place = os.environ.get("PYTEST_DEBUG_TEMPROOT")  # memory, see conftest.py: a new server forces hundreds of files
    with tempfile.TemporaryDirectory(prefix="tacita-server-", dir=place) as name:
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


@dataclass
class PostgresqlServer:
    """A PostgreSQL server of our own, with the password ``s3cr3t-pw``, that can be ended and begun again."""

    url: str
    _started: Callable[[], contextlib.AbstractContextManager[None]]
    _stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def start(self) -> None:
        self._stack.enter_context(self._started())

    def stop(self) -> None:
        self._stack.close()


@contextlib.contextmanager
def postgresql_server(*more: str) -> Iterator[PostgresqlServer]:
    """Run a server with options of its own."""
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

        options = [f"-p{port}", f"-k{folder}", "-clisten_addresses=127.0.0.1", *more]
        command = [postgres, "-D", str(data), *options]
        server = PostgresqlServer(url, lambda: _running(command, folder / "log", is_ready, **how))
        server.start()
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of a PostgreSQL server of our own, with the password ``s3cr3t-pw``."""
    with postgresql_server("-cfsync=off") as server:
        yield server.url


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


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A Chromium without a window, driven by playwright; the one of the system, nothing is downloaded.

    It ends with the module: as long as playwright runs, no test of the same process can run a loop of its own.
    """
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("Chromium is not installed: run scripts/services")
    api = pytest.importorskip("playwright.sync_api")
    options = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=options)
        yield browser
        browser.close()
