"""PRAM that keeps the margins to the record: the table of changes is rounded so that its sums stay.

The table of expected changes ``n[k] R[k, l]`` of an invariant matrix has whole sums by row (the records that have k)
and by column (those that shall have l). Unbiased controlled rounding (Cox: A constructive procedure for unbiased
controlled rounding. JASA 82, 1987) makes its cells whole with these sums and the same expectation. Which records of k
become l is then drawn with equal chances. So each single record changes with the probabilities of R, but records are no
longer independent of each other: the variances of `correction`, which assume that they are, do not hold.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InternalError, UsageError
from tacita.masking.pram.transitions import Transitions

_DUST, _PARTICLE = 1e-9, 1e-3
"""What is taken as whole: any cell so near, and the last open cell of a line, which gathers the dust of the others."""
_MOST = 100
"""Values: the cells of the table are rounded one after the other, and with 100 values that takes two seconds."""


def drawn_with_exact_margins(
    transitions: Transitions, codes: NDArray[np.int32], random: np.random.Generator
) -> NDArray[np.int32]:
    """Return changed codes of which each value has as many as before; the matrix must be invariant for them."""
    if len(transitions.values) > _MOST:
        raise UsageError(f"exact margins are for up to {_MOST} values", do="leave 'exact_margins' out, or group values")
    counts = np.bincount(codes[codes >= 0], minlength=len(transitions.values))
    changes = controlled(counts[:, None] * transitions.matrix, random)
    changed = codes.copy()
    for code in np.flatnonzero(counts):
        rows = np.flatnonzero(codes == code)
        changed[rows] = random.permutation(np.repeat(np.arange(len(counts), dtype=np.int32), changes[code]))
    return changed


def controlled(expected: NDArray[np.float64], random: np.random.Generator) -> NDArray[np.int64]:
    """Return a table with whole sums rounded up or down, unbiased, with the same sums.

    A cycle of cells that are not whole, going along rows and columns in turn, can be raised and lowered in turn without
    changing a sum, until one of its cells is whole. Both directions are taken with the chances that keep the
    expectation.

    >>> controlled(np.array([[0.5, 1.5], [1.5, 0.5]]), np.random.default_rng(1)).sum(axis=0).tolist()
    [2, 2]
    """
    rest = expected.copy()
    near = np.rint(rest)
    is_open = np.abs(rest - near) >= _DUST
    rest[~is_open] = near[~is_open]
    while is_open.any():
        cycle = _cycle(is_open)
        if len(cycle) == 1:
            if abs(rest[cycle[0]] - np.rint(rest[cycle[0]])) > _PARTICLE:
                raise InternalError("a table of changes has a margin that is not whole")
            rest[cycle[0]], is_open[cycle[0]] = np.rint(rest[cycle[0]]), False
            continue
        up, down = cycle[::2], cycle[1::2]
        above = min(*(np.ceil(rest[c]) - rest[c] for c in up), *(rest[c] - np.floor(rest[c]) for c in down))
        below = min(*(rest[c] - np.floor(rest[c]) for c in up), *(np.ceil(rest[c]) - rest[c] for c in down))
        step = above if random.random() < below / (above + below) else -below
        for sign, cells in ((1, up), (-1, down)):
            for cell in cells:
                rest[cell] += sign * step
                if abs(rest[cell] - np.rint(rest[cell])) < _DUST:
                    rest[cell], is_open[cell] = np.rint(rest[cell]), False
    moves = rest.astype(np.int64)
    for axis in (0, 1):
        if np.abs(moves.sum(axis=axis) - expected.sum(axis=axis)).max(initial=0) > 0.5:
            raise InternalError("rounding has changed a margin")
    return moves


def _cycle(is_open: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return cells of a cycle: along a row, then along a column, and so on; or a cell that is alone in its line."""
    row, column = int(np.argmax(is_open.any(axis=1))), -1
    rows: dict[int, int] = {}
    columns: dict[int, int] = {}
    cells: list[tuple[int, int]] = []
    while row not in rows:
        rows[row] = len(cells)
        along = [int(place) for place in np.flatnonzero(is_open[row])[:2] if place != column]
        if not along:
            return [(row, column)]
        column = along[0]
        cells.append((row, column))
        if column in columns:
            return cells[columns[column] + 1 :]
        columns[column] = rows[row]
        across = [int(place) for place in np.flatnonzero(is_open[:, column])[:2] if place != row]
        if not across:
            return [(row, column)]
        row = across[0]
        cells.append((row, column))
    return cells[rows[row] :]
