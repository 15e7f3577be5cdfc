"""The language server: the protocol of editors (pygls) around what `api.editor` answers.

``tacita rules serve`` and ``python -m tacita.language_server`` start it.
"""

from __future__ import annotations

import contextlib
import os
import sys


def serve() -> None:
    """Serve an editor over standard input and output until it says goodbye."""
    from tacita.errors import MissingExtra

    try:
        from tacita.language_server.server import rule_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"pygls", "lsprotocol"}:
            raise
        raise MissingExtra("the language server needs pygls", do="pip install 'tacita[editor]'") from None
    # The editor gets the standard output for itself: whatever else would print there goes to the error output.
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with contextlib.redirect_stdout(sys.stderr):
        rule_server().start_io(incoming, outgoing)
