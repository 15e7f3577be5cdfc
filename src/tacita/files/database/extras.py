"""The drivers of databases are an extra: who does not read from databases need not install them."""

from __future__ import annotations

import importlib
from types import ModuleType

from tacita.errors import MissingExtra


def driver(module: str, database: str) -> ModuleType:
    """Return a driver's module, or raise with what to install."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtra(
            f"reading from {database} needs a driver that is not installed", do="pip install 'tacita[databases]'"
        ) from None
