"""Polling of conditions, with a deadline."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

PATIENCE = 20.0


async def until(
    condition: Callable[[], Any | Awaitable[Any]], what: str, timeout: float = PATIENCE, every: float = 0.01
) -> Any:
    """Calls a function repeatedly until its result is true, and returns that result."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout
    while True:
        answer = condition()
        if inspect.isawaitable(answer):
            answer = await answer
        if answer:
            return answer
        if loop.time() > deadline:
            raise AssertionError(f"not within {timeout} s: {what}")
        await asyncio.sleep(every)
