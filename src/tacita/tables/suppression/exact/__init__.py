"""The cheapest pattern: a master program, cuts that strengthen it, and safe patterns on the way."""
