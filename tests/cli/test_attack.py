"""tacita attack: released files, whoever masked them."""

import json

import pytest

import tacita as tc

ROLES = ("--quasi", "Region,Sex,Age,Income", "--identifier", "Person", "--cluster", "Household", "--weight", "Weight")
SECRET = ("--sensitive", "Health condition")
RECIPE = '[[step]]\nmethod = "{method}"\nattributes = ["Income", "Age"]\n'


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    file = tmp_path_factory.mktemp("survey") / "people.csv"
    tc.generate("households", rows=300).write(file)
    return file.read_bytes()


@pytest.fixture
def people(survey, tmp_path):
    (tmp_path / "people.csv").write_bytes(survey)
    return tmp_path


def attacks(done):
    assert done.returncode == 0, done.stderr
    return {each["attacker"]: each for each in json.loads(done.stdout)["attacks"]}


def test_a_release_is_attacked_with_the_truth_of_its_internal_folder(tacita, people):
    (people / "r.toml").write_text(RECIPE.format(method="uncorrelated-noise") + "alpha = 0.0001\n")
    out = ("--out", "out", "--ungated")
    assert tacita("mask", "people.csv", "--recipe", "r.toml", *ROLES, *SECRET, *out).returncode == 0
    for name in ("out", "out/data.csv"):  # the file alone is shuffled, and still known to belong to the release
        found = attacks(tacita("attack", name, "--original", "people.csv", *ROLES, *SECRET, "--json"))
        assert found["distance-linkage"]["success"] > 0.9
        assert "attribute-inference" in found
    (people / "elsewhere.csv").write_bytes((people / "out" / "data.csv").read_bytes())
    told = tacita("attack", "elsewhere.csv", "--original", "people.csv", *ROLES)
    assert "too low" in told.stdout
    assert "distance-linkage" in told.stdout


def test_a_file_that_still_has_identifiers(tacita, people):
    lines = (people / "people.csv").read_text().splitlines()
    (people / "part.csv").write_text("\n".join([lines[0], *reversed(lines[100:150])]) + "\n")
    found = attacks(tacita("attack", "part.csv", "--original", "people.csv", "--by", "Person", *ROLES, "--json"))
    assert found["distance-linkage"]["success"] > 0.9
    assert found["distance-linkage"]["attempts"] == 50
    refused = tacita("attack", "part.csv", "--original", "people.csv", "--by", "Person", *ROLES, "--accept", "0.1")
    assert refused.returncode == 1
    assert "Not accepted: distance-linkage" in refused.stdout


def test_the_people_of_an_oracle(tacita, people):
    assert tacita("generate", "R1A4U", "--seed", "7", "--out", "firms.csv", "--oracle", "register.csv").returncode == 0
    found = attacks(
        tacita("attack", "firms.csv", "--original", "firms.csv", "--oracle", "register.csv", "--by", "Id", "--json")
    )
    assert found["distance-linkage"]["guess"] == pytest.approx(1 / 20_000)
    assert 0 < found["distance-linkage"]["success"] < 0.2


def test_invented_records_and_a_holdout(tacita, people):
    lines = (people / "people.csv").read_text().splitlines()
    (people / "in.csv").write_text("\n".join(lines[:151]) + "\n")
    (people / "other.csv").write_text("\n".join([lines[0], *lines[151:]]) + "\n")
    asked = ("attack", "in.csv", "--original", "in.csv", "--invented", "--holdout", "other.csv", *ROLES, "--json")
    found = attacks(tacita(*asked))
    assert found["membership-inference"]["success"] > 0.9
    without = tacita("attack", "in.csv", "--original", "in.csv", "--invented", *ROLES, "--accept", "0.5")
    assert without.returncode == 1
    assert "could not attack" in without.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("people.csv", "--original", "people.csv", "--attacker", "nobody"), 2, "no attacker 'nobody'"),
        (("few.csv", "--original", "people.csv"), 2, "--by"),
        ((".", "--original", "people.csv"), 3, "no release of masked data"),
        (("people.csv", "--original", "people.csv", "--oracle", "people.csv"), 2, "--by"),
    ],
)
def test_wrong_requests(tacita, people, arguments, code, said):
    lines = (people / "people.csv").read_text().splitlines()
    (people / "few.csv").write_text("\n".join(lines[:5]) + "\n")
    done = tacita("attack", *arguments)
    assert done.returncode == code, done.stderr
    assert said in done.stderr


def test_a_control_and_two_sources(tacita, people):
    lines = (people / "people.csv").read_text().splitlines()
    (people / "in.csv").write_text("\n".join(lines[:151]) + "\n")
    (people / "other.csv").write_text("\n".join([lines[0], *lines[151:]]) + "\n")
    asked = ("attack", "in.csv", "--original", "in.csv", "--control", "other.csv", *ROLES, *SECRET)
    found = attacks(tacita(*asked, "--source", "Age,Sex", "--source", "Income,Region", "--json"))
    by_holdout = {"attribute-inference", "singling-out", "linkability"}
    assert set(found) == {"distance-linkage", "rank-interval", *by_holdout}
    assert {
        n for n, each in found.items() if each["control"]["by"] == "records that were not in the data"
    } == by_holdout
    for each in found.values():
        assert each["risk"]["interval"][0] <= each["risk"]["rate"] <= each["risk"]["interval"][1]
    assert found["linkability"]["risk"]["rate"] > 0.8
    for wrong, said in (
        (("--source", "Age"), "twice"),
        (("--source", "Age", "--source", "Sex", "--attacker", "distance-linkage"), "linkability"),
    ):
        done = tacita(*asked, *wrong)
        assert done.returncode == 2
        assert said in done.stderr
    same = tacita("attack", "in.csv", "--original", "in.csv", "--control", "in.csv", *ROLES)
    assert same.returncode == 2
    assert "equal a record of the original" in same.stderr
    unused = tacita(*asked, "--attacker", "distance-linkage")
    assert "no attacker uses the control" in unused.stdout


def test_without_a_control_the_success_is_not_called_a_risk(tacita, people):
    asked = ("attack", "people.csv", "--original", "people.csv", *ROLES, "--attacker", "singling-out")
    done = tacita(*asked)
    assert "no control" in done.stdout
    assert "singling-out has no control" in done.stdout
    assert json.loads(tacita(*asked, "--json").stdout)["attacks"][0]["risk"] is None
