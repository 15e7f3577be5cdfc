"""Batches of tau-Argus (.arb) as specifications."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tacita.errors import InputError, faults_text, listed
from tacita.model.hierarchy.text_file import read_text
from tacita.tables.argus import ENCODING
from tacita.tables.argus.batch_commands import BatchCommand, Command, TableAsked, commands, table_asked
from tacita.tables.argus.record_layout import ArgusVariable, RecordLayout, read_record_layout
from tacita.tables.argus.safety_rules import Taken, all_taken
from tacita.tables.specification.specification import (
    DataPlan,
    DimensionPlan,
    ProtectPlan,
    TablePlan,
    TableSpecification,
)

_FREQUENCY = ("<freq>", "freq", "")
_COSTS = {"-1": "count", "-2": "unity", "": "value"}
_METHODS = {
    "OPT": "suppression",
    "MOD": "suppression",
    "GH": "fast",
    "NET": "fast",
    "UWE": "fast",
    "RND": "controlled_rounding",
    "CTA": "adjustment",
    "CKM": "cell_key",
}
_MOST_SPANNING = 3
"""Variables that span the table of a batch which does not say which do; more would hardly be meant."""
_OF_NO_MATTER = {"READMICRODATA", "READTABLE", "SILENT", "LOGBOOK", "SOLVER", "VERSIONINFO", "GOINTERACTIVE", "COVER"}


def read_batch(path: Path) -> TableSpecification:
    """Return the specification of a batch; its `notes` tell everything that was not taken over."""
    text = read_text(path, InputError, "a batch of tau-Argus (.arb)", otherwise=ENCODING)
    calls, faults = commands(text)
    batch = _Batch(path.parent)
    for number, command in enumerate(calls):
        if command.word == "CLEAR":
            batch.notes.append(
                f"<CLEAR> begins another batch: {len(calls) - number - 1} commands after it are not read"
            )
            break
        batch.take(command)
    faults += batch.faults
    specification = batch.specification() if not faults else None
    faults = faults or batch.faults
    if faults or specification is None:
        raise InputError(
            faults_text(faults), where=str(path), do="correct the batch, or write the specification by hand"
        )
    return specification


@dataclass(slots=True)
class _Batch:
    """What the commands say so far."""

    folder: Path
    microdata: Path | None = None
    cells: Path | None = None
    layout_path: Path | None = None
    tables: list[TableAsked] = field(default_factory=list)
    rules: list[tuple[BatchCommand, ...]] = field(default_factory=list)
    methods: list[BatchCommand] = field(default_factory=list)
    apriori: list[Path] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def take(self, command: Command) -> None:
        match command.word:
            case "OPENMICRODATA":
                self.microdata = self._file(command)
            case "OPENTABLEDATA":
                self.cells = self._file(command)
            case "OPENMETADATA":
                self.layout_path = self._file(command)
            case "SPECIFYTABLE":
                self.tables.append(table_asked(command))
            case "SAFETYRULE":
                self.rules.append(tuple(command.calls()))
            case "SUPPRESS":
                self.methods += command.calls()
            case "APRIORI" | "APRIORY":
                self.apriori += [path] if (path := self._file(command)) else []
            case "WRITETABLE":
                self.notes.append("<WRITETABLE> is not taken over: results are written where the command says")
            case word if word in _OF_NO_MATTER:
                pass
            case word:
                self.notes.append(f"<{word}> on line {command.line} is not taken over")

    def _file(self, command: Command) -> Path | None:
        names = command.quoted() or ([command.rest] if command.rest else [])
        if not names:
            self.faults.append(f"line {command.line}: <{command.word}> names no file")
            return None
        path = found_file(self.folder, names[0])
        if not path.is_file():
            self.faults.append(f"line {command.line}: there is no file '{names[0]}'")
        return path

    def specification(self) -> TableSpecification | None:
        if self.layout_path is None:
            self.faults.append("there is no <OPENMETADATA>")
        if (self.microdata is None) == (self.cells is None):
            self.faults.append("there must be one <OPENMICRODATA> or <OPENTABLEDATA>")
        if self.faults or self.layout_path is None:
            return None
        layout = read_record_layout(self.layout_path)
        if not self.tables:
            self._specify_table(layout)
        self._check_variables(layout)
        if self.faults:
            return None
        taken = all_taken(self.rules)
        data = self._data(layout, self.layout_path, taken)
        known = {variable.name: variable for variable in layout.variables}
        names = dict.fromkeys(name for table in self.tables for name in table.variables)
        base = self.layout_path.parent
        return TableSpecification(
            data=data,
            dimensions={name: dimension_plan(known[name], base) for name in names},
            tables=tuple(self._tables()),
            title=" and ".join(dict.fromkeys(table.response or "frequencies" for table in self.tables)),
            sensitivity=taken.plan,
            protect=self._protect(),
            folder=self.folder,
            notes=tuple(dict.fromkeys((*layout.notes, *taken.notes, *self.notes))),
        )

    def _specify_table(self, layout: RecordLayout) -> None:
        """Take the table that the layout means, where no <SPECIFYTABLE> says which; otherwise say how to say it."""
        spanning = [variable.name for variable in layout.of_role("recodeable")]
        responses = [variable.name for variable in layout.variables if variable.roles == {"numeric"}]
        is_clear = len(responses) < 2 and len(spanning) <= _MOST_SPANNING
        of_cells = self.cells is not None and bool(responses or layout.of_role("frequency"))
        if spanning and (of_cells or (self.cells is None and is_clear)):
            response = responses[0] if responses else ""
            self.tables.append(TableAsked(tuple(spanning), response))
            said = f"'{response or 'frequencies'}' by {', '.join(spanning)}, as the record layout has them"
            self.notes.append(f"there is no <SPECIFYTABLE>; the table is {said}")
            return
        names = "".join(f'"{name}"' for name in spanning[:2])
        example = f'; write for example <SPECIFYTABLE> {names}|"{responses[0]}"||' if spanning and responses else ""
        self.faults.append(
            f"there is no <SPECIFYTABLE>; the layout has {listed(spanning) or 'nothing'} to span tables, "
            f"and {listed(responses) or 'nothing'} to sum{example}"
        )

    def _check_variables(self, layout: RecordLayout) -> None:
        known = {variable.name for variable in layout.variables}
        for table in self.tables:
            wanted = [*table.variables, *([table.response] if table.response.lower() not in _FREQUENCY else [])]
            self.faults += [f"the record layout has no variable '{name}'" for name in wanted if name not in known]
            if table.shadow not in {"", table.response}:
                self.notes.append(
                    f"the shadow variable '{table.shadow}' is not used: rules look at the response itself"
                )

    def _data(self, layout: RecordLayout, layout_path: Path, taken: Taken) -> DataPlan:
        if self.cells is not None:
            response = self.tables[0].response
            value = response if response.lower() not in _FREQUENCY else layout.name_of("frequency") or response
            return cells_plan(self.cells, layout_path, layout, value)
        assert self.microdata is not None
        data = microdata_plan(self.microdata, layout_path, layout)
        if data.weight is not None and not taken.weights:
            self.notes.append(f"the weight '{data.weight}' is not applied, since the batch does not say WGT(1)")
            data = replace(data, weight=None)
        if data.holding is not None and not taken.holdings:
            self.notes.append(f"the holding '{data.holding}' is not used, since no rule is of holdings")
            data = replace(data, holding=None)
        elif data.holding is not None and not taken.individuals:
            data = replace(data, holding=None, contributor=data.holding)
        if data.request is not None and not taken.plan.named("request"):
            data = replace(data, request=None, request_codes=())
        return data

    def _tables(self) -> list[TablePlan]:
        plans: dict[str, TablePlan] = {}
        for number, table in enumerate(self.tables, 1):
            responses = () if table.response.lower() in _FREQUENCY else (table.response,)
            name = f"{', '.join(responses) or 'frequencies'} by {', '.join(table.variables)}"
            name = f"{name} ({number})" if name in plans else name
            plans[name] = TablePlan(name, table.variables, responses)
        return list(plans.values())

    def _protect(self) -> ProtectPlan:
        costs = list(dict.fromkeys(table.cost for table in self.tables))
        cost = _COSTS.get(costs[0], costs[0])
        if len(costs) > 1:
            self.notes.append(f"the tables have different costs; '{cost}' is used for all")
        if cost == "-3":
            self.notes.append("the cost by distance is not known; the value is used")
            cost = "value"
        apriori = self.apriori[0] if self.apriori else None
        self.notes += [f"only the first a-priori file is used, not '{item.name}'" for item in self.apriori[1:]]
        plan = ProtectPlan(cost=cost, apriori=apriori)
        if not self.methods:
            return plan
        call = self.methods[0]
        if len({item.name for item in self.methods}) > 1:
            self.notes.append(f"the tables are protected in several ways; {call.name} is used for all")
        if call.name not in _METHODS:
            self.notes.append(f"the way to protect '{call.name}' is not known; suppression is used")
            return plan
        plan = replace(plan, method=_METHODS[call.name])
        if call.name in {"OPT", "MOD"} and call.number(1) > 0:
            plan = replace(plan, time=60 * call.number(1))
        if call.name in {"MOD", "GH", "NET", "UWE"}:
            self.notes.append(f"{call.name} is replaced by our own method '{plan.method}'")
        if call.name == "RND":
            plan = replace(plan, base=max(int(call.number(1, 5)), 1))
        return plan


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
        largest=tuple(variable.name for variable in layout.of_role("largest")),
    )


def found_file(folder: Path, name: str) -> Path:
    """Return a file that another tool names: where it says, or under its last name beside the others.

    Windows does not tell capitals from small letters, so neither counts, as long as one file only is meant.

    >>> found_file(Path("data"), "C:\\\\argus\\\\region.hrc").as_posix()
    'data/region.hrc'
    """
    given = Path(name)
    if given.is_absolute() and given.exists():
        return given
    parts = [part for part in name.replace("\\", "/").split("/") if part not in {"", "."}]
    for steps in (parts, parts[-1:]):
        if (path := _in_any_case(folder, steps)) is not None:
            return path
    return folder / (parts[-1] if parts else name)


def _in_any_case(folder: Path, steps: Sequence[str]) -> Path | None:
    """Return a path below a folder whose names may differ from the steps in capitals; None if there is none."""
    for step in steps:
        if (folder / step).exists():
            folder = folder / step
            continue
        try:
            near = sorted(path for path in folder.iterdir() if path.name.casefold() == step.casefold())
        except OSError:
            return None
        if len(near) > 1:
            raise InputError(
                f"{listed([path.name for path in near])} differ in capitals only, and '{step}' is meant",
                where=str(folder),
                do="keep the one that is meant",
            )
        if not near:
            return None
        folder = near[0]
    return folder if steps else None
