"""The seeds of randomized tests."""

from __future__ import annotations

from collections.abc import Sequence

import pytest


def give_seeds(metafunc: pytest.Metafunc, seeds: Sequence[int], more: Sequence[int]) -> None:
    """Returns the seeds of every run, more with --full, or the one given by --seed."""
    if "seed" in metafunc.fixturenames:
        option = metafunc.config.getoption
        one = option("--seed")
        metafunc.parametrize("seed", [one] if one is not None else [*seeds, *(more if option("--full") else [])])
