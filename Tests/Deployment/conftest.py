"""Fixtures for the deployment tests. Gateways are started as in the contract tests."""

from __future__ import annotations

import pytest

pytest_plugins = ["gateway_fixtures"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselects long tests unless --full is given."""
    if config.getoption("--full"):
        return
    long = [item for item in items if item.get_closest_marker("long")]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]
