"""P5 and P6: twenty large concurrent uploads while a hundred participants draw.

With `--full` each upload has 100 MiB. The promises are asserted. The latency of entries is only printed, because it depends
on the other load of the machine:

    for run in $(seq 10); do Tests/Contract/run --full test_attachments_load.py; done
"""

from __future__ import annotations

import asyncio
import hashlib
import statistics
from pathlib import Path
from time import perf_counter

import pytest

from attachments import MEBIBYTE, Journal, content
from curl import curl, upload_at_once
from drawers import Arrival, Crowd
from gateway import Gateway
from polling import until
from room import Room
from slow import most, most_growth

pytestmark = pytest.mark.alone

UPLOADS = 20
PEOPLE = 100
POINTS_A_TICK = 2
SMALL, FULL = 24 * MEBIBYTE, 100 * MEBIBYTE
MOST_GROWTH = 64 * MEBIBYTE


@pytest.mark.seconds(400)
async def test_twenty_uploads_at_once_while_a_hundred_draw(
    new_gateway, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    size = FULL if request.config.getoption("--full") else SMALL
    gateway: Gateway = new_gateway(endedKeepSeconds=1, removalDelaySeconds=0)
    files = {tmp_path / f"{n}.bin": write_large(tmp_path / f"{n}.bin", size, n) for n in range(UPLOADS)}
    async with Room(gateway) as room:
        host = await room.join("Host")
        journal = Journal(gateway, room.id)
        crowd = await Crowd.join(gateway, room, PEOPLE)
        try:
            for _ in range(PEOPLE):
                await crowd.draw(POINTS_A_TICK)
            async with most_growth(gateway) as grown:
                began = perf_counter()
                uploads = asyncio.create_task(upload_all(journal, files))
                await crowd.draw_while(uploads, POINTS_A_TICK)
                await uploads
                took = perf_counter() - began
            arrivals = await crowd.everything_arrives()
            reads = [read_back(journal, file, digest) for file, digest in list(files.items())[:4]]
            await asyncio.gather(*reads)
        finally:
            crowd.leave()
            for file in files:
                file.unlink()
        await host.say(end={})
        await host.closed()
        await until(lambda: not journal.folder.exists(), "the session's files are gone")
        alone = [arrival for arrival in arrivals if arrival.drawn_at < began]
        meanwhile = [arrival for arrival in arrivals if began <= arrival.drawn_at < began + took]
        with capsys.disabled():
            print(
                f"\n{UPLOADS} uploads of {size // MEBIBYTE} MiB in {took:.1f} s, memory +{grown[0] / MEBIBYTE:.1f} MiB; "
                f"entries to {PEOPLE} people before: {told(alone)}; meanwhile: {told(meanwhile)}"
            )
        assert grown[0] < most(MOST_GROWTH)


def told(arrivals: list[Arrival]) -> str:
    """Returns the latencies of these entries as text."""
    latencies = [arrival.latency * 1_000 for arrival in arrivals]
    cuts = statistics.quantiles(latencies, n=1_000)
    parts = {"p50": cuts[499], "p99": cuts[989], "p99.9": cuts[998], "max": max(latencies)}
    return f"{len(latencies)} deliveries, " + ", ".join(f"{name} {ms:.1f} ms" for name, ms in parts.items())


def write_large(file: Path, size: int, seed: int) -> str:
    """Writes a content that is unique to the seed, and returns its SHA-256."""
    block = content(MEBIBYTE, seed)
    digest = hashlib.sha256()
    with file.open("wb") as opened:
        for n in range(size // MEBIBYTE):
            piece = n.to_bytes(8, "big") + block[8:]
            opened.write(piece)
            digest.update(piece)
    return digest.hexdigest()


async def upload_all(journal: Journal, files: dict[Path, str]) -> None:
    """Uploads all files at once. Each response must have the right hash."""
    answers = await upload_at_once(journal.url(), list(files))
    for answer, digest in zip(answers, files.values(), strict=True):
        assert answer.status == 201, answer
        assert answer.json()["sha256"] == digest
    listed = await journal.list()
    assert {(a["state"], a["sha256"]) for a in listed} == {("ready", digest) for digest in files.values()}


async def read_back(journal: Journal, file: Path, digest: str) -> None:
    """Downloads an attachment and compares the hash."""
    (attachment,) = [listed for listed in await journal.list() if listed["sha256"] == digest]
    back = file.with_suffix(".back")
    read = await curl("-o", str(back), journal.url(attachment["id"]))
    try:
        with back.open("rb") as opened:
            assert (read.status, hashlib.file_digest(opened, "sha256").hexdigest()) == (200, digest)
    finally:
        back.unlink()
