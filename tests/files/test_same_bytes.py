"""The same data give the same bytes, whenever they are written."""

import time

import pytest

import tacita as tc
from tacita.files.contract import WriteOptions
from tacita.files.write import write


@pytest.mark.parametrize("ending", ["sav", "zsav", "dta", "xpt", "xlsx"])
def test_the_clock_is_in_no_file(tmp_path, monkeypatch, ending):
    data = tc.sample("figure-1").microdata
    written = []
    for number, moment in enumerate((1e9, 1.3e9)):
        monkeypatch.setattr(time, "time", lambda moment=moment: moment)
        path = tmp_path / f"{number}.{ending}"
        write(data, path, WriteOptions())
        written.append(path.read_bytes())
    assert written[0] == written[1]
    assert tc.read(path).microdata.relation.count() == data.relation.count()


@pytest.mark.parametrize(
    ("ending", "then"), [("sav", b"01 Jan 0000:00:00"), ("dta", b" 1 Jan 2000 00:00"), ("xpt", b"01JAN00:00:00:00")]
)
def test_headers_of_statistical_packages_say_no_time(tmp_path, ending, then):
    path = tmp_path / f"data.{ending}"
    write(tc.sample("figure-1").microdata, path, WriteOptions())
    assert then in path.read_bytes()[:4096]
    assert time.strftime("%H:%M").encode() not in path.read_bytes()[:4096]
