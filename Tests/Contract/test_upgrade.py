"""Section 2: the upgrade from HTTP to a WebSocket."""

from __future__ import annotations

import pytest

from gateway import Gateway
from http1 import request_bytes
from rawsocket import PING, PONG, TEXT, RawSocket, frame, upgrade_fields
from room import Room, note

UNKNOWN = "AAAAAAAAAAAAAAAAAAAAAA"


@pytest.mark.parametrize(
    "changes",
    [{"Upgrade": None, "Connection": None}, {"Upgrade": None}, {"Upgrade": "h2c"},
     {"Sec_WebSocket_Version": "8"}, {"Sec_WebSocket_Version": None}],
    ids=str,
)  # fmt: skip
async def test_a_request_without_an_upgrade_to_version_13_gets_426(
    gateway: Gateway, changes: dict[str, str | None]
) -> None:
    async with Room(gateway) as room, await gateway.connect() as connection:
        response = await RawSocket.ask(connection, gateway, room.id, **changes)
        response.problem(426)
        assert response["upgrade"].lower() == "websocket"
        assert response["sec-websocket-version"] == "13"


@pytest.mark.parametrize("key", [None, "", "c2hvcnQ=", "not base64 at all!!!!!!!"])
async def test_a_missing_or_malformed_key_is_400(gateway: Gateway, key: str | None) -> None:
    async with Room(gateway) as room, await gateway.connect() as connection:
        (await RawSocket.ask(connection, gateway, room.id, Sec_WebSocket_Key=key)).problem(400)


async def test_only_get_upgrades(gateway: Gateway) -> None:
    async with Room(gateway) as room, await gateway.connect() as connection:
        target = f"{room.path}/socket"
        await connection.send(request_bytes("POST", target, gateway.host, upgrade_fields(), b""))
        response = await connection.receive()
        response.problem(405)
        assert "GET" in response["allow"]


@pytest.mark.parametrize(
    ("offered", "selected"),
    [
        ("drawtogether.v1", "drawtogether.v1"),
        (None, None),
        ("drawtogether.v9, drawtogether.v1", "drawtogether.v1"),
        ("chat,drawtogether.v1", "drawtogether.v1"),
    ],
)
async def test_the_subprotocol_defaults_to_version_1(
    gateway: Gateway, offered: str | None, selected: str | None
) -> None:
    async with (
        Room(gateway) as room,
        await RawSocket.open(gateway, room.id, Sec_WebSocket_Protocol=offered) as socket,
    ):
        assert socket.response.get("sec-websocket-protocol") == selected
        await socket.join()


@pytest.mark.parametrize("offered", ["drawtogether.v2", "drawtogether.v9, chat", "DRAWTOGETHER.V1"])
async def test_unsupported_versions_are_closed_with_4026(gateway: Gateway, offered: str) -> None:
    async with (
        Room(gateway) as room,
        await RawSocket.open(gateway, room.id, Sec_WebSocket_Protocol=offered) as socket,
    ):
        assert socket.response.get("sec-websocket-protocol") is None
        code, reason = await socket.close_of()
        assert (code, reason["code"]) == (4026, "unsupported-version")
        assert reason["versions"]


@pytest.mark.parametrize("session", [UNKNOWN, "short", "A" * 23, "A" * 21 + "!"])
async def test_an_unknown_session_is_closed_with_4004_after_the_upgrade(
    gateway: Gateway, session: str
) -> None:
    async with await RawSocket.open(gateway, session) as socket:
        code, reason = await socket.close_of()
        assert (code, reason["code"]) == (4004, "not-found")
        assert len(str(reason["detail"])) > 10


async def test_an_ended_session_is_closed_with_4010(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join()
        await ada.say(end={})
        await ada.closed()
        async with await RawSocket.open(gateway, room.id) as socket:
            code, reason = await socket.close_of()
            assert (code, reason["code"]) == (4010, "ended")


async def test_a_full_session_closes_with_4005_until_a_participant_leaves(gateway_with) -> None:
    gateway: Gateway = gateway_with(participantsPerSession=2)
    async with Room(gateway) as room:
        ada, _ = await room.join(), await room.join()
        async with await RawSocket.open(gateway, room.id) as socket:
            await socket.send(frame(TEXT, b'{"join": {}}'))
            code, reason = await socket.close_of()
            assert (code, reason["code"]) == (4005, "session-full")
        await ada.say(leave={})
        await ada.closed()
        await room.join()


async def test_a_full_session_lets_its_participants_resume(gateway_with) -> None:
    gateway: Gateway = gateway_with(participantsPerSession=2)
    async with Room(gateway) as room:
        ada, _ = await room.join(), await room.join()
        await ada.cut()
        await ada.join()
        assert ada.joined["resumed"] is True


@pytest.mark.parametrize("compression", ["deflate", None])
async def test_permessage_deflate_is_negotiated_when_offered(
    gateway: Gateway, compression: str | None
) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada", compression=compression)
        names = [extension.name for extension in ada.ws.protocol.extensions]
        assert names == (["permessage-deflate"] if compression else [])
        text = "compresses well " * 1_000
        ada.send(note(text))
        await ada.got(text.encode())


@pytest.mark.parametrize(
    "offer",
    [
        "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
        "permessage-deflate; client_max_window_bits",
        "permessage-deflate; client_max_window_bits=10; server_max_window_bits=10",
        "permessage-deflate; server_max_window_bits=7, x-unknown, permessage-deflate",
    ],
)
async def test_offers_of_every_form_lead_to_a_socket_that_works(gateway: Gateway, offer: str) -> None:
    async with (
        Room(gateway) as room,
        await RawSocket.open(gateway, room.id, Sec_WebSocket_Extensions=offer) as socket,
    ):
        agreed = socket.response.get("sec-websocket-extensions") or ""
        assert "x-unknown" not in agreed and "=7" not in agreed
        await socket.send(frame(PING, b"are you there"))
        assert (await socket.receive_until(PONG)).payload == b"are you there"


async def test_frames_in_the_same_segment_as_the_upgrade_are_not_lost(gateway: Gateway) -> None:
    async with Room(gateway) as room, await gateway.connect() as connection:
        head = request_bytes("GET", f"{room.path}/socket", gateway.host, upgrade_fields())
        await connection.send(head + frame(TEXT, b'{"join": {"name": "Ada"}}'))
        response = await connection.receive()
        assert response.status == 101
        joined = await RawSocket(connection, response).receive_until(TEXT)
        assert b'"joined"' in joined.payload


async def test_echo_is_served_only_if_enabled(gateway: Gateway, gateway_with) -> None:
    assert (await gateway.request("GET", "/echo", upgrade_fields())).status == 404
    echoing: Gateway = gateway_with("--echo")
    async with await echoing.connect() as connection:
        fields = upgrade_fields(Origin="http://evil.example", Sec_WebSocket_Protocol=None)
        await connection.send(request_bytes("GET", "/echo", echoing.host, fields))
        response = await connection.receive()
        assert response.status == 101
        socket = RawSocket(connection, response)
        await socket.send(frame(TEXT, b"hello"))
        assert (await socket.receive()).payload == b"hello"
