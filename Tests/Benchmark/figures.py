"""Medians and ranges over rounds, and their assessments, as in the table."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable


def values(numbers: Iterable[float | None]) -> list[float]:
    """Returns the numbers that are not None."""
    return [number for number in numbers if number is not None and math.isfinite(number)]


def median(numbers: Iterable[float | None]) -> float | None:
    found = values(numbers)
    return statistics.median(found) if found else None


def spread(numbers: Iterable[float | None], digits: int = 2) -> str:
    """Returns a median with its range, as in `3.12 (2.94–3.31)`; the median alone for one round."""
    found = values(numbers)
    if not found:
        return "–"
    middle = f"{statistics.median(found):.{digits}f}"
    return middle if len(found) == 1 else f"{middle} ({min(found):.{digits}f}–{max(found):.{digits}f})"


def ratios(above: list[float | None], below: list[float | None]) -> list[float | None]:
    """Returns the ratio in each round, so that other load on the machine affects both sides."""
    return [a / b if a is not None and b else None for a, b in zip(above, below, strict=True)]


def compact(number: float | None) -> str:
    """Returns a short form of a number: `1.89 M`, `242 k`."""
    if number is None:
        return "–"
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if number >= limit:
            return f"{number / limit:.{2 if limit == 1e6 else 0}f} {unit}"
    return f"{number:.0f}"


class Marks:
    """Compares figures with their limits, and counts the results."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0
        self.void = 0

    def judge(self, number: float | None, limit: float, words: str, is_void: bool = False) -> str:
        """Returns the assessment of a figure; void if the requested load was not reached."""
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
