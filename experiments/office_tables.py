"""Random tables of business kind, protected through the command line by default, and attacked with no shared code.

Firms have log-normal turnover and unequal shares; tables have two to four dimensions, some of them hierarchies. What a
release must withstand is written here once more, from the rules' definitions: the public, and every contributor who
stands alone behind a cell, look for the least and the most of every sensitive cell with linear programmes over the
leaves. ``python -m experiments offices --tables 1000``
"""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import highspy
import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Codes = tuple[str, ...]
_SLACK = 1e-5  # of a level: published figures have a last digit


@dataclass(frozen=True, slots=True)
class OfficeTable:
    """Firms, the codes under every code of each dimension, and the rules of an office."""

    firms: tuple[tuple[str, Codes, int], ...]
    """Contributor, leaf codes, turnover."""
    trees: tuple[dict[str, tuple[str, ...]], ...]
    """The leaves under every code of a dimension, totals first."""
    p: float | None
    dominance: tuple[int, float] | None
    minimum: int | None

    def cells(self) -> list[Codes]:
        """Return the codes of every cell."""
        return list(itertools.product(*self.trees))

    def contributions(self) -> dict[Codes, dict[str, float]]:
        """Return what everybody gives to every cell."""
        above = [
            {leaf: [code for code, leaves in tree.items() if leaf in leaves] for leaf in _leaves(tree)}
            for tree in self.trees
        ]
        given: dict[Codes, dict[str, float]] = {cell: {} for cell in self.cells()}
        for who, leaf, turnover in self.firms:
            for cell in itertools.product(*(codes[code] for codes, code in zip(above, leaf, strict=True))):
                given[cell][who] = given[cell].get(who, 0.0) + turnover
        return given

    def level(self, given: dict[str, float], attacker: str | None = None) -> float:
        """Return how far a cell must stay uncertain, to everybody or to one who takes the own part away."""
        if not given:
            return 0.0
        value = sum(given.values())
        sizes = sorted(given.values(), reverse=True)
        level = 0.0
        if self.minimum is not None and len(sizes) < self.minimum:
            level = 0.15 * value
        if self.p is not None:
            level = max(level, self.p / 100 * sizes[0] - (value - sum(sizes[:2])))
        if self.dominance is not None:
            level = max(level, 100 / self.dominance[1] * sum(sizes[: self.dominance[0]]) - value)
        level = 0.0 if level <= 1e-12 * value else min(level, value)
        if attacker is None or attacker not in given or not level:
            return level
        others = {who: part for who, part in given.items() if who != attacker}
        rest = sum(others.values())
        against = 0.0
        if self.minimum is not None and 0 < len(sizes) < self.minimum:
            against = 0.15 * rest
        if self.p is not None and others:
            against = max(against, (1 + self.p / 100) * max(others.values()) - rest)
        if self.dominance is not None and others:
            largest = sorted(others.values(), reverse=True)[: self.dominance[0]]
            against = max(against, 100 / self.dominance[1] * sum(largest) - rest)
        return min(level, rest, max(against, 0.0))


def drawn(seed: int) -> OfficeTable:
    """Return a random table of two to four dimensions."""
    draw = np.random.default_rng(seed)
    dimensions = int(draw.choice([2, 2, 3, 3, 4]))
    most = {2: 7, 3: 4, 4: 3}[dimensions]
    trees = tuple(_tree(chr(97 + at), draw, most) for at in range(dimensions))
    weights = [draw.dirichlet(np.full(len(_leaves(tree)), 1.5)) for tree in trees]
    cells = int(np.prod([len(_leaves(tree)) for tree in trees]))
    number = int(cells * draw.choice([1.5, 3, 6]))
    groups = draw.random() < 0.3
    firms = []
    for at in range(number):
        leaf = tuple(str(draw.choice(_leaves(tree), p=share)) for tree, share in zip(trees, weights, strict=True))
        who = f"g{draw.integers(number // 2 + 1)}" if groups and draw.random() < 0.4 else f"f{at}"
        firms.append((who, leaf, max(1, round(float(np.exp(draw.normal(4, 1.6)))))))
    kind = int(draw.integers(4))
    p = float(draw.choice([5, 10, 20])) if kind in {0, 3} else None
    dominance = ((1, 85.0), (2, 90.0), (3, 75.0))[int(draw.integers(3))] if kind == 1 else None
    minimum = 3 if kind in {1, 2, 3} else None
    return OfficeTable(tuple(firms), trees, p, dominance, minimum)


