"""Controlled tabular adjustment: change sensitive values just enough, everything else as little as possible."""
