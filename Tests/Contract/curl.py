"""curl as a client that uploads files or its standard input."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST_SECONDS = 100.0


@dataclass
class Answer:
    """The last response that curl received."""

    status: int
    body: bytes
    sent_bytes: int

    def json(self) -> Any:
        return json.loads(self.body)


async def curl(*arguments: str, body: bytes | Path | None = None) -> Answer:
    """Runs curl with these arguments; `body` is its standard input, bytes or a file."""
    told = '\n{"status": %{http_code}, "sent_bytes": %{size_upload}}'
    output, complaint = await run("--write-out", told, *arguments, body=body)
    answer, _, figures = output.rpartition(b"\n")
    told_ = json.loads(figures)
    assert told_["status"], f"curl {arguments}: {complaint!r}"
    return Answer(told_["status"], answer, told_["sent_bytes"])


async def upload_at_once(url: str, files: list[Path]) -> list[Answer]:
    """Uploads all files at once from one process, every second one in chunks; the answers in the same order."""
    config = ["parallel", "parallel-immediate", f"parallel-max = {len(files)}"]
    for place, file in enumerate(files):
        config += ["next"] if place else []
        config += [
            f'url = "{url}"', 'request = "POST"', 'header = "Content-Type: image/png"',
            f'upload-file = "{file}"', f'output = "{file}.answer"',
            f'write-out = "{place} %{{http_code}} %{{size_upload}}\\n"',
        ]  # fmt: skip
        config += ['header = "Transfer-Encoding: chunked"'] if place % 2 else []
    output, complaint = await run("--config", "-", body="\n".join(config).encode())
    told = {int(place): figures for place, *figures in map(str.split, output.decode().splitlines())}
    assert len(told) == len(files), f"curl told of {told}: {complaint!r}"
    answers = []
    for place, file in enumerate(files):
        answer = file.with_name(file.name + ".answer")
        answers.append(Answer(int(told[place][0]), answer.read_bytes(), int(told[place][1])))
        answer.unlink()
    return answers


async def run(*arguments: str, body: bytes | Path | None = None) -> tuple[bytes, bytes]:
    """Runs curl and returns its standard output and standard error."""
    standard_input = body.open("rb") if isinstance(body, Path) else asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        "curl", "--silent", "--show-error", "--noproxy", "*", *arguments,
        stdin=standard_input, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(MOST_SECONDS):
            return await process.communicate(body if isinstance(body, bytes) else None)
    finally:
        if not isinstance(standard_input, int):
            standard_input.close()
        if process.returncode is None:
            process.kill()
            await process.wait()
