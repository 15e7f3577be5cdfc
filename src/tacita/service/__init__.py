"""The service: questions over HTTP, a door beside the command line. It parses, asks `api.querying`, and shows.

``tacita serve`` starts it. Nothing that protects people is decided here: who may ask at all is, and how often.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacita.service.options import ServeOptions

_OF_THE_EXTRA = {"fastapi", "starlette", "uvicorn", "h11", "jinja2", "python_multipart", "prometheus_client"}


def serve(options: ServeOptions) -> None:
    """Serve opened data sets until somebody ends it; raise `MissingExtra` if the extra 'service' is not installed."""
    from tacita.errors import MissingExtra

    try:
        from tacita.service.serving import run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _OF_THE_EXTRA:
            raise
        raise MissingExtra(f"the service needs {error.name}", do="pip install 'tacita[service]'") from None
    run(options)
