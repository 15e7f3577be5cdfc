"""Identity disclosure: can a record be told apart from the others, and so be found?"""
