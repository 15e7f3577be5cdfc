"""tacita mask, compare, explore and methods, through the command line."""

import csv
import json

import pytest

import tacita as tc

RECIPE = """
seed = 11
[[step]]
method = "rank-swapping"
attributes = ["Income", "Age"]
p = 10
"""
KEPT = ("Person", "Household", "Region", "Sex", "Age", "Income", "Health condition")
ROLES = (
    "--quasi",
    "Region,Sex,Age",
    "--sensitive",
    "Health condition",
    "--identifier",
    "Person",
    "--cluster",
    "Household",
)


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    file = tmp_path_factory.mktemp("survey") / "people.csv"
    tc.generate("households", rows=250).write(file)
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    with file.open("w", newline="") as lines:
        asked = csv.DictWriter(lines, KEPT, extrasaction="ignore", lineterminator="\n")
        asked.writeheader()
        asked.writerows(rows)
    return file.read_bytes()


@pytest.fixture
def people(survey, tmp_path):
    (tmp_path / "people.csv").write_bytes(survey)
    (tmp_path / "recipe.toml").write_text(RECIPE)
    return tmp_path


def test_a_recipe_is_carried_out_attacked_and_released(tacita, people):
    done = tacita("mask", "people.csv", "--recipe", "recipe.toml", *ROLES, "--out", "out", "--ungated")
    assert done.returncode == 0, done.stderr
    assert "distance-linkage" in done.stdout
    assert "Released to out" in done.stdout
    header = (people / "out" / "data.csv").read_text().splitlines()[0]
    assert "Person" not in header
    assert "Household," not in header
    for file in (people / "out").iterdir():
        assert "11" not in file.name
        if file.suffix in {".json", ".html", ".toml"}:
            assert "seed" not in file.read_text().lower()
    assert "seed = 11" in (people / "out.internal" / "recipe.toml").read_text()
    verified = tacita("verify", "out")
    assert verified.returncode == 0, verified.stdout
    assert "those that were attacked" in verified.stdout
    (people / "out" / "data.csv").write_text("Region\nx\n")
    assert tacita("verify", "out").returncode == 1
    asked = tacita("explain", "out")
    assert asked.returncode == 2
    assert "masked as a whole" in asked.stderr


def test_run_again_it_gives_the_same_bytes(tacita, people):
    for out in ("one", "two"):
        assert (
            tacita("mask", "people.csv", "--recipe", "recipe.toml", *ROLES, "--out", out, "--ungated").returncode == 0
        )
    other = ("--out", "three", "--seed", "12", "--ungated")
    assert tacita("mask", "people.csv", "--recipe", "recipe.toml", *ROLES, *other).returncode == 0
    for name in ("data.csv", "data.dictionary.toml", "report.html", "manifest.json"):
        assert (people / "one" / name).read_bytes() == (people / "two" / name).read_bytes()
    assert (people / "one" / "data.csv").read_bytes() != (people / "three" / "data.csv").read_bytes()


def test_the_recipe_that_stayed_in_the_house_gives_the_release_again(tacita, people):
    (people / "recipe.toml").write_text(RECIPE.replace("seed = 11\n", ""))
    assert tacita("mask", "people.csv", "--recipe", "recipe.toml", *ROLES, "--out", "one", "--ungated").returncode == 0
    kept = str(people / "one.internal" / "recipe.toml")
    assert tacita("mask", "people.csv", "--recipe", kept, *ROLES, "--out", "two", "--ungated").returncode == 0
    assert (people / "one" / "data.csv").read_bytes() == (people / "two" / "data.csv").read_bytes()


def test_a_limit_stops_a_release_unless_somebody_says_anyway(tacita, people):
    (people / "recipe.toml").write_text(RECIPE + "[attack]\naccept = 0.001\n")
    done = tacita("mask", "people.csv", "--recipe", "recipe.toml", *ROLES, "--out", "out")
    assert done.returncode == 1
    assert "Not kept" in done.stdout
    assert not (people / "out").exists()
    assert not (people / "out.internal").exists()
    done = tacita("mask", "people.csv", "--recipe", "recipe.toml", *ROLES, "--out", "out", "--anyway")
    assert done.returncode == 0
    assert "released although" in tacita("verify", "out").stdout


