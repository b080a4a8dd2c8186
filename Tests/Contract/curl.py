"""curl as a peer: uploads from a file or from its standard input."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST_SECONDS = 100.0


@dataclass
class Answer:
    """What curl made of the last answer."""

    status: int
    body: bytes
    sent_bytes: int
    seconds: float

    def json(self) -> Any:
        return json.loads(self.body)


async def curl(*arguments: str, body: bytes | Path | None = None) -> Answer:
    """Runs curl with these arguments; `body` is its standard input, bytes or a file."""
    told = '\n{"status": %{http_code}, "sent_bytes": %{size_upload}, "seconds": %{time_total}}'
    standard_input = body.open("rb") if isinstance(body, Path) else asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        "curl", "--silent", "--show-error", "--noproxy", "*", "--write-out", told, *arguments,
        stdin=standard_input, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(MOST_SECONDS):
            given = body if isinstance(body, bytes) else None
            output, complaint = await process.communicate(given)
    finally:
        if not isinstance(standard_input, int):
            standard_input.close()
        if process.returncode is None:
            process.kill()
            await process.wait()
    answer, _, figures = output.rpartition(b"\n")
    told_ = json.loads(figures)
    assert told_["status"], f"curl {arguments} ended with {process.returncode}: {complaint!r}"
    return Answer(told_["status"], answer, told_["sent_bytes"], told_["seconds"])
