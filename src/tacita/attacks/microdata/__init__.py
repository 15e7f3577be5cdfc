"""Attackers of microdata, one per file: who links released records to people, or infers what they hide.

An attacker is given what an intruder could have and nothing of the protector's code; the truth serves to score it.
"""
