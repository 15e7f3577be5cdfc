"""Hidden values that are written in texts that stay.

`released_texts`: what an intruder has. `code_parts`: parts of a code; `words`: words of a text; `text_numbers`: numbers
in a text; `encodings`: texts in another alphabet; `hashes`: values that are found by trying all of them.
"""
