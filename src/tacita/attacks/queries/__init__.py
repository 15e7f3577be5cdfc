"""Attackers of databases that answer questions, one per file: what each knows, concludes, and how often it is right.

They see what analysts see: ``ask(sql)`` gives an answer as JSON values. None shares code with what it attacks.
"""
