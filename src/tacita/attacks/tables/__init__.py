"""Attackers of tables, one per file; `system/` holds the tables that an attacker thinks possible."""
