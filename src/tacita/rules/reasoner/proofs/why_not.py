"""x"""
from dataclasses import dataclass
from typing import Any
@dataclass
class WhyNot:
    x: Any
def explained(a,b): return WhyNot(1)
