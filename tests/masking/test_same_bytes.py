"""A recipe gives the same bytes with other kernels of BLAS, numpy and the C library, and other numbers of threads."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.masking import every_method

from tacita import masking

MASKING = Path(masking.__file__).parent
OTHER_PROCESSOR = {
    "OPENBLAS_CORETYPE": "Prescott",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "NPY_DISABLE_CPU_FEATURES": "AVX512_ICL X86_V4 X86_V3",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F",
}
"""Kernels for a processor of 2004, no vectors beyond SSE, functions of the C library without fused multiplication."""
NOT_RELEASED = {
    "noise/laplace.py": "noise of differential privacy, which nobody may be able to repeat",
    "noise/differential_privacy.py": "the same",
    "noise/after_microaggregation.py": "the same",
    "synthetic/private/tree_model.py": "the same",
    "synthetic/private/marginals.py": "the same",
    "synthetic/private/domains.py": "the same",
    "synthetic/private/tables.py": "the same",
    "synthetic/combining.py": "estimates from several files, which are printed",
    "pram/correction.py": "estimates from a masked table, which are printed",
    "pram/application.py": "figures, which are printed",
    "pram/transitions.py": "figures, which are printed",
    "weights/calibration.py": "products of sparse matrices, which scipy adds up row by row",
    "weights/weight_noise.py": "the same",
    "recoding/discretisation.py": "how many digits a bound is written with",
}
OF_THE_PROCESSOR = {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "power", "sin", "cos", "tan", "tanh"} | {
    "linalg", "dot", "vdot", "inner", "matmul", "einsum", "tensordot", "cov", "corrcoef", "interp", "hypot", "cbrt"
}  # fmt: skip


@pytest.mark.slow
def test_another_processor_gives_the_same_bytes() -> None:
    here, there = (_digests(environment) for environment in ({}, OTHER_PROCESSOR))
    assert [method for method in here if here[method] != there[method]] == []


def _digests(environment: dict[str, str]) -> dict[str, str]:
    script = [sys.executable, "-W", "ignore", every_method.__file__]
    found = subprocess.run(script, env={**os.environ, **environment}, check=True, capture_output=True)
    digests: dict[str, str] = json.loads(found.stdout)
    return digests


@pytest.mark.slow
def test_released_values_are_computed_by_our_own_arithmetic() -> None:
    strange = {
        f"{path.relative_to(MASKING)}:{node.lineno}"
        for path in MASKING.rglob("*.py")
        if str(path.relative_to(MASKING)) not in NOT_RELEASED
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _depends_on_the_processor(node)
    }
    assert strange == set()


def _depends_on_the_processor(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.MatMult)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.value.id in {"np", "math"} and node.attr in OF_THE_PROCESSOR
    if isinstance(node, ast.ImportFrom):
        # Quantiles of chi-squared are rounded to twelve digits where they are taken.
        return node.module in {"scipy.special", "scipy.stats"} and [name.name for name in node.names] != ["chdtri"]
    return isinstance(node, ast.keyword) and node.arg == "fastmath"
