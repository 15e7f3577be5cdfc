"""Who receives what, and who may put together what they received.

Recipients collude if the settings file says so, directly, as members of one group, or through others. What is public is
known to all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tacita.errors import UsageError, did_you_mean, printable

EVERYBODY = "public"
"""What a person types for a release to everybody; in entries the recipient is empty then."""


@dataclass(frozen=True, slots=True)
class Recipient:
    """Somebody who receives data."""

    name: str
    about: str = ""
    colludes_with: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recipients:
    """All recipients of a ledger, and groups of them.

    >>> some = {name: Recipient(name, colludes_with=others) for name, others in
    ...         {"uni": ("institute",), "institute": (), "ministry": (), "press": ()}.items()}
    >>> recipients = Recipients(some, {"state": ("institute", "ministry")})
    >>> sorted(recipients.colluding("uni")), sorted(recipients.colluding("press"))
    (['institute', 'ministry', 'uni'], ['press'])
    """

    by_name: Mapping[str, Recipient] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def named(self, name: str | None) -> str:
        """Return a recipient as entries name it, empty for everybody; raise if nobody of that name is known."""
        if name is None or name == EVERYBODY:
            return ""
        if name in self.by_name:
            return name
        known = [*self.by_name, EVERYBODY]
        raise UsageError(
            f"no recipient '{printable(name)[:80]}' in the settings of the ledger{did_you_mean(name, known)}",
            do=f"use one of {', '.join(known)}, or add [recipients.NAME] to the settings file",
        )

    def colluding(self, name: str) -> frozenset[str]:
        """Return who may put together what they received with what `name` receives, `name` among them.

        Of everybody (an empty name) these are all recipients.
        """
        if not name:
            return frozenset(self.by_name)
        circle, waiting = {name}, [name]
        links = self._links()
        while waiting:
            new = links.get(waiting.pop(), set()) - circle
            circle |= new
            waiting += new
        return frozenset(circle)

    def sees(self, name: str, earlier: str) -> bool:
        """Return whether an earlier release counts when something is released to `name`; both as entries name them.

        A release to everybody reaches all who received something; what is public reaches everybody.
        """
        return not name or not earlier or earlier in self.colluding(name)

    def _links(self) -> dict[str, set[str]]:
        links: dict[str, set[str]] = {}
        for one in self.by_name.values():
            for other in one.colludes_with:
                links.setdefault(one.name, set()).add(other)
                links.setdefault(other, set()).add(one.name)
        for members in self.groups.values():
            for member in members:
                links.setdefault(member, set()).update(members)
        return links
