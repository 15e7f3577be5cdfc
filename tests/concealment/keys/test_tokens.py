"""Tokens: they open at their own place and nowhere else, have one length, and come back as text."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.cmac import CMAC
from hypothesis import given
from hypothesis import strategies as st
from tests.concealment.keys.cells import TEXT, bits, columns

from tacita.concealment.keys import (
    CellState,
    CellsToSeal,
    DerivedKeys,
    KeyStore,
    MasterKey,
    Tokens,
    open_tokens,
    seal,
    sealing,
)
from tacita.concealment.keys.cell_encoding import encode_cells
from tacita.concealment.keys.ciphers import aes_siv
from tacita.errors import InputError, UsageError

MASTER = MasterKey(hashlib.sha512(b"master").digest())
KEYS = DerivedKeys(MASTER, "survey")
NAMES = TEXT.filter(bool)


@st.composite
def cells(draw: st.DrawFn, min_size: int = 1) -> CellsToSeal:
    """Draw cells of one attribute, with several rows for some persons."""
    values, as_written = draw(columns(min_size))
    row_ids = draw(st.lists(NAMES, min_size=len(values), max_size=len(values), unique=True))
    persons = draw(st.lists(NAMES | st.sampled_from(["ann", "bob"]), min_size=len(values), max_size=len(values)))
    return CellsToSeal(draw(NAMES), persons, row_ids, values, as_written)


def place(data_set: bytes, attribute: bytes, person: bytes, row_id: bytes) -> bytes:
    """Where a cell belongs, as the format says it."""
    parts = (b"tacita token 1", data_set, attribute, person)
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts) + row_id


def s2v(key: bytes, items: list[bytes]) -> bytes:
    """RFC 5297, section 2.4, by hand; the last item has at least 16 bytes."""

    def cmac(content: bytes) -> bytes:
        code = CMAC(algorithms.AES(key))
        code.update(content)
        return code.finalize()

    def doubled(block: bytes) -> bytes:
        number = int.from_bytes(block) << 1
        return (number & (2**128 - 1) ^ (0x87 if number >> 128 else 0)).to_bytes(16)

    def added(one: bytes, two: bytes) -> bytes:
        return bytes(a ^ b for a, b in zip(one, two, strict=True))

    state = cmac(bytes(16))
    for item in items[:-1]:
        state = added(doubled(state), cmac(item))
    last = items[-1]
    return cmac(last[:-16] + added(last[-16:], state))


def siv(key: bytes, text: bytes, items: list[bytes]) -> bytes:
    """RFC 5297, section 2.6, by hand."""
    tag = s2v(key[: len(key) // 2], [*items, text])
    start = (int.from_bytes(tag) & ~(1 << 63) & ~(1 << 31)).to_bytes(16)
    return tag + Cipher(algorithms.AES(key[len(key) // 2 :]), modes.CTR(start)).encryptor().update(text)


def test_the_cipher_gives_the_printed_example() -> None:
    """RFC 5297, appendix A.1."""
    key = bytes.fromhex("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    items = [bytes.fromhex("101112131415161718191a1b1c1d1e1f2021222324252627")]
    text = bytes.fromhex("112233445566778899aabbccddee")
    expected = "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c"
    assert aes_siv(key).encrypt(text, items).hex() == expected


@pytest.mark.slow
@given(cells(), st.booleans())
def test_tokens_are_those_of_the_format(cells: CellsToSeal, fresh: bool) -> None:
    tokens = seal(cells, KEYS, fresh=fresh)
    encoded = encode_cells(cells.values, cells.as_written)
    rows = zip(cells.persons.to_pylist(), cells.row_ids.to_pylist(), encoded, tokens.tokens.to_pylist(), strict=True)
    for person, row_id, cell, token in rows:
        (key,) = KEYS.keys_of([person])
        items = [place(b"survey", cells.attribute.encode(), person.encode(), row_id.encode())]
        nonce = [token[1:17]] if fresh else []
        assert key is not None
        assert token == bytes([2 if fresh else 1]) + b"".join(nonce) + siv(key, cell, [*items, *nonce])


@pytest.mark.slow
@given(cells(min_size=0), st.booleans(), st.booleans())
def test_values_and_spellings_come_back_exactly(cells: CellsToSeal, fresh: bool, as_text: bool) -> None:
    tokens = seal(cells, KEYS, fresh=fresh)
    if as_text:
        tokens = Tokens.from_text(tokens.attribute, tokens.row_ids, tokens.as_text())
    opened = open_tokens(tokens, cells.persons, KEYS)
    opened.require_undamaged()
    assert opened.count(CellState.OPENED) == len(cells)
    assert bits(opened.values) == bits(cells.values)
    assert len(cells) == 0 or opened.values.type == cells.values.type
    written = cells.as_written.to_pylist() if cells.as_written is not None else [None] * len(cells)
    assert opened.as_written.to_pylist() == written
    assert opened.row_ids.equals(cells.row_ids)


@pytest.mark.slow
@given(cells(), st.booleans())
def test_tokens_of_an_attribute_have_one_length(cells: CellsToSeal, fresh: bool) -> None:
    tokens = seal(cells, KEYS, fresh=fresh)
    (length,) = {len(token) for token in tokens.tokens.to_pylist()}
    assert tokens.width is not None
    assert length == 1 + 16 * fresh + 16 + tokens.width
    assert tokens.width % 16 == 0
    assert len({len(text) for text in tokens.as_text().to_pylist()}) == 1


@pytest.mark.slow
@given(cells())
def test_tokens_are_the_same_again_and_fresh_ones_are_not(cells: CellsToSeal) -> None:
    once, again = seal(cells, KEYS).tokens, seal(cells, KEYS).tokens
    assert once.equals(again)
    fresh = [*seal(cells, KEYS, fresh=True).tokens.to_pylist(), *seal(cells, KEYS, fresh=True).tokens.to_pylist()]
    assert len(set(fresh)) == len(fresh)
    assert len({token[1:17] for token in fresh}) == len({token[17:33] for token in fresh}) == len(fresh)


@pytest.mark.slow
@given(cells(min_size=2), st.randoms(use_true_random=False))
def test_tokens_do_not_depend_on_the_order_of_the_rows(cells: CellsToSeal, random: Any) -> None:
    order = list(range(len(cells)))
    random.shuffle(order)
    places = pa.array(order)
    written = None if cells.as_written is None else cells.as_written.take(places)
    shuffled = CellsToSeal(
        cells.attribute, cells.persons.take(places), cells.row_ids.take(places), cells.values.take(places), written
    )
    assert seal(shuffled, KEYS).tokens.equals(seal(cells, KEYS).tokens.take(places))


def test_a_cell_has_the_same_token_in_a_wider_release() -> None:
    first = seal(CellsToSeal("city", ["ann"], [1], ["Rome"]), KEYS, width=64)
    second = seal(CellsToSeal("city", ["ann", "bob"], [1, 2], ["Rome", "Civitanova Marche"]), KEYS, width=first.width)
    assert first.width == 64
    assert first.tokens[0] == second.tokens[0]


def test_equal_values_have_unrelated_tokens() -> None:
    tokens = seal(CellsToSeal("age", ["ann"] * 50, range(50), [None] * 50), KEYS).tokens.to_pylist()
    assert len({token[1:17] for token in tokens}) == len({token[17:] for token in tokens}) == 50


@dataclass(frozen=True)
class Place:
    """Where a token is opened."""

    person: str = "ann"
    row_id: str = "r1"
    attribute: str = "age"
    keys: DerivedKeys = KEYS

    def state(self, token: bytes) -> CellState:
        opened = open_tokens(Tokens(self.attribute, [self.row_id], [token]), [self.person], self.keys)
        assert (opened.values.null_count == 0) == (opened.states[0] == CellState.OPENED)
        return CellState(opened.states[0])


class OneKey:
    """Keys that are the same for every person: then only the associated data tell persons apart."""

    data_set = "survey"

    def keys_of(self, persons: list[str]) -> list[bytes | None]:
        return [hashlib.sha512(b"one").digest() for _ in persons]


@pytest.mark.slow
@given(st.booleans(), st.sampled_from(["person", "row_id", "attribute"]), NAMES)
def test_a_token_opens_nowhere_else(fresh: bool, what: str, other: str) -> None:
    here = Place(keys=OneKey())  # type: ignore[arg-type]
    (token,) = seal(CellsToSeal("age", ["ann"], ["r1"], [31]), here.keys, fresh=fresh).tokens.to_pylist()
    assert here.state(token) is CellState.OPENED
    there = replace(here, **{what: other})
    assert there == here or there.state(token) is CellState.DAMAGED


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize(
    "there",
    [
        Place(person="bob"),
        Place(row_id="r2"),
        Place(attribute="income"),
        Place(keys=DerivedKeys(MASTER, "census")),
        Place(keys=DerivedKeys(MasterKey(hashlib.sha512(b"other").digest()), "survey")),
        Place(person="annr1", row_id="r"),
        Place(person="an", row_id="nr1"),
        Place(row_id="r1a", attribute="ge"),
        Place(row_id="r", attribute="1age"),
        Place(person="r1", row_id="ann"),
    ],
)
def test_places_that_are_alike_are_kept_apart(there: Place, fresh: bool) -> None:
    (token,) = seal(CellsToSeal("age", ["ann"], ["r1"], [31]), KEYS, fresh=fresh).tokens.to_pylist()
    assert Place().state(token) is CellState.OPENED
    assert there.state(token) is CellState.DAMAGED


@pytest.mark.parametrize("fresh", [False, True])
def test_the_data_set_is_part_of_the_place(fresh: bool) -> None:
    survey, census = OneKey(), OneKey()
    census.data_set = "census"
    (token,) = seal(CellsToSeal("age", ["ann"], ["r1"], [31]), survey, fresh=fresh).tokens.to_pylist()
    assert Place(keys=survey).state(token) is CellState.OPENED  # type: ignore[arg-type]
    assert Place(keys=census).state(token) is CellState.DAMAGED  # type: ignore[arg-type]


@pytest.mark.parametrize("fresh", [False, True])
def test_every_changed_bit_and_every_cut_is_noticed(fresh: bool) -> None:
    (token,) = seal(CellsToSeal("age", ["ann"], ["r1"], [31]), KEYS, fresh=fresh).tokens.to_pylist()
    changed = [
        token[: bit // 8] + bytes([token[bit // 8] ^ 1 << bit % 8]) + token[bit // 8 + 1 :]
        for bit in range(8 * len(token))
    ]
    cut = [token[:length] for length in range(len(token))]
    longer = [token + b"\0", token + bytes(16), token[:1] + token, token[1:], b""]
    damaged = [*changed, *cut, *longer]
    opened = open_tokens(Tokens("age", [f"r{at}" for at in range(len(damaged))], damaged), ["ann"] * len(damaged), KEYS)
    assert opened.count(CellState.DAMAGED) == len(damaged)
    assert {Place().state(one) for one in damaged} == {CellState.DAMAGED}


@pytest.mark.parametrize("fresh", [False, True])
def test_swapped_tokens_are_reported_by_their_rows_and_others_are_opened(fresh: bool) -> None:
    persons = ["ann", "bob", "ann", "cyd"]
    sealed = seal(CellsToSeal("age", persons, ["r1", "r2", "r3", "r4"], [31, 40, 55, 60]), KEYS, fresh=fresh)
    first, second, third, fourth = sealed.tokens.to_pylist()
    moved = Tokens("age", sealed.row_ids, [third, second, first, fourth])
    opened = open_tokens(moved, persons, KEYS)
    assert opened.rows(CellState.DAMAGED) == ("r1", "r3")
    assert opened.values.to_pylist() == [None, 40, None, 60]
    assert opened.states.tolist() == [1, 0, 1, 0]
    with pytest.raises(InputError, match="2 of 4 tokens damaged: row ids r1, r3") as caught:
        opened.require_undamaged()
    assert caught.value.where == "attribute 'age'"
    assert "restore the tokens" in str(caught.value.do)
    assert not any(value in str(caught.value) for value in ("31", "40", "55", "60", "ann"))


def test_when_nothing_opens_the_keys_are_doubted() -> None:
    tokens = seal(CellsToSeal("age", ["ann", "bob"], [1, 2], [31, 40]), KEYS)
    with pytest.raises(InputError, match="2 of 2 tokens damaged") as caught:
        open_tokens(tokens, ["ann", "bob"], DerivedKeys(MASTER, "census")).require_undamaged()
    assert caught.value.do == "check that keys, persons and tokens belong together"


def test_row_ids_in_messages_cannot_forge_lines() -> None:
    with pytest.raises(InputError) as caught:
        open_tokens(Tokens("age", ["r\n1"], [b"x"]), ["ann"], KEYS).require_undamaged()
    assert "\n" not in caught.value.found


def test_cells_of_erased_persons_stay_sealed_and_are_not_damaged(store: KeyStore) -> None:
    persons = ["ann", "bob", "cyd", "bob"]
    tokens = seal(CellsToSeal("age", persons, [1, 2, 3, 4], [31, 40, 55, None]), store)
    opened = open_tokens(tokens, persons, store.without_persons(["bob"]))
    assert opened.values.to_pylist() == [31, None, 55, None]
    assert opened.rows(CellState.ERASED) == ("2", "4")
    assert opened.count(CellState.DAMAGED) == 0
    opened.require_undamaged()
    nobody = open_tokens(tokens, persons, store.without_persons(["ann", "bob", "cyd"]))
    assert nobody.count(CellState.ERASED) == 4
    again = store.without_persons(["bob"]).with_persons(["bob"])
    assert open_tokens(tokens, persons, again).rows(CellState.DAMAGED) == ("2", "4")


def test_persons_without_a_key_are_not_sealed(store: KeyStore) -> None:
    with pytest.raises(UsageError, match="2 persons without a key") as caught:
        seal(CellsToSeal("age", ["ann", "dan", "eve", "dan"], [1, 2, 3, 4], [1, 2, 3, 4]), store)
    assert "dan" not in str(caught.value)


def test_an_authentic_token_of_something_else_is_damaged() -> None:
    """Whoever has the key can seal bytes that are no cell; they are not taken for one."""
    (key,) = KEYS.keys_of(["ann"])
    assert key is not None
    items = [place(b"survey", b"age", b"ann", b"r1")]
    token = b"\x01" + aes_siv(key).encrypt(b"not a cell at all".ljust(32), items)
    assert Place().state(token) is CellState.DAMAGED


def test_tokens_of_several_types_are_refused() -> None:
    numbers = seal(CellsToSeal("age", ["ann"], ["r1"], [31]), KEYS).tokens.to_pylist()
    texts = seal(CellsToSeal("age", ["ann"], ["r2"], ["31"]), KEYS).tokens.to_pylist()
    with pytest.raises(InputError, match="of several types"):
        open_tokens(Tokens("age", ["r1", "r2"], numbers + texts), ["ann", "ann"], KEYS)


def test_nothing_is_sealed_and_opened() -> None:
    tokens = seal(CellsToSeal("age", [], [], pa.array([], pa.int64())), KEYS)
    assert (len(tokens), tokens.width) == (0, None)
    assert len(open_tokens(tokens, [], KEYS)) == 0
    assert Tokens("age", ["r1"], [None]).width is None


def test_many_cells_are_encoded_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = CellsToSeal("age", [f"p{at % 7}" for at in range(100)], range(100), range(100))
    whole = seal(cells, KEYS)
    monkeypatch.setattr(sealing, "_AT_ONCE", 50)
    assert seal(cells, KEYS).tokens.equals(whole.tokens)
    assert open_tokens(whole, cells.persons, KEYS).values.to_pylist() == list(range(100))


def test_tokens_that_do_not_fit_one_array_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = CellsToSeal("notes", ["ann"] * 10, range(10), ["x" * 100, *["y"] * 9])
    monkeypatch.setattr(sealing, "_MOST_BYTES", 1500)
    with pytest.raises(UsageError, match="10 cells of 112 bytes") as caught:
        seal(cells, KEYS)
    assert "seal at most 10" not in str(caught.value.do)
    most = int(str(caught.value.do).split()[3])
    part = CellsToSeal("notes", ["ann"] * most, range(most), ["y"] * most)
    assert len(seal(part, KEYS, width=112)) == most


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"persons": ["ann", None]}, "1 record without a person"),
        ({"persons": ["ann"]}, "1 persons for 2 row ids"),
        ({"row_ids": ["r1", ""]}, "1 record without a row id"),
        ({"row_ids": ["r1", "r1"]}, "1 record with the row id of an earlier one"),
        ({"row_ids": [1.5, 2.5]}, "neither text nor whole numbers"),
        ({"values": [1]}, "1 values for 2 row ids"),
        ({"as_written": ["1"]}, "more or fewer spellings"),
        ({"attribute": ""}, "has no name"),
    ],
)
def test_cells_must_have_a_place(changes: dict[str, Any], problem: str) -> None:
    good = {"attribute": "age", "persons": ["ann", "bob"], "row_ids": ["r1", "r2"], "values": [1, 2]}
    with pytest.raises((InputError, UsageError), match=problem) as caught:
        CellsToSeal(**(good | changes))
    assert "ann" not in str(caught.value)


def test_tokens_must_have_a_place() -> None:
    with pytest.raises(InputError, match="1 record with the row id of an earlier one"):
        Tokens("age", ["r1", "r1"], [b"x", b"y"])
    with pytest.raises(UsageError, match="1 tokens for 2 row ids"):
        Tokens("age", ["r1", "r2"], [b"x"])
    with pytest.raises(UsageError, match="the tokens are not bytes"):
        Tokens("age", ["r1"], ["x"])
    with pytest.raises(UsageError, match="the tokens are not text"):
        Tokens.from_text("age", ["r1"], [b"x"])
    with pytest.raises(UsageError, match="1 persons for 2 row ids"):
        open_tokens(Tokens("age", ["r1", "r2"], [b"x", b"y"]), ["ann"], KEYS)


def test_a_width_that_is_too_small_is_refused() -> None:
    with pytest.raises(UsageError, match="1 cell longer than the width of 16 bytes"):
        seal(CellsToSeal("city", ["ann", "bob"], [1, 2], ["Rome", "Civitanova Marche"]), KEYS, width=16)


@pytest.mark.slow
def test_a_large_column_comes_back(master: MasterKey) -> None:
    random = np.random.default_rng(7)
    persons = pa.array([f"p{number}" for number in random.integers(0, 20_000, 200_000)])
    store = KeyStore.create(persons, master, "survey")
    values = pa.array(random.normal(size=200_000), mask=random.random(200_000) < 0.1)
    tokens = seal(CellsToSeal("income", persons, range(200_000), values), store)
    assert open_tokens(tokens, persons, store).values.equals(values)
