"""No release whose hidden cells can be read from a single attribute that stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacita as tc
from tacita.cycle.plan import ChangeMethod, Plan
from tacita.errors import OutputError
from tacita.release.options import ReleaseOptions, WeightBlur
from tacita.release.verify import verify
from tacita.release.writing import write_release
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.settings import Settings

_N = 900
_NAMES = np.array(["Abruzzo", "Lazio", "Liguria", "Marche", "Molise", "Puglia"])


def _survey() -> dict[str, Any]:
    random = np.random.default_rng(11)
    region = random.choice(6, _N, p=[0.3, 0.25, 0.2, 0.13, 0.08, 0.04])
    return {
        "region": _NAMES[region],
        "sex": random.choice(["f", "m"], _N),
        "age": random.integers(18, 90, _N),
        "income": random.lognormal(8, 1, _N).round(2),
        "place": region,
        "draw": random.random(_N),
    }


def _written(folder: Path, columns: dict[str, Any], options: ReleaseOptions | None = None, **plan: Any) -> Any:
    roles = {"quasi": ["region", "sex", "age"]} | plan.pop("roles", {})
    data = tc.read(pa.table(columns), name="survey").with_roles(**roles)
    outcome = tc.anonymize(data, Plan(KAnonymity(3), importance={"age": 9, "sex": 9}, **plan))
    assert outcome.is_safe and outcome.decisions.per_attribute()["region"][0] > 10
    return write_release(outcome, folder / "out", options or ReleaseOptions(), settings=Settings(state=folder / "s"))


def _without(survey: dict[str, Any], *more: str) -> dict[str, Any]:
    return {name: values for name, values in survey.items() if name not in {"place", "draw", *more}}


@pytest.mark.slow
def test_unrelated_attributes_go_out(tmp_path: Path) -> None:
    done = _written(tmp_path, _without(_survey()) | {"job": _survey()["draw"].round(1)})
    assert json.loads((done.internal / "manifest.json").read_text())["derivable"] == []


@pytest.mark.parametrize("code", ["number", "text", "spelling"])
def test_a_copy_of_a_key_is_refused(tmp_path: Path, code: str) -> None:
    survey = _survey()
    copies = {
        "number": survey["place"] * 10 + 3,
        "text": np.array([f"IT{9 - p}" for p in survey["place"]]),
        "spelling": np.array([f" {name.upper()}" for name in survey["region"]]),
    }
    with pytest.raises(OutputError, match="region_code determines") as error:
        _written(tmp_path, _without(survey) | {"region_code": copies[code]})
    text = str(error.value)
    assert "--linked region=region_code" in text and "--allow-derivable" in text
    assert not any(name.lower() in text.lower() for name in _NAMES)
    assert not (tmp_path / "out").exists() and not (tmp_path / "out.internal").exists()


@pytest.mark.slow
def test_what_is_allowed_is_recorded_inside_only(tmp_path: Path) -> None:
    survey = _survey()
    columns = _without(survey) | {"region_code": survey["place"]}
    done = _written(tmp_path, columns, ReleaseOptions(allow_derivable=True))
    full = json.loads((done.internal / "manifest.json").read_text())
    (found,) = full["derivable"]
    assert (found["attribute"], found["from"], found["named"]) == ("region", "region_code", found["right"])
    assert any("region_code determines" in note for note in (*full["notes"], *done.notes))
    assert "region_code determines" not in (done.folder / "report.html").read_text()
    public = [(done.folder / name).read_text() for name in ("manifest.json", "report.html")]
    assert not any("deriv" in text for text in public)
    said = "Safe by k-anonymity, but hidden values can be derived (allowed): "
    assert done.verdict.startswith(said) and said in (done.internal / "report.html").read_text()
    checked = verify(done.folder, settings=Settings(state=tmp_path / "s"))
    assert checked.holds and checked.verdict.startswith("The claim holds, but hidden values can be derived (allowed): ")


@pytest.mark.slow
def test_weights_of_strata_are_refused_and_noise_helps(tmp_path: Path) -> None:
    """Noise on the weight hides the strata; a second weight that has none gives them back."""
    survey = _survey()
    weight = np.array([120, 80, 55, 30, 12, 5])[survey["place"]].astype(float)
    columns = _without(survey) | {"weight": weight + survey["draw"] / 4}
    roles = {"quasi": ["region", "sex", "age"], "weight": "weight"}
    with pytest.raises(OutputError, match="weight determines"):
        _written(tmp_path, columns, roles=roles)
    noisy = ReleaseOptions(weights=WeightBlur(60.0))
    with pytest.raises(OutputError, match="household_weight determines"):
        _written(tmp_path, columns | {"household_weight": weight / 3}, noisy, roles=roles)
    assert _written(tmp_path, columns, noisy, roles=roles).records == _N


@pytest.mark.slow
def test_the_order_of_a_sorted_file_is_refused(tmp_path: Path) -> None:
    survey = _without(_survey())
    at = np.argsort(survey["region"], kind="stable")
    sorted_ = {name: values[at] for name, values in survey.items()}
    with pytest.raises(OutputError, match="the order of the records determines") as error:
        _written(tmp_path, sorted_, ReleaseOptions(shuffle=False))
    assert "leave out --no-shuffle" in str(error.value) and "--drop" not in str(error.value)
    _written(tmp_path, sorted_)


@pytest.mark.parametrize(
    ("changes", "clue"),
    [
        ({"intervals": {"age": 10}}, "birth_year"),
        ({"top": {"age": 60}}, "birth_year"),
        ({"method": ChangeMethod.SUPPRESSION, "bottom": {"age": 40}}, "pension_points"),
    ],
)
def test_recoded_cells_are_looked_at_too(tmp_path: Path, changes: dict[str, Any], clue: str) -> None:
    survey = _survey()
    derived = {"birth_year": 2026 - survey["age"], "pension_points": survey["age"] * 1.7 + survey["draw"] / 10}
    columns = _without(survey) | {clue: derived[clue]}
    with pytest.raises(OutputError, match=f"{clue} determines .* changed cells of age"):
        _written(tmp_path, columns, **changes)


@pytest.mark.slow
def test_members_of_kept_households_are_counted(tmp_path: Path) -> None:
    random = np.random.default_rng(12)
    sizes = random.choice([1, 2, 3, 4, 7, 9], 300, p=[0.3, 0.3, 0.2, 0.15, 0.03, 0.02])
    home = np.repeat(np.arange(300), sizes)
    count = len(home)
    columns = {
        "hid": home * 7 + 1,
        "hsize": sizes[home],
        "urban": (random.random(300) < 0.5)[home],
        "sex": random.choice(["f", "m"], count),
    }
    data = tc.read(pa.table(columns), name="homes").with_roles(quasi=["hsize", "urban", "sex"], cluster="hid")
    plan = Plan(KAnonymity(12), household=("hsize",), cluster="hid", importance={"urban": 99, "sex": 99})
    outcome = tc.anonymize(data, plan)
    assert outcome.decisions.per_attribute()["hsize"][0]
    state = Settings(state=tmp_path / "s")
    with pytest.raises(OutputError, match="the number of records in hid determines") as error:
        write_release(outcome, tmp_path / "out", ReleaseOptions(keep_clusters=True), settings=state)
    assert "--keep-clusters" in str(error.value)
    write_release(outcome, tmp_path / "out", settings=state)


@pytest.mark.slow
def test_recipes_are_looked_at_too(tmp_path: Path) -> None:
    """An age in intervals beside the year of birth; noise on another attribute is not what is looked for."""
    from tacita.recipes.recipe import Recipe, RecipeStep
    from tacita.release.options import MaskedOptions

    survey = _survey()
    columns = _without(survey) | {"birth_year": 2026 - survey["age"]}
    data = tc.read(pa.table(columns), name="survey").with_roles(quasi=["region", "sex", "age"])
    steps = (RecipeStep("intervals", {"attributes": ["age"], "width": 10}),)
    found = tc.mask(data, Recipe(steps, seed=2**60))
    with pytest.raises(OutputError, match="birth_year determines"):
        tc.release_to(tmp_path / "out", found, MaskedOptions(ungated=True))
    done = tc.release_to(tmp_path / "out", found, MaskedOptions(ungated=True, allow_derivable=True))
    assert any("birth_year determines" in note for note in done.notes)
    said = "Hidden values can be derived (allowed)."
    assert verify(done.folder).verdict == f"The files are those that were attacked. {said}"
    assert said in (done.internal / "report.html").read_text()
    assert "deriv" not in (done.folder / "report.html").read_text()


def test_members_of_a_household_are_one_example(tmp_path: Path) -> None:
    """The income of households is masked as one; their region, drawn at random, does not tell it."""
    from tacita.recipes.recipe import Recipe, RecipeStep
    from tacita.release.options import MaskedOptions

    random = np.random.default_rng(3)
    home = np.repeat(np.arange(150), random.integers(2, 6, 150))
    columns = {
        "hid": home,
        "region": random.choice(_NAMES, 150)[home],
        "sex": random.choice(["f", "m"], len(home)),
        "age": random.integers(0, 90, len(home)),
        "household_income": random.lognormal(10, 0.6, 150).round()[home],
    }
    data = tc.read(pa.table(columns), name="hh").with_roles(quasi=["region", "sex"], cluster="hid")
    step = RecipeStep("mdav", {"attributes": ["household_income"], "k": 3}, by_cluster=True)
    options = MaskedOptions(ungated=True)
    assert tc.release_to(tmp_path / "out", tc.mask(data, Recipe((step,), seed=2**60)), options).records == len(home)


def test_a_date_of_birth_beside_a_suppressed_age_is_refused(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    age = random.integers(0, 90, 600)
    late = random.integers(0, 2, 600)
    month, day = random.integers(1, 7, 600) + 6 * late, random.integers(1, 29, 600)
    birth = [f"{y}-{m:02}-{d:02}" for y, m, d in zip(2024 - age - late, month, day, strict=True)]
    columns = {"region": random.choice(_NAMES, 600), "sex": random.choice(["f", "m"], 600), "age": age, "birth": birth}
    roles = {"quasi": ["region", "sex", "age"], "sensitive": ["birth"]}
    data = tc.read(pa.table(columns), name="survey").with_roles(**roles)
    outcome = tc.anonymize(data, Plan(KAnonymity(6), importance={"region": 9, "sex": 9}))
    assert outcome.decisions.per_attribute()["age"][0] > 400
    with pytest.raises(OutputError, match=r"birth determines .* suppressed cells of age"):
        write_release(outcome, tmp_path / "out", settings=Settings(state=tmp_path / "s"))
