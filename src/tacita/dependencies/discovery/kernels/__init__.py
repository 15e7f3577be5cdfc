"""Compiled loops of the search for dependencies. Importing one loads numba: do it where a search runs.

Sets of attributes are bit masks of 64 bits; records are numbered from 0. Each loop that may take long is given an
amount of work and returns how far it came, so that Python hears an interrupt at least every half a second. The modules
call nothing of each other, since the cache of numba looks at the file of a function only. They assign no array to a
part of another one: numba compiles the text of the error for two seconds.
"""
