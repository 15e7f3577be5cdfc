"""Roles and options that Python is given count as those of the command line do."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacita as tc
from tacita.api.masking import ExploreOptions


def households(folder: Path) -> tc.Dataset:
    lines = [f"{i // 3},{'NS'[i % 2]},{'mf'[i // 2 % 2]},{i * 7 % 10}" for i in range(60)]
    (folder / "homes.csv").write_text("\n".join(["Place,Region,Sex,Income", *lines]) + "\n")
    return tc.read(folder / "homes.csv")


def header(folder: Path) -> list[str]:
    return (folder / "data.csv").read_text().splitlines()[0].split(",")


@pytest.mark.slow
def test_the_household_key_of_a_plan_is_not_released(tmp_path: Path) -> None:
    plan = tc.Plan(known=("Region", "Sex"), cluster="Place", release=tc.ReleaseOptions(seed=1))
    households(tmp_path).release(tmp_path / "out", plan)
    assert header(tmp_path / "out") == ["Region", "Sex", "Income"]
    tc.release_to(tmp_path / "again", tc.anonymize(households(tmp_path), plan))
    assert (tmp_path / "again/data.csv").read_bytes() == (tmp_path / "out/data.csv").read_bytes()


def test_the_risk_of_households_takes_the_key_of_the_plan(tmp_path: Path) -> None:
    plan = tc.Plan(known=("Region", "Sex"), cluster="Place", cluster_risk=True)
    assert tc.anonymize(households(tmp_path), plan).claim.cluster == "Place"


def test_fields_beside_options_of_an_exploration_count(tmp_path: Path) -> None:
    options = ExploreOptions(methods=("rounding",), attributes=("Income",), at_once=1)
    comparison = households(tmp_path).explore(options, seed=3, accept=0.25)
    assert {point.recipe.judgement.accept for point in comparison.points} == {0.25}


def test_options_do_not_undo_what_the_plan_says_of_the_release(tmp_path: Path) -> None:
    said = tc.ReleaseOptions(seed=1, drop=("Income",))
    plan, data = tc.Plan(known=("Region", "Sex"), cluster="Place", release=said), households(tmp_path)
    with pytest.raises(tc.TacitaError, match="beside a plan that has some"):
        data.release(tmp_path / "out", plan, tc.ReleaseOptions(force=True))
    with pytest.raises(tc.TacitaError, match="beside a plan that has some"):
        tc.release_to(tmp_path / "out", data.anonymize(plan), tc.ReleaseOptions(force=True))
    assert not (tmp_path / "out").exists()
    data.release(tmp_path / "out", plan, said)
    assert header(tmp_path / "out") == ["Region", "Sex"]
