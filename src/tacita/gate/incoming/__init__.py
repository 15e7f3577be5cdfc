"""Where records come from: a stream of lines, files, a folder that is watched, a table that is polled.

Every way yields batches of records as text cells in the order that the gate wants; None stands for a record that cannot
be read.
"""
