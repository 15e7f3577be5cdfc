"""The model is light: whatever needs a heavy library imports it where it is used.

Tables are the exception: their cells are arrays, and nobody imports them who does not work on tables.
"""

import subprocess
import sys

SCRIPT = """
import importlib, pkgutil, sys
import tacita.model
for module in pkgutil.walk_packages(tacita.model.__path__, "tacita.model."):
    if not module.name.startswith("tacita.model.table"):
        importlib.import_module(module.name)
print(*sorted({name.partition(".")[0] for name in sys.modules} & {"pyarrow", "numpy", "tomlkit", "duckdb", "pandas"}))
"""


def test_the_model_imports_no_heavy_library():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
