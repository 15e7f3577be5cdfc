import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import UsageError
from tacita.generators.firms import firms
from tacita.generators.households import households
from tacita.generators.permutation import Permutation, codes, digits_for
from tacita.generators.stream import BLOCK, block_sizes, random_stream

TWO_BLOCKS = firms("R101A4U", seed=3)
ROWS = TWO_BLOCKS.table()


@pytest.mark.slow
@given(size=st.integers(500, 250_000))
@settings(max_examples=12, deadline=None)
def test_the_same_rows_whatever_the_batch(size: int) -> None:
    batches = list(TWO_BLOCKS.batches(size))
    assert [batch.num_rows for batch in batches[:-1]] == [size] * (len(batches) - 1)
    assert pa.Table.from_batches(batches).equals(ROWS)


def test_two_readers_do_not_disturb_each_other() -> None:
    one, other = TWO_BLOCKS.batches(), TWO_BLOCKS.batches()
    alternately = [next(one), next(other), next(other), next(one)]
    assert alternately[0].equals(alternately[1])
    assert alternately[2].equals(alternately[3])
    assert not alternately[0].slice(0, 1000).equals(alternately[2].slice(0, 1000))


def test_a_batch_of_no_rows_is_refused() -> None:
    with pytest.raises(UsageError, match="a batch of 0 rows"):
        next(TWO_BLOCKS.batches(0))


@pytest.mark.parametrize("make", [lambda seed: firms("R1A9V", seed=seed), lambda seed: households(seed=seed)])
def test_the_seed_decides(make) -> None:
    assert make(5).table().equals(make(5).table())
    assert not make(5).table().equals(make(6).table())


def test_schema_is_plain_and_true() -> None:
    for generated in (TWO_BLOCKS, households(seed=0)):
        assert set(generated.schema.types) == {pa.string(), pa.int64(), pa.float64()}
        assert generated.table().schema == generated.schema
        assert tuple(generated.schema.names) == generated.dictionary.names


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(UsageError, match="the seed -1 is negative"):
        random_stream(-1, "firms")


def test_streams_of_different_keys_differ() -> None:
    keys = [("firms", 0), ("firms", 1), ("households", 0), ("firms", 0, 0)]
    first = {float(random_stream(0, *key).random()) for key in keys}
    assert len(first) == len(keys)


@given(rows=st.integers(0, 10 * BLOCK))
def test_blocks_cover_the_rows(rows: int) -> None:
    sizes = block_sizes(rows)
    assert sum(sizes) == rows
    assert all(size == BLOCK for size in sizes[:-1])


@given(size=st.integers(1, 3_000), seed=st.integers(0, 2**32))
def test_permutation_is_a_bijection(size: int, seed: int) -> None:
    images = Permutation.keyed(size, seed)(np.arange(size))
    assert np.array_equal(np.sort(images), np.arange(size))


def test_permutation_of_a_huge_range_scatters() -> None:
    images = Permutation.keyed(10**11, seed=0)(np.arange(200_000))
    assert len(np.unique(images)) == 200_000
    assert images.min() >= 0
    assert images.max() < 10**11
    # Uniform: a tenth of the range holds a tenth of the images (standard deviation 0.0007).
    assert np.allclose(np.bincount(images // 10**10, minlength=10) / 200_000, 0.1, atol=0.004)
    assert abs(np.corrcoef(images[:-1], images[1:])[0, 1]) < 0.02


def test_codes_keep_their_leading_zeros() -> None:
    assert codes(np.array([12, 999_999]), digits_for(10)).to_pylist() == ["000012", "999999"]
    assert codes(np.array([12]), 4, prefix="ZZ").to_pylist() == ["ZZ0012"]
