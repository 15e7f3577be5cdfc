"""The model is light: whatever needs a heavy library imports it where it is used.

Tables and records are the exceptions: they are arrays, and nobody imports them who does not work on them.
"""

import subprocess
import sys

SCRIPT = """
import importlib, pathlib, sys
import tacita.model
home = pathlib.Path(tacita.model.__file__).parent
for file in sorted(home.rglob("*.py")):
    if file.parent not in {home / "table", home / "records"}:
        parts = file.relative_to(home.parent.parent).with_suffix("").parts
        importlib.import_module(".".join(part for part in parts if part != "__init__"))
print(*sorted({name.partition(".")[0] for name in sys.modules} & {"pyarrow", "numpy", "tomlkit", "duckdb", "pandas"}))
"""


def test_the_model_imports_no_heavy_library():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
