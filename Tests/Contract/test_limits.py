"""Sections 1 and 5: the limits that the gateway reports."""

from __future__ import annotations

import pytest

from gateway import Gateway, flag
from room import Room, note
from vectors import vectors

# On a machine with little memory, a gateway lowers these limits.
LOWERED = {"memoryBytes", "unsavedBytes", "unsavedSessionBytes"}
LIMITS = {name: value for name, value in vectors("limits")["defaults"].items() if name not in LOWERED}


async def test_api_limits_is_one_flat_object_with_every_limit_at_its_default(gateway_with) -> None:
    gateway: Gateway = gateway_with(sessionsPerAddressPerMinute=30)
    response = await gateway.get("/api/limits")
    assert response.status == 200
    assert response["content-type"].split(";")[0] == "application/json"
    limits = response.json()
    assert {name: limits.get(name) for name in LIMITS} == LIMITS
    assert all(isinstance(value, int) for value in limits.values())


async def test_every_limit_is_a_flag_and_joined_has_its_value(gateway_with) -> None:
    changed = {name: value + 1 for name, value in LIMITS.items()}
    gateway: Gateway = gateway_with(**changed)
    assert (await gateway.get("/api/limits")).json().items() >= changed.items()
    async with Room(gateway) as room:
        assert (await room.join()).joined["limits"].items() >= changed.items()


def test_the_flags_names_follow_from_the_limits() -> None:
    assert flag("messageBytes") == "--max-message-bytes"
    assert flag("joinSeconds") == "--join-seconds"
    assert flag("diskReserveBytes") == "--disk-reserve-bytes"


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
async def test_a_running_gateway_is_alive_and_ready(gateway: Gateway, path: str) -> None:
    assert (await gateway.get(path)).status == 200
    assert (await gateway.request("HEAD", path)).status == 200


async def test_metrics_count_sends_and_delivered_entries(gateway_with) -> None:
    # One reactor, because the figures of others are reported a moment later.
    gateway: Gateway = gateway_with("--reactors", "1", idleSeconds=59)
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.wait_for(lambda: ben.id in ada.retained.people, "Ben came")
        sends = await gateway.metric("drawtogether_send_calls_total")
        delivered = await gateway.metric("drawtogether_entries_delivered_total")
        ada.send(*[note(str(n)) for n in range(10)])
        await ben.got(*[str(n).encode() for n in range(10)])
        await ada.committed()
        assert await gateway.metric("drawtogether_entries_delivered_total") - delivered == 20
        assert 2 <= await gateway.metric("drawtogether_send_calls_total") - sends <= 30


async def test_metrics_are_prometheus_text(gateway: Gateway) -> None:
    response = await gateway.get("/metrics")
    assert response["content-type"].startswith("text/plain")
    for name in ("drawtogether_send_calls_total", "drawtogether_entries_delivered_total"):
        assert f"# TYPE {name} counter" in response.text


async def test_metrics_need_loopback_or_the_token(gateway_with) -> None:
    gateway: Gateway = gateway_with("--trust-proxy", "1", "--metrics-token", "open sesame".replace(" ", "-"))
    away = {"X-Forwarded-For": "203.0.113.9"}
    assert (await gateway.request("GET", "/metrics", away)).status == 404
    wrong = away | {"Authorization": "Bearer open-sesamf"}
    assert (await gateway.request("GET", "/metrics", wrong)).status == 404
    right = away | {"Authorization": "Bearer open-sesame"}
    assert (await gateway.request("GET", "/metrics", right)).status == 200
