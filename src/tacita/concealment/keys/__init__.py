"""Cells encrypted for each person, and given back exactly: keys, how cells become bytes, tokens.

A person has a key of their own (`key_store`, or derived from the master key: `person_keys`), under one master key
(`master_key`). `cell_encoding` turns a value with its type and its spelling into bytes of one length per attribute,
`sealing` makes `tokens` of them, and `opening` gives the values back. `why_tokens_are_safe.md` says what is promised
and what is not.
"""

from tacita.concealment.keys.cell_decoding import decode_cells
from tacita.concealment.keys.cell_encoding import encode_cells
from tacita.concealment.keys.ciphers import Ciphers
from tacita.concealment.keys.exported_key import ExportedKey, export_key, read_exported_key
from tacita.concealment.keys.key_store import KeyStore
from tacita.concealment.keys.master_key import MasterKey, make_master_key, read_master_key
from tacita.concealment.keys.opening import CellState, OpenedCells, open_tokens
from tacita.concealment.keys.person_keys import DerivedKeys, PersonKeys, make_data_set_id
from tacita.concealment.keys.sealing import CellsToSeal, seal
from tacita.concealment.keys.tokens import Tokens

__all__ = [
    "CellState",
    "CellsToSeal",
    "Ciphers",
    "DerivedKeys",
    "ExportedKey",
    "KeyStore",
    "MasterKey",
    "OpenedCells",
    "PersonKeys",
    "Tokens",
    "decode_cells",
    "encode_cells",
    "export_key",
    "make_data_set_id",
    "make_master_key",
    "open_tokens",
    "read_exported_key",
    "read_master_key",
    "seal",
]
