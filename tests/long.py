"""How many random examples a test runs on: some in `make test`, at least a hundred in `make test-long`.

Tests that are functions with `@given` are found and lengthened by `conftest.py`. Those that run examples of their own
have the mark `long` and ask here.
"""

from __future__ import annotations

import os

LONG = bool(os.environ.get("TACITA_LONG"))


def examples(usual: int) -> int:
    """Return the usual number of examples, or at least a hundred in a long run."""
    return max(100, usual) if LONG else usual
