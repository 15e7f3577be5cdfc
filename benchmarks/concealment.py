"""Concealing: a million cells encrypted and opened again, and 100,000 people with 50 policies from file to release."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import T, best, cost, tacita, timed

Line = tuple[str, str, str, str, str]
PEOPLE, ATTRIBUTES = 100_000, 10
NAMES = ("zip", "city", "region", "age", "sex", "job", "sector", "income", "diagnosis", "doctor", "ward", "smoker")


def cells(_: Path) -> Iterator[Line]:
    """A million cells of 100,000 people, sealed and opened, against AES-SIV alone on the same bytes."""
    from tacita.concealment.keys import CellsToSeal, Ciphers, KeyStore, MasterKey, encode_cells, open_tokens, seal

    random = np.random.default_rng(3)
    persons = [f"P{number:06d}" for number in range(PEOPLE)]
    rows = [str(number) for number in random.permutation(PEOPLE)]
    values = random.integers(0, 10**6, (ATTRIBUTES, PEOPLE))
    store = KeyStore.create(persons, MasterKey(secrets.token_bytes(64)), "benchmark")

    def sealed() -> list[object]:
        ciphers = Ciphers()
        return [
            seal(CellsToSeal(f"a{at}", persons, rows, column), store, ciphers=ciphers)
            for at, column in enumerate(values)
        ]

    def opened(tokens: list[object]) -> list[object]:
        ciphers = Ciphers()
        return [open_tokens(one, persons, store, ciphers=ciphers) for one in tokens]  # type: ignore[arg-type]

    texts = [encode_cells(column) for column in values]
    plain = _bare(store.keys_of(persons), persons, rows, texts, "encrypt")
    tokens, sealing = _least(sealed)
    ciphertexts, encrypting = _least(plain)
    _, opening = _least(lambda: opened(tokens))
    _, decrypting = _least(_bare(store.keys_of(persons), persons, rows, ciphertexts, "decrypt"))
    yield "seal 1M cells / AES-SIV alone", _cpu(sealing), _cpu(encrypting), f"{sealing / encrypting:.2f}", "under 5 s"
    yield "open 1M cells / AES-SIV alone", _cpu(opening), _cpu(decrypting), f"{opening / decrypting:.2f}", "under 5 s"


def _bare(
    keys: list[bytes | None], persons: list[str], rows: list[str], texts: list[list[bytes]], way: str
) -> Callable[[], list[list[bytes]]]:
    """Return the work of the library alone: a cipher for each person, and each cell with its associated data."""
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

    def work() -> list[list[bytes]]:
        calls = [getattr(AESSIV(key), way) for key in keys if key is not None]
        who, where = [person.encode() for person in persons], [row.encode() for row in rows]
        return [
            [
                call(text, [b"benchmark" + person + row])
                for call, text, person, row in zip(calls, column, who, where, strict=True)
            ]
            for column in texts
        ]

    return work


def _least(work: Callable[[], T]) -> tuple[T, float]:
    return min((timed(work) for _ in range(3)), key=lambda pair: pair[1])


def _cpu(seconds: float) -> str:
    return f"{seconds:6.2f} s CPU"


def people(folder: Path) -> Iterator[Line]:
    """100,000 people with 50 policies: read, search, hide, attack, encrypt, write and check; then all given back."""
    data, policies, key = folder / "people.csv", folder / "policies.csv", folder / "key.bin"
    _write(data, policies)
    cost(tacita("keys", "make", str(key)))
    bare = best(tacita("describe", str(data)))
    line = ("conceal", str(data), "--policies", str(policies), "--key", str(key), "--seed", "7")
    ours = best(tacita(*line, "--out", str(folder / "release"), "--force"))
    yield (
        "conceal 100k people, 50 policies / describe",
        str(ours),
        str(bare),
        f"{ours.cpu / bare.cpu:.1f}",
        "under 20 s",
    )
    back = best(tacita("reveal", str(folder / "release"), "--key", str(key), "--out", str(folder / "b.csv"), "--force"))
    yield "reveal the same / describe", str(back), str(bare), f"{back.cpu / bare.cpu:.1f}", ""


def _write(data: Path, policies: Path) -> None:
    """Write people whose attributes depend on each other, and who wants what confidential."""
    import pyarrow as pa
    import pyarrow.csv

    random = np.random.default_rng(1)
    zips, jobs, doctors = (random.integers(0, most, PEOPLE) for most in (1000, 30, 300))
    names = [f"P{number:06d}" for number in range(PEOPLE)]
    columns = {
        "person": names,
        "zip": zips + 10_000,
        "city": [f"city{number}" for number in zips // 5],
        "region": [f"region{number}" for number in zips // 50],
        "age": random.integers(18, 90, PEOPLE),
        "sex": random.choice(["f", "m"], PEOPLE),
        "job": [f"job{number}" for number in jobs],
        "sector": [f"sector{number}" for number in jobs // 5],
        "income": random.lognormal(8, 0.6, PEOPLE).astype(np.int64),
        "diagnosis": [f"d{number}" for number in random.choice(50, PEOPLE, p=random.dirichlet(np.ones(50)))],
        "doctor": doctors + 500,
        "ward": [f"w{number}" for number in doctors // 20],
        "smoker": random.choice(["yes", "no"], PEOPLE, p=[0.2, 0.8]),
    }
    pa.csv.write_csv(pa.table(columns), data)
    wanted: set[tuple[str, ...]] = set()
    while len(wanted) < 50:
        wanted.add(tuple(sorted(random.choice(NAMES, random.integers(1, 4), replace=False))))
    lists = sorted(wanted)
    hiders = np.flatnonzero(random.random(PEOPLE) < 0.3)
    lines = [f"{names[row]},{';'.join(lists[random.integers(0, 50)])}" for row in hiders]
    policies.write_text("\n".join(["person,confidential", *lines]) + "\n", encoding="utf-8")
