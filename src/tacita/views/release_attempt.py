"""The forms of what was made of data together with its release, or why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tacita.views.terminal import lines
from tacita.views.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tacita.api.releasing import ReleaseAttempt
    from tacita.tables.protect.protected import Protected


class ReleaseAttemptView(View["ReleaseAttempt"]):
    """The forms of an attempt: those of its result, and where the release is."""

    def title(self, result: ReleaseAttempt) -> str:
        """Return what the page is about."""
        return type(result.result).__name__

    def as_dict(self, result: ReleaseAttempt) -> dict[str, Any]:
        """Return the result, and the places of the release."""
        release, kind = result.release, type(result.result).__name__
        if kind == "Masking":
            return result.result.to_dict(released=release)
        words = result.result.to_dict()
        if release is None:
            return words | {"release": None} if kind == "Protected" else words
        places: dict[str, Any] = {"folder": str(release.folder), "internal": str(release.internal)}
        if kind == "Protected":
            return words | {"release": places | {"files": list(cast("Any", release).files)}}
        data, notes = cast("Any", release).data, cast("Any", release).notes
        return words | {"release": places | {"data": str(data), "notes": list(notes)}}

    def as_text(self, result: ReleaseAttempt) -> RenderableType:
        """Return the result, where the release is or why there is none, and what may be done next."""
        from rich.console import Group

        kind = type(result.result).__name__
        if kind == "Masking":
            return result.result.to_terminal(released=result.release, is_refused=result.is_refused)
        said = _of_tables(result) if kind == "Protected" else _of_microdata(result)
        return Group(result.result.to_terminal(), *lines(["", *said]))


def _nothing(result: ReleaseAttempt) -> list[str]:
    return ["Nothing was written" + ("; add --out FOLDER to release it." if result.passed else ".")]


def _of_microdata(result: ReleaseAttempt) -> list[str]:
    release = cast("Any", result.release)
    if release is None:
        return _nothing(result)
    return [
        *(f"Note: {note}" for note in release.notes),
        f"Released to {release.folder}: {release.data.name}, its dictionary, a report and a manifest.",
        f"What stays in the house is in {release.internal}.",
        f"Ask why with 'tacita explain {release.folder} --row N', check with 'tacita verify {release.folder}'.",
    ]


def _of_tables(result: ReleaseAttempt) -> list[str]:
    release = cast("Any", result.release)
    if release is None:
        return _nothing(result)
    said = [
        f"Released to {release.folder}: {', '.join(release.files)}, a page and a manifest.",
        f"What stays in the house is in {release.internal}.",
    ]
    if any(table.withheld.any() for table in cast("Protected", result.result).tables):
        said.append(f"Ask why with 'tacita table explain {release.folder} --cell DIMENSION=CODE,...'.")
    return said
