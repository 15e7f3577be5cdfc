"""Answers that are perturbed: samples, consistent perturbation, differential privacy with budgets in whole numbers."""
