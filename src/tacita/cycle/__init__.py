"""The anonymization cycle: measure, change the least, measure again, until no record is above the threshold.

Algorithms 2 and 9 of the VADA-SA paper. What is asked for is a `Plan`; what comes out is an `Outcome`: the protected
microdata, a decision for each changed cell, and what the measure says before and after.
"""
