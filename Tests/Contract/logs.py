"""Access to the gateway's log."""

from __future__ import annotations

import json
from typing import Any

from gateway import Gateway
from polling import until


def events(gateway: Gateway, event: str) -> list[dict[str, Any]]:
    """Returns the lines of an event."""
    lines = gateway.log.splitlines(keepends=True)
    return [line for text in lines if text.endswith("\n") and (line := json.loads(text))["event"] == event]


async def logged(gateway: Gateway, event: str, **fields: Any) -> dict[str, Any]:
    """Waits for the first line of an event with these fields. A line is written after its event."""

    def found() -> list[dict[str, Any]]:
        return [line for line in events(gateway, event) if line.items() >= fields.items()]

    try:
        return (await until(found, event))[0]
    except AssertionError as late:
        raise AssertionError(f"no {event!r} with {fields} in:\n{gateway.log[-4000:]}") from late
