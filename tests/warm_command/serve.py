"""Runs commands of Tacita in forks of a process that has imported everything: most of a short command is imports.

Run as ``python serve.py SOCKET``; ends when its standard input does. Each command is a process of its own, with the
folder, environment, arguments and open files of the one that asked (ask.py). What it does not show is a forgotten
import, or an order that depends on the seed of hashes, which all commands of one server share, or what happens while
an interpreter is taken down: tests about those, and some of every command, ask for ``installed_tacita``.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import io
import marshal
import os
import pickle
import select
import signal
import socket
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

# What commands import while they run; what is not installed is missed by the command itself.
LAZY = (
    *("fastexcel", "highspy", "narwhals", "numba", "scipy.spatial", "scipy.stats", "sklearn.ensemble"),
    *("pyarrow.acero", "pyarrow.compute", "pyarrow.csv"),
    *("pyarrow.dataset", "pyarrow.parquet", "pydantic", "pyreadstat", "rapidfuzz.fuzz", "rapidfuzz.process"),
    *("rich._emoji_codes", "rich.console", "rich.progress", "rich.table", "rich.tree", "scipy.optimize"),
    *("scipy.sparse.csgraph", "sqlglot.dialects.duckdb", "sqlglot.optimizer", "tomlkit", "typer.main"),
    *("typer._adapters", "typer.rich_utils", "vl_convert", "xlsxwriter"),
)
LEFT = ("tacita.language_server", "tacita.engines.spark")  # of no use to a short command
FIRST_PAGE = 3  # with fewer arguments the command line is put together in another way when it is imported


def preload() -> None:
    """Import what commands need, and read what ships beside the code."""
    sys.argv = ["tacita"] * FIRST_PAGE
    import tacita

    room = Path(tacita.__path__[0])
    files = (file.relative_to(room.parent).with_suffix("") for file in sorted(room.rglob("*.py")))
    names = (".".join(file.parts).removesuffix(".__init__") for file in files)
    for name in (*LAZY, *(name for name in names if not name.startswith(LEFT))):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    from tacita.cli.main import built
    from tacita.describe.similarity import similarity_of_names
    from tacita.knowledge.experience_base import ExperienceBase

    built()
    similarity_of_names(ExperienceBase.load())
    with contextlib.suppress(ImportError):
        from numba.core.registry import cpu_target

        # Numba learns all that it can compile before its first kernel runs, which takes longer than the kernel.
        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()


def start_drawing(address: str) -> int:
    """Start a process that draws charts for all commands; return what keeps it running while it is open.

    The program that draws takes longer to start than most commands, and cannot be started before a fork.
    """
    until, running = os.pipe()
    if os.fork():
        os.close(until)
        return running
    os.close(running)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import vl_convert

    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen()
        while until not in select.select([door, until], [], [])[0]:
            line, _ = door.accept()
            with line, line.makefile("rb") as order, contextlib.suppress(BrokenPipeError):
                arguments, options = pickle.load(order)  # from a process of ours
                try:
                    drawn = vl_convert.vegalite_to_svg(*arguments, **options)
                except Exception as error:
                    drawn = error
                line.sendall(pickle.dumps(drawn))
    os._exit(0)


def draw_elsewhere(address: str) -> None:
    """Let commands ask that process for their charts."""
    import vl_convert

    def ordered(*arguments: object, **options: object) -> str:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(address)
            line.sendall(pickle.dumps((arguments, options)))
            line.shutdown(socket.SHUT_WR)
            with line.makefile("rb") as answer:
                drawn = pickle.load(answer)
        if isinstance(drawn, Exception):
            raise drawn
        return str(drawn)

    vl_convert.vegalite_to_svg = ordered


@dataclass(frozen=True, slots=True)
class Running:
    """A command, and the line on which its exit code is awaited."""

    process: int
    line: socket.socket

    def gone(self) -> None:
        """End the command: whoever asked for it does not wait any more."""
        os.kill(self.process, signal.SIGKILL)

    def tell(self) -> None:
        """Tell how the command ended."""
        _, status = os.waitpid(self.process, 0)
        with self.line, contextlib.suppress(BrokenPipeError):
            self.line.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def serve(address: str) -> None:
    """Start a process for each command that is asked for, until the standard input ends."""
    drawing = start_drawing(f"{address}.charts")
    preload()
    draw_elsewhere(f"{address}.charts")
    # What is here will not go: a collection in a command need not look at it, and a short command needs none.
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    running: dict[int, Running] = {}
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen()
        while True:
            lines = {command.line: command for command in running.values()}
            ready, _, _ = select.select([door, 0, *running, *lines], [], [])
            if 0 in ready:
                os._exit(0)
            for one in ready:
                if one in running:
                    running.pop(one).tell()
                elif one in lines and lines[one].line.fileno() >= 0:
                    lines[one].gone()
            if door in ready:
                line, _ = door.accept()
                asked = request(line)
                # Nothing is ever written: the pipe ends with the last process that holds it, the command.
                ended, held = os.pipe()
                process = os.fork()
                if process == 0:
                    break
                os.close(held)
                for file in asked.files:
                    os.close(file)
                running[ended] = Running(process, line)
    for command in running.values():
        command.line.close()
    line.close()
    os.close(drawing)
    become(asked)


@dataclass(frozen=True, slots=True)
class Request:
    """All that makes a process of its command: open files, arguments, folder, environment."""

    files: list[int]
    arguments: list[str]
    folder: str
    environment: dict[str, str]


def request(line: socket.socket) -> Request:
    """Return what is asked for on a line."""
    size, files, _, _ = socket.recv_fds(line, 8, 3)
    with line.makefile("rb") as rest:
        return Request(files, *marshal.loads(rest.read(int.from_bytes(size, "big"))))


def become(asked: Request) -> None:
    """Be the command from here on."""
    for number, file in enumerate(asked.files):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(asked.environment)
    time.tzset()
    os.chdir(asked.folder)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        old = getattr(sys, name)
        raw = os.fdopen(number, "wb" if number else "rb", closefd=False)
        at_once = name == "stderr" or os.isatty(number)
        new = io.TextIOWrapper(raw, old.encoding, old.errors, line_buffering=at_once)
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)
    sys.argv = asked.arguments
    if len(sys.argv) < FIRST_PAGE:
        for name in [name for name in sys.modules if name.startswith("tacita.cli")]:
            del sys.modules[name]
    from tacita.cli.main import main

    try:
        main()
    except SystemExit as stop:
        leave(int(stop.code or 0))


def leave(code: int) -> NoReturn:
    """End the process like an interpreter, without taking down the modules, which takes longer than many a command."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = code or 120
    os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1])
