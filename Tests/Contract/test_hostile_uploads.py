"""Slow upload bodies do not occupy all upload slots."""

from __future__ import annotations

import asyncio

import pytest

from attachments import Journal, content, pieces
from gateway import Gateway, has_sanitizer
from http1 import HTTPConnection, Response
from polling import until

ADDRESSES = 4
EACH = 64
"""The maximum number of uploads of one address; four addresses use all 256 slots."""
NEWCOMERS = 20
STALL_SECONDS = 4 if has_sanitizer() else 3
RATE_SECONDS = 2 * STALL_SECONDS


async def drip(connection: HTTPConnection) -> Response:
    """Sends several bytes within each stall limit until the gateway answers."""
    answer = asyncio.create_task(connection.receive())
    while not answer.done():
        await connection.send(b"x")
        await asyncio.wait([answer], timeout=STALL_SECONDS / 8)
    return await answer


async def send_steadily(journal: Journal, data: bytes) -> Response:
    """Sends slowly, but above the minimum rate."""
    connection = await journal.begin(Content_Length=str(len(data)), X_Forwarded_For="192.0.2.100")
    answer = asyncio.create_task(connection.receive())
    for piece in pieces(data, 4_000):
        await connection.send(piece)
        # The body is not complete when the slow bodies are given up.
        await asyncio.wait([answer], timeout=RATE_SECONDS / 15)
        if answer.done():
            break
    return await answer


@pytest.mark.seconds(120)
async def test_slow_bodies_do_not_occupy_all_upload_slots(gateway_with) -> None:
    """New uploads get the slots of slow ones at once. A body above the minimum rate keeps its slot."""
    gateway: Gateway = gateway_with(
        "--trust-proxy", "1", bodyStallSeconds=STALL_SECONDS, bodyRateSeconds=RATE_SECONDS, headSeconds=60
    )
    steady = asyncio.create_task(send_steadily(await Journal.open(gateway), content(100_000)))
    dripping: list[asyncio.Task[Response]] = []
    for address in range(ADDRESSES):
        journal = await Journal.open(gateway)
        for _ in range(EACH):
            slow = await journal.begin(Content_Length="50000", X_Forwarded_For=f"192.0.2.{address + 1}")
            dripping.append(asyncio.create_task(drip(slow)))
    newcomer = await Journal.open(gateway)

    async def add(n: int) -> bool:
        response = await newcomer.post(content(5_000, n), X_Forwarded_For=f"198.51.100.{n}")
        assert response.status in (201, 503), response
        return response.status == 201

    # Even the most recent ones.
    await until(lambda: add(0), "a slow body is given up", 20, every=0.1)
    # Each upload keeps its slot while the next one starts.
    held = [
        await newcomer.begin(Content_Length="9", X_Forwarded_For=f"198.51.100.{n}")
        for n in range(1, NEWCOMERS)
    ]
    for connection in held:
        await connection.send(b"something")
        assert (await connection.receive()).status == 201
    answered = [task.result() for task in dripping if task.done() and not task.exception()]
    evicted = [answer for answer in answered if answer.status == 408]
    assert evicted and len(evicted) <= NEWCOMERS + 1
    for answer in evicted:
        problem = answer.problem(408, "too-many")
        assert problem["limit"] == 1_024 and problem["actual"] < 10, problem
    assert (await steady).status == 201
    for task in dripping:
        task.cancel()
    await asyncio.gather(*dripping, return_exceptions=True)
