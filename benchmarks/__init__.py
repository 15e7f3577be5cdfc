"""Benchmarks: each prints a ratio against something bare, measured in the same run (`python -m benchmarks [NAME]`)."""
