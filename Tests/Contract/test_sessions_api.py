"""Section 1: sessions over HTTP."""

from __future__ import annotations

import re
import socket
from datetime import datetime, timedelta

import pytest

from gateway import Gateway
from http1 import request_bytes
from room import Room, note

ACTIVITY = {
    "identifier": "chess",
    "title": "Schach \N{BLACK CHESS PAWN}",
    "type": "game",
    "payload": {"a": [1, None]},
}
DEFAULT = {"identifier": "drawtogether", "title": "Draw Together", "type": "generic"}
UNKNOWN = "AAAAAAAAAAAAAAAAAAAAAA"


async def test_post_creates_a_session_and_returns_its_location(gateway: Gateway) -> None:
    response = await gateway.post("/api/sessions", {"activity": ACTIVITY})
    session = response.json()
    assert response.status == 201
    assert response["content-type"].split(";")[0] == "application/json"
    assert response["location"] == f"/api/sessions/{session['id']}"
    assert re.fullmatch(r"[A-Za-z0-9_-]{22}", session["id"])
    assert session["link"] == f"/s/{session['id']}"
    assert session["activity"] == ACTIVITY
    assert session["participants"] == 0
    assert isinstance(session["sequence"], int)
    created = datetime.fromisoformat(session["createdAt"])
    assert created.utcoffset() == timedelta(0)
    assert (await gateway.session(session["id"])) == session


@pytest.mark.parametrize("body", [b"", b"{}", b'{"unknown": 1}', b'{"activity": null}'])
async def test_the_default_activity_is_draw_together(gateway: Gateway, body: bytes) -> None:
    response = await gateway.request("POST", "/api/sessions", {}, body)
    assert response.status == 201, response
    activity = response.json()["activity"]
    assert {name: activity[name] for name in DEFAULT} == DEFAULT
    assert activity.get("payload") is None


async def test_ids_never_repeat_and_use_the_whole_alphabet(gateway: Gateway) -> None:
    ids = [await gateway.create_session() for _ in range(50)]
    assert len(set(ids)) == 50
    assert len(set("".join(ids))) > 50


@pytest.mark.parametrize(
    "body",
    [
        b"{", b"[]", b'"x"', b"7", b'{"activity": 7}', b'{"activity": {"title": 7}}', b"\xff\xfe",
        b'{"activity": {"title": ""}}', b'{"activity": {"identifier": ""}}', b'{"follows": 7}',
        b'{"activity": {"title": "%s"}}' % (b"t" * 129), b'{"activity": {"identifier": "%s"}}' % (b"i" * 129),
        b'{"activity": {"payload": "%s"}}' % (b"p" * 17_000),
    ],
    ids=lambda body: body[:40].decode("latin-1"),
)  # fmt: skip
async def test_an_invalid_body_gets_400_and_the_connection_stays_open(
    gateway: Gateway, body: bytes
) -> None:
    async with await gateway.connect() as connection:
        for _ in range(2):
            await connection.send(request_bytes("POST", "/api/sessions", gateway.host, {}, body))
            (await connection.receive()).problem(400, "bad-request")
        await connection.send(request_bytes("POST", "/api/sessions", gateway.host, {}, b""))
        assert (await connection.receive()).status == 201


async def test_titles_are_limited_in_scalars_and_payloads_to_16_kib(gateway: Gateway) -> None:
    activity = ACTIVITY | {
        "title": "\N{ARTIST PALETTE}" * 128,
        "identifier": "i" * 128,
        "payload": "p" * 16_000,
    }
    response = await gateway.post("/api/sessions", {"activity": activity})
    assert response.status == 201
    assert response.json()["activity"] == activity


@pytest.mark.parametrize("session", [UNKNOWN, "short", "A" * 23, "A" * 21 + "%21", "A" * 500])
async def test_a_session_that_never_existed_is_404(gateway: Gateway, session: str) -> None:
    (await gateway.get(f"/api/sessions/{session}")).problem(404, "not-found")


