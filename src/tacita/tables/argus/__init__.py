"""Metadata of tau-Argus: record layouts, hierarchies, a-priori files, batches."""
