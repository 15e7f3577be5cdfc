"""Increments: the records that a gate releases, in a folder that grows batch by batch and can be verified at any time.

`kind` begins a folder and verifies it, `folder` lets it grow and mends it after a kill, `check` is the verification.
"""