def test_without_a_limit_nothing_is_released_unless_somebody_says_so(tacita, people):
    asked = ("mask", "people.csv", "--recipe", "recipe.toml", *ROLES)
    looked = tacita(*asked)
    assert looked.returncode == 0, looked.stderr
    done = tacita(*asked, "--out", "out")
    assert done.returncode == 1
    assert "no limit" in done.stdout
    assert not (people / "out").exists()
    first = done.stdout.splitlines()[0]
    assert first.startswith("Distance linkage finds")
    assert "control 0.4 %" in first
    told = json.loads(tacita(*asked, "--out", "out", "--ungated", "--json").stdout)
    assert next(iter(told)) == "headline"
    assert told["has_limit"] is False
    for folder in ("out", "out.internal"):
        assert json.loads((people / folder / "manifest.json").read_text())["ungated"] is True
        assert "No limit was set" in (people / folder / "report.html").read_text()
    assert "Distance linkage finds" in (people / "out.internal" / "report.html").read_text()
    assert "without a limit" in tacita("verify", "out").stdout
    (people / "recipe.toml").write_text(RECIPE + "[attack]\naccept = 1.0\naccept_unique = 1.0\n")
    done = tacita(*asked, "--out", "two", "--ungated")
    assert done.returncode == 2
    assert "the recipe has one" in done.stderr


def test_json_for_machines(tacita, people):
    done = tacita("mask", "people.csv", "--recipe", "recipe.toml", *ROLES, "--json")
    found = json.loads(done.stdout)
    assert 0 <= found["score"] <= 100
    assert {each["attacker"] for each in found["attacks"]} >= {"distance-linkage", "rank-interval"}
    assert not (people / "out").exists()


def test_the_recipe_may_be_handed_out_without_its_seed(tacita, people):
    args = ("mask", "people.csv", "--recipe", "recipe.toml", *ROLES, "--out", "out", "--ungated", "--publish-recipe")
    assert tacita(*args).returncode == 0
    text = (people / "out" / "recipe.toml").read_text()
    assert "rank-swapping" in text
    assert "seed" not in text
    assert tacita("verify", "out").returncode == 0


def test_two_recipes_are_compared(tacita, people):
    (people / "weak.toml").write_text(RECIPE.replace("p = 10", "p = 1"))
    done = tacita(
        "compare", "people.csv", *ROLES, "--recipe", "recipe.toml", "--recipe", "weak.toml", "--html", "m.html"
    )
    assert done.returncode == 0, done.stderr
    assert "recipe" in done.stdout
    assert "weak" in done.stdout
    assert "frontier" in done.stdout
    page = (people / "m.html").read_text()
    assert "<svg" in page
    assert "seed = " not in page
    again = tacita("compare", "people.csv", *ROLES, "--recipe", "recipe.toml", "--html", "m.html")
    assert again.returncode == 4
    assert "exists already" in again.stderr


def test_a_point_is_taken_as_a_recipe(tacita, people):
    grid = ("--methods", "rank-swapping", "--attributes", "Income", "--grid", "rank-swapping.p=1,20", "--seed", "3")
    done = tacita(
        "explore", "people.csv", *ROLES, *grid, "--take", "2", "--to", "mine.toml", "--recipes", "all", "--json"
    )
    assert done.returncode == 0, done.stderr
    points = json.loads(done.stdout)["points"]
    assert [point["recipe"] for point in points] == ["rank-swapping p=1", "rank-swapping p=20"]
    assert len(list((people / "all").iterdir())) == 2
    masked = tacita("mask", "people.csv", *ROLES, "--recipe", "mine.toml", "--json")
    assert json.loads(masked.stdout)["disclosure_risk"] == points[1]["disclosure_risk"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("mask", "people.csv", "--recipe", "none.toml"), 3, "none.toml"),
        (("mask", "people.csv", "--recipe", "recipe.toml", "--anyway"), 2, "add --out"),
        (("explore", "people.csv", "--take", "3"), 2, "belong together"),
        (("explore", "people.csv", *ROLES, "--methods", "mdav", "--take", "99", "--to", "x.toml"), 2, "no point 99"),
        (("methods", "mdva"), 2, "did you mean 'mdav'"),
    ],
)
def test_wrong_requests(tacita, people, arguments, code, said):
    done = tacita(*arguments)
    assert done.returncode == code, done.stderr
    assert said in done.stderr


def test_every_method_is_described(tacita):
    found = json.loads(tacita("methods", "--json").stdout)
    assert len(found) > 25
    for each in found:
        for part in ("meaning", "promises", "limits"):
            assert each[part][0].isupper(), (each["method"], part)
            assert each[part].endswith("."), (each["method"], part)
    assert "k: a whole number" in tacita("methods", "mdav").stdout
