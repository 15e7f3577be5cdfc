"""Attackers, one per file, and what they work with. None shares code with what it attacks.

`table_audit`, `rounded_table` and `adjusted_table` are the doors; `system` holds the tables that an attacker thinks
possible.
"""
