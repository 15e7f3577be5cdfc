"""The observer of incremental releases: who puts together all released records, and names an unusual target.

`observation` is what is seen, `observers` the ways to name a target. Nothing here is shared with the gate.
"""
