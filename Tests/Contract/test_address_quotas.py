"""Limits on the sessions and bytes of one address, counted over restarts, and of all addresses together."""

from __future__ import annotations

from typing import Any

import pytest

from attachments import Journal, content
from gateway import Gateway
from lasting import LastingGateway
from polling import until
from room import Room, append
from test_disk_trouble import codes

ONE, OTHER = "192.0.2.1", "192.0.2.2"
PROXY = ("--trust-proxy", "1")


async def create(gateway: Gateway, address: str, activity: dict[str, Any] | None = None) -> Any:
    return await gateway.post("/api/sessions", activity, X_Forwarded_For=address)


@pytest.mark.parametrize("way", ["stop", "crash"])
async def test_sessions_per_address_are_limited_across_restarts(lasting_with, way: str) -> None:
    lasting: LastingGateway = lasting_with(*PROXY, sessionsPerAddress=2, sessionIdleSeconds=0)
    made = [(await create(lasting, ONE)).json()["id"] for _ in range(2)]
    for _ in range(2):
        refused = await create(lasting, ONE)
        problem = refused.problem(429, "too-many")
        assert (problem["limit"], problem["actual"]) == (2, 2), problem
        # Empty sessions are kept for ten minutes, and nothing is removed in the first day without a trusted clock.
        assert int(refused["retry-after"]) > 300
        assert (await create(lasting, OTHER)).status == 201
        assert (await create(lasting, "127.0.0.1")).status == 201
        # The existing sessions still work.
        assert (await lasting.get(f"/api/sessions/{made[0]}")).status == 200
        await lasting.again(way)
    log = (lasting.folder_of(made[0]) / "log").read_bytes()
    assert b'"creator":"' in log and ONE.encode() not in log
    assert len(list((lasting.data / "sessions").iterdir())) == 6


async def test_the_metrics_count_kept_sessions_at_once(lasting_with) -> None:
    lasting: LastingGateway = lasting_with()
    for count in range(1, 4):
        await lasting.create_session()
        assert await lasting.metric("drawtogether_kept_sessions") == count
    await lasting.again("crash")
    await lasting.create_session()
    assert await lasting.metric("drawtogether_kept_sessions") == 4


async def test_a_successor_counts_for_its_creators_address(gateway_with) -> None:
    gateway: Gateway = gateway_with(*PROXY, sessionsPerAddress=1)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        assert (await create(gateway, ONE)).status == 201
        follows = await gateway.post(
            "/api/sessions", {"follows": room.id}, Participant_Token=ada.token or "", X_Forwarded_For=ONE
        )
        follows.problem(429, "too-many")


async def test_bytes_per_address_are_limited(gateway_with) -> None:
    gateway: Gateway = gateway_with(*PROXY, dataBytesPerAddress=300_000)
    one, other = [(await create(gateway, address)).json()["id"] for address in (ONE, OTHER)]
    journal = Journal(gateway, one)
    kept = await journal.add(content(200_000))
    problem = (await journal.post(content(200_000, 2))).problem(507, "storage-full")
    assert problem["limit"] == 300_000 < problem["actual"], problem
    await Journal(gateway, other).add(content(200_000, 2))
    assert (await journal.remove(kept["id"])).status == 204
    await journal.add(content(200_000, 2))


async def test_over_data_bytes_sessions_cannot_grow_but_are_served(lasting_with) -> None:
    lasting: LastingGateway = lasting_with(dataBytes=100_000)
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "x" * 90_000), append(2, "y" * 20_000))
        await ada.committed()

        async def refuses() -> bool:
            return await lasting.metric("drawtogether_storage_refusing") == 1

        await until(refuses, "the metrics say so")
        problem = (await lasting.post("/api/sessions")).problem(507, "storage-full")
        assert problem["limit"] == 100_000 <= problem["actual"], problem
        (await Journal(lasting, room.id).post(content(10))).problem(507, "storage-full")
        assert (await lasting.get("/readyz")).status == 200
        ada.send(append(3, "z"))
        await ada.wait_for(lambda: any(e["code"] == "storage-full" for e in ada.errors), "it is refused")
        assert not codes(ada)
        assert len((await room.join("Ben")).retained.keys) == 2

        async def is_logged() -> bool:
            return "new data is refused" in lasting.log

        await until(is_logged, "the log says so")
