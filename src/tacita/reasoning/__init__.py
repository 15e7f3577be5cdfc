"""The front door to the rule language: programs with files around them.

`run` takes a program and its inputs wherever they are, hands them to the reasoner, and returns `ProgramResult`. Files
become facts in `inputs` (columns are matched with arguments in `columns`), facts become files in `outputs`. `diagnosis`
says what is wrong with a program, `plain_words` says what it means, `queries` asks the result. The command line, the
prompt and the language server stand on this room.
"""
