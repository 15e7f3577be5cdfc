import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import HierarchyError
from tacita.model.hierarchy import ValueHierarchy, csv_text, parse_csv, read_csv

ADVICE = "  what to do: give each value one line: the value, then its label at each level, separated by ';'"


def fault_of(function, *arguments, **options):
    with pytest.raises(HierarchyError) as fault:
        function(*arguments, **options)
    return str(fault.value)


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_the_delimiter_is_found(delimiter, ends):
    text = ends.join([f"Milano{delimiter}North{delimiter}*", f"Roma{delimiter}Center{delimiter}*"])
    assert parse_csv(text, "Area").rows == (("Milano", "North", "*"), ("Roma", "Center", "*"))


def test_labels_may_hold_another_delimiter():
    assert parse_csv("1;[0, 10[;*\n12;[10, 20[;*\n", "age").generalise("12", 1) == "[10, 20["
    assert parse_csv('1,"0, 10",*\n', "age").generalise("1", 1) == "0, 10"


def test_a_given_delimiter_is_used():
    assert parse_csv("a;b|c\n", "x", delimiter="|").rows == (("a;b", "c"),)


def test_there_is_a_header_only_if_told():
    text = "City;Region\nMilano;North\n"
    assert parse_csv(text, "Area").leaves == ("City", "Milano")
    told = parse_csv(text, "Area", header=True)
    assert (told.leaves, told.levels) == (("Milano",), ("City", "Region"))


def test_levels_without_a_header_are_numbered():
    assert parse_csv("Milano;North;*\n", "Area").levels == ("Area", "Area level 1", "Area level 2")


def test_a_list_of_values_becomes_a_hierarchy_with_a_star():
    assert parse_csv("Male\nFemale\n", "sex", star=True).rows == (("Male", "*"), ("Female", "*"))
    assert fault_of(parse_csv, "Male\nFemale\n", "sex") == (
        f"hierarchy of 'sex': there is no level above the values\n{ADVICE}"
    )


def test_all_faults_come_with_their_lines():
    text = "\nMilano;North;Italy\nRoma;Center\n\nTorino;North;Italia\nBari; ;Italy\nMilano;South;Italy\n"
    assert fault_of(parse_csv, text, "Area", where="area.csv") == (
        "area.csv: 4 faults:\n"
        "  - line 3 has 2 fields, the others have 3\n"
        "  - line 6 has no value at level 1\n"
        "  - 'Milano' stands on line 2 and on line 7 with different paths\n"
        "  - 'North' at level 1 has 2 parents: 'Italy' (line 2), 'Italia' (line 5)\n"
        f"{ADVICE}"
    )


def test_lines_are_counted_across_labels_that_break_them():
    assert "line 4 has 1 field," in fault_of(parse_csv, '"a\nb";c\nd;"e"\nf\n', "x")
    assert "line 3 has no value at level 1" in fault_of(parse_csv, "leaf;top\na;b\nc;\n", "x", header=True)


def test_a_header_must_name_every_level():
    assert fault_of(parse_csv, "City\nMilano;North\n", "Area", header=True).startswith(
        "hierarchy of 'Area': the header has 1 names, the lines have 2 fields\n"
    )


@pytest.mark.parametrize("text", ["", "\n", " \n;;\n"])
def test_an_empty_file(text):
    assert fault_of(parse_csv, text, "Area") == f"hierarchy of 'Area': there is nothing in it\n{ADVICE}"


def test_a_header_alone_is_an_empty_file():
    assert "there is nothing in it" in fault_of(parse_csv, "City;Region\n", "Area", header=True)


def test_a_quotation_mark_that_is_not_closed():
    assert fault_of(parse_csv, 'a;b\n"c;d\ne;f\n', "Area") == (
        "hierarchy of 'Area': the CSV cannot be read: unexpected end of data (line 2)\n"
        '  what to do: close every quotation mark, and double those inside a quoted label: "5"" pipe"'
    )


def test_a_huge_label_is_refused():
    assert "the CSV cannot be read: field larger than field limit" in fault_of(parse_csv, "a;" + "b" * 200_000, "x")


label = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), min_size=1, max_size=6)
label = label.filter(str.strip)
hierarchies = st.dictionaries(label, st.integers(0, 3), min_size=1).map(
    lambda parents: ValueHierarchy.from_paths("a", [(leaf, f"p;{n}", f"g\n{n // 2}") for leaf, n in parents.items()])
)


@given(hierarchies, st.sampled_from(";,\t"), st.booleans())
def test_what_is_written_is_read_back(hierarchy, delimiter, header):
    text = csv_text(hierarchy, delimiter=delimiter, header=header)
    assert parse_csv(text, "a", delimiter=delimiter, header=header) == hierarchy


