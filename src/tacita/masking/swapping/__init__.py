"""Swapping and shuffling: values stay what they are and change their records.

One method per file: `data_swapping` keeps chosen margins, `rank_swapping` keeps ranks within p %, `record_swapping`
moves households between areas, `shuffling` lets a model say who gets which value. `kernels` holds the compiled loop.
"""
