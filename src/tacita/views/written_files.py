"""The forms of what was written: a file in another format, generated data with what belongs to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacita.errors import counted
from tacita.views.description import uniques_dict
from tacita.views.terminal import lines
from tacita.views.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tacita.api.converting import Conversion
    from tacita.api.generating import GeneratedFiles


class ConversionView(View["Conversion"]):
    """The forms of a conversion."""

    def as_dict(self, result: Conversion) -> dict[str, Any]:
        """Return the files, the number of tuples, and what the format could not hold."""
        return {"written": [str(path) for path in result.written], "rows": result.rows, "notes": list(result.notes)}

    def as_text(self, result: Conversion) -> RenderableType:
        """Return the same as sentences."""
        from rich.console import Group

        files = " and ".join(str(path) for path in result.written)
        notes = [f"note: {note}" for note in result.notes]
        return Group(*lines([f"{counted(result.rows, 'tuple')} written to {files}", *notes]))


class GeneratedFilesView(View["GeneratedFiles"]):
    """The forms of generated data."""

    def as_dict(self, result: GeneratedFiles) -> dict[str, Any]:
        """Return the files, how many tuples stand out, and the seed, which is no secret here."""
        return {
            "name": result.name,
            "file": str(result.file),
            "rows": result.rows,
            "uniques": uniques_dict(result.uniques),
            "companions": {
                what: {"file": str(companion.file), "rows": companion.rows}
                for what, companion in result.companions.items()
            },
            "notes": list(result.notes),
            "seed": result.seed,
        }

    def as_text(self, result: GeneratedFiles) -> RenderableType:
        """Return the same as sentences."""
        from rich.console import Group

        tuples = counted(result.rows, "tuple")
        said = [f"{tuples} of {result.name} (seed {result.seed}) written to {result.file}"]
        if result.uniques:
            under = ", ".join(f"{n:,} in groups under {k}" for k, n in result.uniques.under.items() if k != 2)
            on = ", ".join(result.uniques.quasi_identifiers)
            said.append(f"{counted(result.uniques.sample_uniques, 'sample unique')} on {on}; {under}")
        for what, companion in result.companions.items():
            said.append(f"{companion.rows:,} rows of the {what} written to {companion.file}")
        return Group(*lines([*said, *(f"note: {note}" for note in result.notes)]))