def test_it_is_written_as_arx_writes_it():
    hierarchy = ValueHierarchy.from_paths("Area", [("Milano", "North"), ("Roma", "Center; and South")], star=True)
    assert csv_text(hierarchy) == 'Milano;North;*\nRoma;"Center; and South";*\n'
    assert csv_text(hierarchy, header=True).startswith("Area;Area level 1;any Area\n")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_byte_order_marks_do_not_matter(tmp_path, encoding):
    path = tmp_path / "area.csv"
    path.write_text("Città;Nord\n", encoding=encoding)
    assert read_csv(path, "Area").rows == (("Città", "Nord"),)


def test_another_encoding_is_used_if_told(tmp_path):
    path = tmp_path / "area.csv"
    path.write_text("Milano;Nord\nForlì;Nord\n", encoding="cp1252")
    assert fault_of(read_csv, path, "Area") == (
        f"{path}: line 2 is not UTF-8 text\n  what to do: save the file in the encoding UTF-8"
    )
    assert read_csv(path, "Area", encoding="cp1252").leaves == ("Milano", "Forlì")
    assert fault_of(read_csv, path, "Area", encoding="cp9") == (
        f"{path}: no encoding 'cp9' is known\n  what to do: use utf-8, cp1252 or latin-1"
    )


def test_a_missing_file_names_the_nearest_one(tmp_path):
    (tmp_path / "area.csv").touch()
    assert fault_of(read_csv, tmp_path / "aera.csv", "Area") == (
        f"{tmp_path}/aera.csv: there is no such file; did you mean 'area.csv'?\n"
        "  what to do: give the path of a hierarchy, a CSV file"
    )
    assert "there is no such file\n" in fault_of(read_csv, tmp_path / "no" / "area.csv", "Area")


def test_a_folder(tmp_path):
    assert fault_of(read_csv, tmp_path, "Area") == (
        f"{tmp_path}: this is a folder, not a file\n  what to do: give the path of a hierarchy, a CSV file"
    )


def test_a_binary_file(tmp_path):
    path = tmp_path / "area.csv"
    path.write_bytes(b"PAR1\x15\x04\0\0junk")
    assert fault_of(read_csv, path, "Area") == (
        f"{path}: this is not a text file\n  what to do: give the path of a hierarchy, a CSV file, a plain text file"
    )


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (PermissionError(13, "Permission denied"), "the file may not be read"),
        (OSError(5, "Input/output error"), "the file cannot be read: Input/output error"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path, monkeypatch, fault, text):
    def refuse(self):
        raise fault

    monkeypatch.setattr("pathlib.Path.read_bytes", refuse)
    assert fault_of(read_csv, tmp_path / "area.csv", "Area").startswith(f"{tmp_path}/area.csv: {text}\n  what to do: ")


def test_a_path_that_cannot_exist():
    assert "the file cannot be read: embedded null byte" in fault_of(read_csv, "a\0b", "Area")


@pytest.mark.parametrize(
    ("attribute", "height", "value", "path"),
    [
        ("age", 4, 39, ("39", "35-39", "30-39", "20-39", "*")),
        ("education", 3, "11th", ("11th", "High School", "Secondary education", "*")),
        ("marital-status", 2, "Divorced", ("Divorced", "spouse not present", "*")),
        ("native-country", 2, "Cambodia", ("Cambodia", "Asia", "*")),
        ("occupation", 2, "Armed-Forces", ("Armed-Forces", "Other", "*")),
        ("race", 1, "White", ("White", "*")),
        ("salary-class", 1, ">50K", (">50K", "*")),
        ("sex", 1, "Female", ("Female", "*")),
        ("workclass", 2, "Never-worked", ("Never-worked", "Unemployed", "*")),
    ],
)
def test_the_hierarchies_of_arx_for_adult(shared, attribute, height, value, path):
    hierarchy = read_csv(shared / "data" / "adult" / f"adult_hierarchy_{attribute}.csv", attribute)
    assert hierarchy.height == height
    assert hierarchy.path(value) == path
    assert hierarchy.share("*", height) == 1
    assert parse_csv(csv_text(hierarchy), attribute) == hierarchy


def test_the_hierarchies_of_arx_cover_adult(shared):
    folder = shared / "data" / "adult"
    head, *rows = [line.split(";") for line in (folder / "adult.csv").read_text().splitlines()]
    for attribute, values in zip(head, zip(*rows, strict=True), strict=True):
        read_csv(folder / f"adult_hierarchy_{attribute}.csv", attribute).check_covers(values)
