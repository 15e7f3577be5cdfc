"""What an editor asks about a rule program: meanings, definitions, completions, the outline, names, a grammar.

`document` holds what is known of an open program; the other files answer one kind of question each, in plain values. No
data is ever read: all answers come from programs and dictionaries.
"""
