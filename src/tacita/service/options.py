"""How the service is run. These values import nothing but options: they are read before any library is."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tacita.errors import UsageError
from tacita.options import option

STATE = Path("service-state")
"""Where the state is kept if nothing is said."""
_MOST_PORT, _MOST_WORKERS = 65_535, 64


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """Where the service listens, what it keeps, and how much it takes."""

    folders: tuple[Path, ...] = field(default=())
    host: str = option("127.0.0.1", metavar="ADDRESS", help="The address to listen on; this machine alone by default.")
    port: int = option(8765, help="The port to listen on; 0 takes any that is free.")
    state: Path = option(STATE, metavar="DIR", help="Private folder with the tokens and the limits of the service.")
    workers: int = option(1, help="Processes that answer; they share ledgers and limits.")
    allow_host: tuple[str, ...] = option((), help="Names by which the service is called, besides its address.")
    oidc: Path | None = option(None, metavar="FILE.toml", help="Settings of an issuer whose tokens are taken too.")
    rate: float = option(10.0, help="Requests a second that one name may send for long.")
    burst: int = option(50, help="Requests that one name may send at once.")

    def __post_init__(self) -> None:
        if not 0 <= self.port <= _MOST_PORT:
            raise UsageError(f"--port is {self.port}", do=f"give 0 to {_MOST_PORT}")
        if not 1 <= self.workers <= _MOST_WORKERS:
            raise UsageError(f"--workers is {self.workers}", do=f"give 1 to {_MOST_WORKERS}")
        if not 0 < self.rate <= 1e6 or not 1 <= self.burst <= 10**6:
            raise UsageError("--rate or --burst is out of range", do="give a rate above 0 and a burst of at least 1")
