"""Running the service: check everything, listen, work in one process or several, and end in order."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from tacita.api.querying import Database
from tacita.errors import OutputError, UsageError
from tacita.interruption import at_prompt
from tacita.service.application import ServiceFactory, opened_issuer
from tacita.service.guard import LOG, is_loopback, write_log
from tacita.service.metrics import count_together
from tacita.service.options import ServeOptions
from tacita.service.protocol import PatientProtocol
from tacita.service.state import ServiceState

_WAITING = 1024
_FAREWELL = 10
"""Seconds that requests have to end after a request to stop."""


def run(options: ServeOptions) -> None:
    """Serve until a signal ends it: nothing new is taken, what is being written is finished."""
    write_log()
    names = check(options)
    listener = listening(options.host, options.port)
    with contextlib.closing(listener), at_prompt():
        port = listener.getsockname()[1]
        if options.workers > 1:
            count_together(options.state / "metrics")
        shown = f"[{options.host}]" if ":" in options.host else options.host
        _say({"event": "serving", "url": f"http://{shown}:{port}", "databases": names, "workers": options.workers})
        if not is_loopback(options.host):
            _say({"event": "note", "note": "this address may be reached from elsewhere: put TLS in front of it"})
        config = configuration(options)
        if options.workers == 1:
            _Server(config).run(sockets=[listener])
        else:
            with _handlers_restored():
                supervisor = Multiprocess(config, sockets=[listener])
                supervisor.run()
            if any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes):
                raise OutputError("a process could not start", do="see the log, which says why")
        _say({"event": "stopped"})


def check(options: ServeOptions) -> list[str]:
    """Return the names of the data sets; raise if a folder, a ledger or the state cannot be used as it is."""
    if not options.folders:
        raise UsageError("no data set is named", do="name folders that 'tacita query open' made")
    names: dict[str, Path] = {}
    for folder in options.folders:
        with Database(folder) as database:
            for note in database.check_ledger():
                LOG.warning(json.dumps({"event": "note", "note": note}))
            name = database.description().name
        if name in names:
            raise UsageError(f"two folders have the data set '{name}'", do="serve one of them")
        names[name] = folder
    with ServiceState(options.state) as state:
        if opened_issuer(options) is not None:
            state.check_names()
    return sorted(names)


def configuration(options: ServeOptions) -> uvicorn.Config:
    """Return how the server is run."""
    return uvicorn.Config(
        ServiceFactory(options),
        factory=True,
        http=PatientProtocol,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        workers=options.workers,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_FAREWELL,
        h11_max_incomplete_event_size=16_384,
    )


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raise if the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends small parts at once; without it replies wait 40 ms for an acknowledgement.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_WAITING)  # from here on connections wait, while processes start
    except OSError as error:
        listener.close()
        raise OutputError(
            f"cannot listen on port {port} ({error.strerror})", where=host, do="choose another --port or --host"
        ) from None
    listener.set_inheritable(True)
    return listener


class _Server(uvicorn.Server):
    """A server that ends with exit code 0 after a signal: being stopped is how it is meant to end."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at the first signal, and at once at the second interrupt; leave the handlers as they were."""
        with _handlers_restored():
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, self.handle_exit)
            yield


@contextlib.contextmanager
def _handlers_restored() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _say(fields: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()
