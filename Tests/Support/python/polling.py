"""Waiting for something to become true, with a deadline."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

PATIENCE = 20.0


async def until(
    condition: Callable[[], Any | Awaitable[Any]], what: str, timeout: float = PATIENCE, every: float = 0.01
) -> Any:
    """Asks again and again until the answer is true, and returns that answer."""
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
