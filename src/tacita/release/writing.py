"""The release folder: what is handed out, and apart from it what proves and explains it.

``release/`` holds the protected data, a report and a manifest. ``release.internal/`` holds the full manifest, the
internal report and what explains the release. The two are folders of their own, since whoever hands out a folder hands
out all that is in it. Whatever is released takes the same steps, in `write_release`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tacita.errors import OutputError, UsageError
from tacita.progress import Progress, silent
from tacita.release.kind import Released, ReleaseKind, Workplace
from tacita.release.kinds import KINDS
from tacita.release.manifest import LEDGER, MANIFEST, as_json, internal_manifest, public_manifest
from tacita.release.opening import OpenedRelease, internal_folder
from tacita.release.options import FolderOptions
from tacita.release.placing import check_places, place
from tacita.release.recording import recording
from tacita.settings import Settings


def write_release(
    content: Any,
    target: Path | str,
    options: FolderOptions | None = None,
    *,
    settings: Settings | None = None,
    progress: Progress = silent,
) -> Released:
    """Write the release folder and its internal folder; what must not be released is refused, and nothing is written.

    `content` is a safe outcome of the cycle, masked data or protected tables; `options` are those of its kind.
    """
    target = Path(target)
    kind, options = kind_and_options(content, options)
    kind.check(content, options, str(target))
    internal = check_folder(target, options, settings=settings)
    _check_source_stays(kind.source(content), target, internal)
    receipt = None
    with recording(target, internal, options, settings) as recorder:
        draft = kind.draft(content, options, str(target), progress)
        with place(target, internal, force=options.force, settings=settings) as places:
            outside, inside = Workplace(places.release, settings), Workplace(places.internal, settings)
            draft = draft.write(outside, progress)
            public = public_manifest(kind.name, draft.public_facts(), places.release)
            outside.text(MANIFEST, as_json(public))
            if recorder is not None:
                recorder.judge(kind.name, draft, inside, progress)
            draft.keep(inside)
            proof = internal_manifest(kind.name, draft.internal_facts(), places)
            draft = draft.check(OpenedRelease(places.release, places.internal, public, proof), progress)
            draft.report(inside)
            proof = internal_manifest(kind.name, draft.internal_facts(), places)
            if recorder is not None:
                receipt = recorder.append(proof)
            inside.text(MANIFEST, as_json(proof | {LEDGER: None if receipt is None else receipt.to_manifest()}))
    return replace(draft.released(target, internal), receipt=receipt)


def check_folder(target: Path, options: FolderOptions, *, settings: Settings | None = None) -> Path:
    """Raise if no release can be written there, before any work; return where its internal folder goes."""
    internal = options.internal or internal_folder(target)
    check_places(target, internal, force=options.force, settings=settings)
    with recording(target, internal, options, settings):
        return internal


def kind_and_options(content: Any, options: FolderOptions | None) -> tuple[ReleaseKind, FolderOptions]:
    """Return of which kind something is, and the options of that kind; raise if it cannot be released with them."""
    kind = _kind(content)
    return kind, _options(kind, options)


def _kind(content: Any) -> ReleaseKind:
    name = getattr(content, "released_as", "")
    if name not in KINDS:
        raise UsageError(
            f"{type(content).__name__} cannot be released", do="give an outcome, masked data or protected tables"
        )
    return KINDS.named(name)()


def _options(kind: ReleaseKind, options: FolderOptions | None) -> FolderOptions:
    if options is None:
        return kind.options()
    if not isinstance(options, kind.options):
        raise UsageError(
            f"{type(options).__name__} are options of another kind of release", do=f"give {kind.options.__name__}"
        )
    return options


def _check_source_stays(source: Path | None, target: Path, internal: Path) -> None:
    if source is not None and any(source.resolve().is_relative_to(folder.resolve()) for folder in (target, internal)):
        raise OutputError(
            "the source is in the folder that would be replaced", where=str(target), do="choose another folder"
        )
