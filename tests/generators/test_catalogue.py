import subprocess
import sys
from pathlib import Path

import pytest

from tacita.errors import UsageError
from tacita.generators.catalogue import FIGURE_6, generate, names

REFERENCE = Path(__file__).parents[2] / "docs/reference/generators.md"


@pytest.mark.parametrize("name", [*FIGURE_6[:3], *(name for name in names() if "{" not in name)])
def test_every_name_can_be_generated(name: str) -> None:
    generated = generate(name, seed=0)
    assert generated.name == name
    assert generated.table().num_rows == generated.rows > 0


def test_case_and_blanks_do_not_matter() -> None:
    assert generate(" r25a4w ", seed=0).name == "R25A4W"
    assert generate("Figure-1", seed=0).name == "figure-1"


def test_rows_and_fraction_reach_their_generator() -> None:
    assert generate("households", seed=0, rows=321).table().num_rows == 321
    weights = generate("R1A4W", seed=0, fraction=0.5).table()["Weight"].to_numpy()
    assert weights.sum() == pytest.approx(2_000)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("figure1", {}, "no data set 'figure1' can be generated; did you mean 'figure-1'"),
        ("hoseholds", {}, "did you mean 'households'"),
        ("Q25A4W", {}, "did you mean 'R25A4W'"),
        ("R25A4X", {}, "its distribution is 'X'"),
        ("R25A4W", {"rows": 9_000}, "has 25,000 rows by its name, not 9,000"),
        ("patients", {"rows": 9}, "the number of rows of 'patients' cannot be set"),
        ("households", {"fraction": 0.1}, "the sampling fraction of 'households' cannot be set"),
    ],
)
def test_what_cannot_be_generated(name: str, options: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        generate(name, seed=0, **options)
    assert caught.value.do


def test_the_right_name_is_proposed_for_a_number_of_rows() -> None:
    with pytest.raises(UsageError) as caught:
        generate("R25A4W", seed=0, rows=9_000)
    assert caught.value.do == "ask for R9A4W"
    assert generate("R25A4W", seed=0, rows=25_000).rows == 25_000


def test_the_help_text_does_not_load_numpy() -> None:
    program = (
        "import sys; from tacita.generators.catalogue import names; names(); "
        "print(sorted({'numpy', 'pyarrow'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_every_name_is_documented() -> None:
    page = REFERENCE.read_text()
    assert all(name in page for name in names())
