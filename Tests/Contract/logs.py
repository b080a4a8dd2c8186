"""What a gateway says in its log."""

from __future__ import annotations

import json
from typing import Any

from gateway import Gateway
from polling import until


def events(gateway: Gateway, event: str) -> list[dict[str, Any]]:
    """The lines of the log about that event."""
    lines = gateway.log.splitlines(keepends=True)
    return [line for text in lines if text.endswith("\n") and (line := json.loads(text))["event"] == event]


async def logged(gateway: Gateway, event: str, **fields: Any) -> dict[str, Any]:
    """The first line about that event with those fields, which is written behind what it is about."""

    def found() -> list[dict[str, Any]]:
        return [line for line in events(gateway, event) if line.items() >= fields.items()]

    try:
        return (await until(found, event))[0]
    except AssertionError as late:
        raise AssertionError(f"no {event!r} with {fields} in:\n{gateway.log[-4000:]}") from late
