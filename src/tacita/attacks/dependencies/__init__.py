"""Attackers of files in which people hide cells: who derives, excludes or predicts what was hidden.

`concealed_file` is what is attacked and what the intruder knows. `chase` takes values from records that are alike,
dependency by dependency; `exclusion` adds what cannot be (exceptions that a minimal dependency needs, contradictions,
known totals); `prediction` trains a model, and `importance` ranks the attributes that help it. Derived values come with
a transcript (`derivations`); predictions come with their gain over the most frequent value.
"""
