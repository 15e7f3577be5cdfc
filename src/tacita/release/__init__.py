"""Releases: what is handed out, and apart from it what proves and explains it.

The frame exists once and serves every kind of release: `writing` takes the steps of a release, `placing` puts both
folders in their place at once, `manifest` says what is in them, `opening` and `verify` read them again, `options` are
what may be chosen. `kind` says what a kind has to bring. A kind is a folder in ``kinds/``; what kinds of records share
is in ``records/``.
"""
