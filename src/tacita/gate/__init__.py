"""Exposure control: records that leave one at a time must not let an observer tell which target is unusual.

Each record belongs to a target (a location) and has a value (an age). Single records are harmless; the distribution of
the values of a target may not be. A gate decides on each record: release, hold or refuse.

`policy/` is what the steward says: dependencies, baseline, rules, who observes. `picture/` is what an observer sees,
`rules/` decide by it. `gate.py` decides on records; `planning/` says what would be safe.
"""
