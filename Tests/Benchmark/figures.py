"""Medians and ranges over rounds, and marks, as they are written into the table."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable


def values(numbers: Iterable[float | None]) -> list[float]:
    """Those that there are."""
    return [number for number in numbers if number is not None and math.isfinite(number)]


def median(numbers: Iterable[float | None]) -> float | None:
    found = values(numbers)
    return statistics.median(found) if found else None


def spread(numbers: Iterable[float | None], digits: int = 2) -> str:
    """`3.12 (2.94–3.31)`; the median alone of one round."""
    found = values(numbers)
    if not found:
        return "–"
    middle = f"{statistics.median(found):.{digits}f}"
    return middle if len(found) == 1 else f"{middle} ({min(found):.{digits}f}–{max(found):.{digits}f})"


def ratios(above: list[float | None], below: list[float | None]) -> list[float | None]:
    """Round by round: what the machine does meanwhile meets both."""
    return [a / b if a is not None and b else None for a, b in zip(above, below, strict=True)]


def compact(number: float | None) -> str:
    """`1.89 M`, `242 k`."""
    if number is None:
        return "–"
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if number >= limit:
            return f"{number / limit:.{2 if limit == 1e6 else 0}f} {unit}"
    return f"{number:.0f}"


class Marks:
    """Judges figures by their limits, and remembers how that went."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0
        self.void = 0

    def judge(self, number: float | None, limit: float, words: str, is_void: bool = False) -> str:
        """Whether a figure is within its limit; void when the load was not what was asked for."""
        if is_void:
            self.void += 1
            return f"void (≤ {words})"
        if number is None:
            self.failed += 1
            return f"**fail** (≤ {words}: no figure)"
        if number <= limit:
            self.passed += 1
            return f"pass (≤ {words})"
        self.failed += 1
        return f"**fail** (≤ {words})"
