"""The vectors of `Tests/Vectors`: cases of the protocol that the tests in Swift, JavaScript and Python share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[2]


def vectors(name: str) -> dict[str, Any]:
    """Returns the content of a file; the name is without `.json`."""
    return json.loads((TESTS / "Vectors" / f"{name}.json").read_text())


def full_text(text: str | list[Any]) -> str:
    """Returns a text in full. In a list of parts, `repeat` stands for copies."""
    if isinstance(text, str):
        return text
    return "".join(part if isinstance(part, str) else part["repeat"] * part["times"] for part in text)


def bytes_of(digits: str | list[Any]) -> bytes:
    """Returns the bytes of hexadecimal digits. Spaces are ignored."""
    return bytes.fromhex(full_text(digits))
