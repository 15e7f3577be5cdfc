"""Recoding: values become coarser ones, one way per file. Done in the engine, over the hierarchies of a dictionary."""
