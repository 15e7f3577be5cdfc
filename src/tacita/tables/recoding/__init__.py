"""Before anything is suppressed: granularity, and which categories to merge."""
