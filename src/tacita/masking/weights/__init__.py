"""Sampling weights: noise on them, because a rare weight tells the stratum, and calibration to known margins."""
