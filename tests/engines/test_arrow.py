"""Arrays that are laid out by hand hold what pyarrow's own would."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.engines.arrow import array

VALUES = {
    pa.string(): st.text(st.characters(exclude_categories=["Cs"])),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float64(): st.floats(allow_nan=False),
    pa.bool_(): st.booleans(),
    pa.date32(): st.dates(),
}


@pytest.mark.parametrize("type_", VALUES, ids=str)
def test_an_array_holds_its_values(type_: pa.DataType) -> None:
    @settings(deadline=None, max_examples=50)
    @given(st.lists(st.none() | VALUES[type_]))
    def run(values: list[object]) -> None:
        found = array(values, type_)
        found.validate(full=True)
        assert found.equals(pa.array(values, type_))

    run()


@pytest.mark.slow
def test_reasoning_does_not_load_pandas():
    code = (
        "import sys, tacita; tacita.reason('P(X) -> Q(X).', {'P': [('a',), (None,)]}); print('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
