"""Protection by intervals: instead of withholding cells, publish for each of them an interval that protects."""
