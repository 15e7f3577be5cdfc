"""Which cells tell too much, one rule per file, and how much protection each needs."""
