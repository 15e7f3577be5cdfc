"""The part of internal reports about hidden cells that can be derived: what, from what, and how."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.attacks.microdata.derivation import DerivableValues
from tacita.errors import listed
from tacita.views.markup import Html, items
from tacita.views.tables import Cell, table


def derivable_parts(derived: Sequence[DerivableValues]) -> list[Html]:
    """Return a table of what determines what, and the transcripts of the attacks. No value is in it."""
    rows: list[list[Cell]] = [
        [one.target, one.clue, "suppressed" if one.suppressed else "changed", one.hidden, one.named, one.right]
        for one in derived
    ]
    heads = ["attribute", "determined by", "cells", "hidden", "named", "named correctly"]
    return [table(heads, rows), items([_transcript(one) for one in derived if one.transcript is not None])]


def _transcript(one: DerivableValues) -> str:
    assert one.transcript is not None
    transcript = one.transcript
    source = "the original records" if one.public else "records of the release that show it"
    rows = (
        f" Records of the release for example: {listed([f'{row:,}' for row in transcript.rows])}."
        if transcript.rows
        else ""
    )
    return (
        f"{transcript.rule} Learnt from {transcript.learnt_from:,} {source}; of {transcript.tried:,} that were left "
        f"out, {transcript.right:,} are named correctly.{rows}"
    )