async def test_the_session_object_counts_participants_and_entries(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, _ = await room.join("Ada"), await room.join("Ben")
        ada.send(note("1"))
        (entry,) = await ada.got(b"1")
        session = await gateway.session(room.id)
        assert session["participants"] == 2
        assert session["sequence"] >= entry.sequence


async def test_delete_ends_the_session_for_everyone(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        response = await gateway.request("DELETE", room.path, {"Participant-Token": ada.token or ""})
        assert response.status == 204 and response.body == b""
        for person in (ada, ben):
            code, reason = await person.closed()
            assert (code, reason["code"]) == (4010, "ended")
        (await gateway.get(room.path)).problem(410, "ended")


async def test_delete_without_a_token_of_that_session_is_403_and_changes_nothing(gateway: Gateway) -> None:
    async with Room(gateway) as room, Room(gateway) as other:
        ada, stranger = await room.join("Ada"), await other.join("Eve")
        tokens: list[dict[str, str]] = [
            {}, {"Participant-Token": ""}, {"Participant-Token": "x"},
            {"Participant-Token": stranger.token or ""}, {"Participant-Token": (ada.token or "")[:-1]},
        ]  # fmt: skip
        for fields in tokens:
            (await gateway.request("DELETE", room.path, fields)).problem(403, "token-needed")
        assert (await gateway.get(room.path)).status == 200


async def test_after_leave_the_token_cannot_end_the_session(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, _ = await room.join("Ada"), await room.join("Ben")
        await ada.say(leave={})
        await ada.closed()
        fields = {"Participant-Token": ada.token or ""}
        (await gateway.request("DELETE", room.path, fields)).problem(403, "token-needed")


async def test_delete_of_a_missing_session_is_404_and_of_an_ended_one_410(gateway: Gateway) -> None:
    fields = {"Participant-Token": "x"}
    (await gateway.request("DELETE", f"/api/sessions/{UNKNOWN}", fields)).problem(404, "not-found")
    async with Room(gateway) as room:
        fields = {"Participant-Token": (await room.join()).token or ""}
        assert (await gateway.request("DELETE", room.path, fields)).status == 204
        (await gateway.request("DELETE", room.path, fields)).problem(410, "ended")


async def test_follows_creates_one_successor_and_announces_it(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        body = {"activity": ACTIVITY, "follows": room.id}
        first = await gateway.post("/api/sessions", body, Participant_Token=ada.token or "")
        assert first.status == 201
        successor = first.json()["id"]
        assert successor != room.id and first.json()["activity"] == ACTIVITY
        again = await gateway.post("/api/sessions", body, Participant_Token=ben.token or "")
        assert again.status == 200 and again.json()["id"] == successor
        for person in (ada, ben):
            told = await person.system("newSession")
            assert told == {"session": successor, "by": ada.number}
            assert [e.type for e in person.received].count("newSession") == 1
        assert (await gateway.get(room.path)).status == 200


async def test_a_former_participant_gets_the_successor(gateway: Gateway) -> None:
    # A program that creates a successor takes the other participants along.
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.say(leave={})
        await ada.closed()
        answer = await gateway.post("/api/sessions", {"follows": room.id}, Participant_Token=ada.token or "")
        assert answer.status == 201
        assert await ben.system("newSession") == {"session": answer.json()["id"], "by": ada.number}


async def test_follows_needs_a_token_of_a_participant(gateway_with) -> None:
    gateway: Gateway = gateway_with(graceSeconds=1)
    async with Room(gateway) as room, Room(gateway) as other:
        ada, ben, stranger = await room.join("Ada"), await room.join("Ben"), await other.join("Eve")
        body = {"follows": room.id}
        (await gateway.post("/api/sessions", body)).problem(403, "token-needed")
        refused = await gateway.post("/api/sessions", body, Participant_Token=stranger.token or "")
        refused.problem(403, "token-needed")
        await ada.cut()
        await ben.system("participants", lambda change: change.get("left"))
        assert (await gateway.post("/api/sessions", body, Participant_Token=ada.token or "")).status == 201
        assert (await ben.system("newSession"))["by"] == ada.number


async def test_new_sessions_per_address_and_minute_are_limited(gateway_with) -> None:
    gateway: Gateway = gateway_with(sessionsPerAddressPerMinute=3)
    for _ in range(3):
        assert (await gateway.post("/api/sessions")).status == 201
    problem = (await gateway.post("/api/sessions")).problem(429, "too-many")
    assert problem["limit"] == 3


async def test_the_total_number_of_sessions_is_limited(gateway_with) -> None:
    gateway: Gateway = gateway_with(sessions=2)
    assert [(await gateway.post("/api/sessions")).status for _ in range(2)] == [201, 201]
    refused = await gateway.post("/api/sessions")
    assert refused.status in (429, 503)
    assert refused.problem(refused.status, "too-many")["limit"] == 2


def address_in_the_network() -> str | None:
    """Returns the address of this machine's outgoing connections; None without a network. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return asking.getsockname()[0]


async def test_only_a_page_on_this_machine_gets_links_for_the_network(gateway_with) -> None:
    gateway: Gateway = gateway_with("--http", "0.0.0.0:0")
    session, port = await gateway.create_session(), gateway.http[1]

    async def links(host: str, fields: dict[str, str] | None = None) -> list[str] | None:
        async with await gateway.connect() as connection:
            path = f"/api/sessions/{session}"
            await connection.send(request_bytes("GET", path, f"{host}:{port}", fields or {}))
            return (await connection.receive()).json().get("networkLinks")

    address = address_in_the_network()
    for host in ("localhost", "127.0.0.1"):
        found = await links(host)
        assert (f"http://{address}:{port}/s/{session}" in found) if address else found is None
    for host in (address or "192.0.2.1", "draw.example"):
        assert await links(host) is None
    for name, value in {"X-Forwarded-For": "127.0.0.1", "Origin": "http://draw.example"}.items():
        assert await links("localhost", {name: value}) is None


async def test_a_gateway_on_loopback_has_no_links_for_the_network(gateway: Gateway) -> None:
    assert "networkLinks" not in await gateway.session(await gateway.create_session())


async def test_complete_ids_and_tokens_are_never_logged(new_gateway) -> None:
    gateway: Gateway = new_gateway("--log-level", "debug")
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        ada.send(note("a secret"))
        await ada.committed()
        await gateway.get(room.path)
        await gateway.get(f"/s/{room.id}")
        await gateway.request("DELETE", room.path, {"Participant-Token": ada.token or ""})
        await ada.closed()
        assert gateway.terminate() == 0
        for secret in (room.id, ada.token, "a secret", "Ada"):
            assert secret and secret not in gateway.log
