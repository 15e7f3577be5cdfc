"""One way to protect a table per file: a method of this room, and the attacker that judges what it made."""