def _tree(name: str, draw: np.random.Generator, most: int) -> dict[str, tuple[str, ...]]:
    size = int(draw.integers(2, most + 1))
    leaves = [f"{name}{at}" for at in range(size)]
    tree = {"Total": tuple(leaves)}
    if size >= 4 and draw.random() < 0.6:
        half = size // 2
        tree |= {f"{name}x": tuple(leaves[:half]), f"{name}y": tuple(leaves[half:])}
    return tree | {leaf: (leaf,) for leaf in leaves}


def _leaves(tree: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tree["Total"]


def write(table: OfficeTable, folder: Path) -> Path:
    """Write the firms and a specification that says nothing but dimensions, response and rules."""
    names = [f"d{at}" for at in range(len(table.trees))]
    with (folder / "firms.csv").open("w", newline="") as lines:
        rows = csv.writer(lines, lineterminator="\n")
        rows.writerow(["who", *names, "turnover"])
        rows.writerows([who, *leaf, turnover] for who, leaf, turnover in table.firms)
    text = ['[data]\nmicrodata = "firms.csv"\ncontributor = "who"']
    for name, tree in zip(names, table.trees, strict=True):
        middle = [code for code in tree if code != "Total" and len(tree[code]) > 1]
        single = [leaf for leaf in tree["Total"] if not any(leaf in tree[code] for code in middle)]
        lines_ = [line for code in middle for line in (code, *(f"@{leaf}" for leaf in tree[code]))] + single
        (folder / f"{name}.hrc").write_text("\n".join(lines_) + "\n")
        text.append(f'[dimension.{name}]\nhierarchy = "{name}.hrc"')
    text.append(f'[[table]]\nname = "t"\ndimensions = {names}\nresponse = "turnover"'.replace("'", '"'))
    rules = []
    if table.minimum is not None:
        rules.append(f"minimum_frequency = {table.minimum}")
    if table.p is not None:
        rules.append(f"p_percent = {{ p = {table.p:g} }}")
    if table.dominance is not None:
        rules.append(f"dominance = {{ n = {table.dominance[0]}, k = {table.dominance[1]:g} }}")
    text.append("[sensitivity]\n" + "\n".join(rules))
    (folder / "t.toml").write_text("\n\n".join(text) + "\n")
    return folder / "t.toml"


class Attacker:
    """Linear programmes over the leaves: what everybody sees, and what one contributor knows besides."""

    def __init__(self, table: OfficeTable, published: dict[Codes, float]) -> None:
        self.table, self.given = table, table.contributions()
        self.cells = [cell for cell in table.cells() if cell in self.given]
        self.number = {cell: at for at, cell in enumerate(self.cells)}
        self.leaves = list(itertools.product(*map(_leaves, table.trees)))
        under = [{code: set(leaves) for code, leaves in tree.items()} for tree in table.trees]
        self.sums = np.array(
            [
                [
                    all(code in sets[of] for sets, code, of in zip(under, leaf, cell, strict=True))
                    for leaf in self.leaves
                ]
                for cell in self.cells
            ],
            float,
        )
        self.truth = np.array([sum(self.given[cell].values()) for cell in self.cells])
        self.published = np.array([published.get(cell, np.nan) for cell in self.cells])
        self.pool = [np.array([sum(self.given[leaf].values()) for leaf in self.leaves])]
        self.alone: dict[str, list[int]] = {}
        for at, cell in enumerate(self.cells):
            if len(self.given[cell]) == 1 and np.isnan(self.published[at]):
                self.alone.setdefault(next(iter(self.given[cell])), []).append(at)
        self.solver = self._program()

    def _program(self) -> highspy.Highs:
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        for _ in self.leaves:
            solver.addVar(0.0, highspy.kHighsInf)
        for row, value in zip(self.sums, self.published, strict=True):
            columns = np.flatnonzero(row).astype(np.int32)
            low, high = (0.0, highspy.kHighsInf) if np.isnan(value) else (value, value)
            solver.addRow(low, high, len(columns), columns, np.ones(len(columns)))
        return solver

    def violations(self) -> Iterator[str]:
        """Yield what comes too near to a sensitive cell."""
        for who in (None, *sorted(self.alone)):
            known = [] if who is None else self.alone[who]
            for at in known:
                self.solver.changeRowBounds(at, self.truth[at], self.truth[at])
            for at, cell in enumerate(self.cells):
                level = self.table.level(self.given[cell], who)
                if who is not None and set(self.given[cell]) == {who}:
                    continue
                for sign in (1, -1) if level else ():
                    reach = self._reach(at, sign, level, known)
                    if reach < level * (1 - _SLACK) - 1e-6:
                        way, against = "+-"[sign < 0], who or "everybody"
                        yield f"{'/'.join(cell)} {way}: {reach:.6g} of {level:.6g} against {against}"
            for at in known:
                self.solver.changeRowBounds(at, 0.0, highspy.kHighsInf)

    def _reach(self, cell: int, sign: int, level: float, known: Sequence[int]) -> float:
        if not np.isnan(self.published[cell]):
            return 0.0
        best = 0.0
        for point in self.pool:
            cells = self.sums[known] @ point if len(known) else np.zeros(0)
            if np.allclose(cells, self.truth[known], rtol=1e-9, atol=1e-6):
                best = max(best, sign * (float(self.sums[cell] @ point) - self.truth[cell]))
                if best >= level * (1 - _SLACK):
                    return best
        count = len(self.leaves)
        self.solver.changeColsCost(count, np.arange(count, dtype=np.int32), -sign * self.sums[cell])
        self.solver.changeRowBounds(cell, *self._capped(cell, sign, level))
        self.solver.run()
        status = self.solver.getModelStatus()
        self.solver.changeRowBounds(cell, 0.0, highspy.kHighsInf)
        if status != highspy.HighsModelStatus.kOptimal:
            raise RuntimeError(f"the attacker's programme ended with {status}")
        point = np.array(self.solver.getSolution().col_value)
        self.pool.append(point)
        return sign * (float(self.sums[cell] @ point) - self.truth[cell])

    def _capped(self, cell: int, sign: int, level: float) -> tuple[float, float]:
        if sign > 0:
            return 0.0, self.truth[cell] + level
        return max(0.0, self.truth[cell] - level), highspy.kHighsInf


@dataclass(frozen=True, slots=True)
class Judgement:
    """What happened to one table."""

    seed: int
    released: bool
    withheld: int
    sensitive: int
    faults: tuple[str, ...]
    message: str


def judged(seed: int, seconds: float = 5.0) -> Judgement:
    """Protect one table through the command line, and attack what comes out; if nothing does, what could have."""
    table = drawn(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        code, said = _command(
            "table",
            "protect",
            str(write(table, folder)),
            "--out",
            str(folder / "out"),
            "--time",
            f"{seconds:g}",
            "--seed",
            "1",
            "--progress",
            "none",
        )
        published: dict[Codes, float] = {}
        withheld = 0
        if code == 0:
            with (folder / "out" / "t.csv").open(newline="") as lines:
                for row in csv.reader(itertools.islice(lines, 1, None)):
                    if row[-1]:
                        withheld += 1
                    else:
                        published[tuple(row[: len(table.trees)])] = float(row[-2])
    given = table.contributions()
    sensitive = sum(1 for parts in given.values() if table.level(parts))
    if code == 0:
        faults = tuple(Attacker(table, published).violations())
        missing = [cell for cell, parts in given.items() if parts and cell not in published and not withheld]
        return Judgement(seed, True, withheld, sensitive, faults + tuple(map(str, missing)), "")
    nothing = {cell: 0.0 for cell, parts in given.items() if not parts}
    possible = not any(True for _ in Attacker(table, nothing).violations())
    faults = (f"refused with code {code}, though all withheld is safe",) if possible or code not in {1, 2} else ()
    return Judgement(seed, False, 0, sensitive, faults, said)


def _command(*arguments: str) -> tuple[int, str]:
    from tacita.cli.main import run

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(list(arguments))
    return code, out.getvalue() + err.getvalue()


def summary(judgements: Sequence[Judgement]) -> dict[str, int]:
    """Return how many tables were released, refused, and judged faulty."""
    released = sum(one.released for one in judgements)
    return {
        "tables": len(judgements),
        "released": released,
        "refused": len(judgements) - released,
        "faulty": sum(bool(one.faults) for one in judgements),
    }
