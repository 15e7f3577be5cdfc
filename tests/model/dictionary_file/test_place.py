from pathlib import Path

import pytest

from tacita.model.dictionary_file import dictionary_path, find


@pytest.mark.parametrize(
    ("data", "dictionary"),
    [
        ("firms.csv", "firms.dictionary.toml"),
        ("FIRMS.CSV", "FIRMS.dictionary.toml"),
        ("survey/firms.csv.gz", "survey/firms.dictionary.toml"),
        ("/srv/firms.parquet", "/srv/firms.dictionary.toml"),
        ("firms.2024.csv", "firms.2024.dictionary.toml"),
        ("firms.2024", "firms.2024.dictionary.toml"),
        ("firms", "firms.dictionary.toml"),
        (".csv", ".csv.dictionary.toml"),
        ("survey/firms/", "survey/firms.dictionary.toml"),
        ("survey/firms.parquet/", "survey/firms.dictionary.toml"),
        ("survey/firms/*.parquet", "survey/firms.dictionary.toml"),
        ("survey/firms/part-*.parquet", "survey/firms.dictionary.toml"),
        ("survey/firms/part-0000?.csv", "survey/firms.dictionary.toml"),
        ("survey/firms/year=*/month=*/*.parquet", "survey/firms.dictionary.toml"),
        ("survey/firms/**/*.csv", "survey/firms.dictionary.toml"),
        ("survey/firms-*.csv", "survey/firms.dictionary.toml"),
        ("firms_[0-9].csv", "firms.dictionary.toml"),
        ("/*.csv", "/data.dictionary.toml"),
    ],
)
def test_a_dictionary_stands_beside_its_data(data, dictionary):
    assert dictionary_path(data) == Path(dictionary)


def test_a_path_is_as_good_as_a_text():
    assert dictionary_path(Path("survey") / "firms.csv") == Path("survey/firms.dictionary.toml")


def test_two_patterns_in_one_folder_have_two_dictionaries():
    assert dictionary_path("survey/firms-*.csv") != dictionary_path("survey/people-*.csv")


def test_a_folder_is_known_by_looking(tmp_path, monkeypatch):
    folder = tmp_path / "firms.2024"
    folder.mkdir()
    beside = tmp_path / "firms.2024.dictionary.toml"
    assert dictionary_path(folder) == beside
    monkeypatch.chdir(folder)
    assert dictionary_path(".") == beside
    assert dictionary_path("*.csv") == beside
    (folder / "inner").mkdir()
    monkeypatch.chdir(folder / "inner")
    assert dictionary_path("..") == beside


def test_a_file_whose_name_looks_like_a_pattern(tmp_path):
    path = tmp_path / "firms[1].csv"
    path.touch()
    assert dictionary_path(path) == tmp_path / "firms[1].dictionary.toml"


def test_a_dictionary_is_found_only_if_it_is_there(tmp_path):
    data = tmp_path / "firms.csv"
    assert find(data) is None
    (tmp_path / "firms.dictionary.toml").mkdir()
    assert find(data) is None
    (tmp_path / "firms.dictionary.toml").rmdir()
    (tmp_path / "firms.dictionary.toml").touch()
    assert find(data) == tmp_path / "firms.dictionary.toml"
