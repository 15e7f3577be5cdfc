"""Record layouts of tau-Argus as parts of a specification."""

from __future__ import annotations

from pathlib import Path

from tacita.tables.argus.record_layout import ArgusVariable, RecordLayout
from tacita.tables.specification.specification import DataPlan, DimensionPlan


def dimension_plan(variable: ArgusVariable, folder: Path) -> DimensionPlan:
    """Return the dimension of a spanning variable; file names are relative to the folder of the layout."""
    return DimensionPlan(
        variable.name,
        hierarchies=(found_file(folder, variable.hierarchy),) if variable.hierarchy else (),
        lead=variable.lead,
        prefixes=() if variable.hierarchy else variable.prefixes,
        total=variable.total,
        missing=variable.missing[0] if variable.missing else None,
        labels=found_file(folder, variable.code_list) if variable.code_list else None,
    )


def microdata_plan(path: Path, layout_path: Path, layout: RecordLayout) -> DataPlan:
    """Return where microdata come from, with the roles that the layout gives to variables."""
    request = next(iter(layout.of_role("request")), None)
    return DataPlan(
        microdata=path,
        layout=layout_path,
        weight=layout.name_of("weight"),
        holding=layout.name_of("holding"),
        request=request.name if request else None,
        request_codes=request.request_codes if request else (),
    )


def cells_plan(path: Path, layout_path: Path, layout: RecordLayout, response: str) -> DataPlan:
    """Return where the cells of a table come from, with the roles that the layout gives to variables."""
    return DataPlan(
        cells=path,
        layout=layout_path,
        value=response,
        count=layout.name_of("frequency"),
        status=layout.name_of("status"),
        cost=layout.name_of("cost"),
        lower_level=layout.name_of("lower level"),
        upper_level=layout.name_of("upper level"),
        largest=tuple(each.name for each in layout.of_role("largest")),
    )


def found_file(folder: Path, name: str) -> Path:
    """Return a file that another tool names: where it says, or under its last name beside the others.

    >>> found_file(Path("data"), "C:\\\\argus\\\\region.hrc").as_posix()
    'data/region.hrc'
    """
    given = Path(name)
    if given.is_absolute() and given.exists():
        return given
    if (folder / name).exists():
        return folder / name
    return folder / name.replace("\\", "/").rpartition("/")[2]
