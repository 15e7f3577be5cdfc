"""What an editor asks about a rule program: faults, meanings, definitions, completions, layout, names.

`document` holds what is known of an open program; one file answers one kind of question, in plain values. Only `server`
and `translation` speak the protocol (pygls), so everything else can be used and tested without it. No data is ever
read: all answers come from programs and dictionaries.
"""

from __future__ import annotations

import contextlib
import os
import sys


def serve() -> None:
    """Serve an editor over standard input and output until it says goodbye."""
    from tacita.errors import MissingExtra

    try:
        from tacita.language_server.server import made
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"pygls", "lsprotocol"}:
            raise
        raise MissingExtra("the language server needs pygls", do="pip install 'tacita[editor]'") from None
    # The editor gets the standard output for itself: whatever else would print there goes to the error output.
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with contextlib.redirect_stdout(sys.stderr):
        made().start_io(incoming, outgoing)
