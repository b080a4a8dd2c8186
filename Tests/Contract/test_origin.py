"""Section 1: allowed and refused requests by Origin and Host."""

from __future__ import annotations

import pytest

from gateway import Gateway
from http1 import request_bytes
from rawsocket import RawSocket
from room import Room

FOREIGN = [
    "http://evil.example", "https://127.0.0.1", "http://127.0.0.1:1", "null", "http://localhost:{port}",
    "http://127.0.0.1:{port}.evil.example", "http://127.0.0.1.evil.example:{port}", "", "127.0.0.1:{port}",
    "http://evil.example@127.0.0.1:{port}",
]  # fmt: skip
OWN = [
    ("{host}", "http://{host}"), ("{host}", "https://{host}"), ("example.org", "http://example.org"),
    ("example.org", "https://example.org"), ("example.org", "https://example.org:443"),
    ("example.org", "http://example.org:80"), ("example.org:80", "http://example.org"),
    ("EXAMPLE.org", "http://example.ORG"), ("[::1]:8080", "http://[::1]:8080"),
]  # fmt: skip


@pytest.mark.parametrize("origin", FOREIGN)
async def test_a_foreign_origin_is_refused_without_an_effect(gateway: Gateway, origin: str) -> None:
    origin = origin.format(port=gateway.http[1])
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        fields = {"Origin": origin, "Participant-Token": ada.token or ""}
        for method, path in [("POST", "/api/sessions"), ("DELETE", room.path)]:
            refused = await gateway.request(method, path, fields, b"" if method != "DELETE" else None)
            refused.problem(403, "origin-refused")
            assert not refused.all("access-control-allow-origin")
        async with await gateway.connect() as connection:
            refused = await RawSocket.ask(connection, gateway, room.id, Origin=origin)
            refused.problem(403, "origin-refused")
        assert (await gateway.session(room.id))["participants"] == 1


@pytest.mark.parametrize(("host", "origin"), OWN)
async def test_the_own_origin_has_the_host_and_port_of_host(gateway: Gateway, host: str, origin: str) -> None:
    fields = {"Host": host.format(host=gateway.host), "Origin": origin.format(host=gateway.host)}
    response = await gateway.request("POST", "/api/sessions", fields, b"")
    assert response.status == 201, response
    session = response.json()["id"]
    async with await RawSocket.open(gateway, session, **fields) as socket:
        await socket.join()


@pytest.mark.parametrize(
    ("host", "origin"),
    [("example.org:8080", "http://example.org"), ("example.org", "http://example.org:8080")],
)
async def test_another_port_is_another_origin(gateway: Gateway, host: str, origin: str) -> None:
    fields = {"Host": host, "Origin": origin}
    (await gateway.request("POST", "/api/sessions", fields, b"")).problem(403, "origin-refused")


async def test_with_a_public_url_links_are_absolute_and_any_other_host_gets_421(gateway_with) -> None:
    gateway: Gateway = gateway_with("--public-url", "https://draw.example")
    for host in ("draw.example", "draw.example:443", "DRAW.example"):
        response = await gateway.request("POST", "/api/sessions", {"Host": host}, b"")
        assert response.status == 201, (host, response)
        assert response.json()["link"] == f"https://draw.example/s/{response.json()['id']}"
    session = response.json()["id"]
    for host in (gateway.host, "draw.example:8443", "evil.example", "draw.example.evil.example"):
        (await gateway.request("POST", "/api/sessions", {"Host": host}, b"")).problem(421)
        (await gateway.request("GET", f"/api/sessions/{session}", {"Host": host})).problem(421)
    fields = {"Host": "draw.example", "Origin": "https://draw.example"}
    assert (await gateway.request("POST", "/api/sessions", fields, b"")).status == 201
    fields = {"Host": "draw.example", "Origin": f"http://{gateway.host}"}
    (await gateway.request("POST", "/api/sessions", fields, b"")).problem(403, "origin-refused")
    async with await RawSocket.open(
        gateway, session, Host="draw.example", Origin="https://draw.example"
    ) as socket:
        await socket.join()


async def test_allowed_origins_get_cors(gateway_with) -> None:
    gateway: Gateway = gateway_with("--allowed-origins", "https://a.example,https://b.example:8443")
    for origin in ("https://a.example", "https://b.example:8443"):
        response = await gateway.request("POST", "/api/sessions", {"Origin": origin}, b"")
        assert response.status == 201
        assert response["access-control-allow-origin"] == origin
        assert "origin" in (response.get("vary") or "").lower()
        missing = await gateway.request("GET", "/api/sessions/none", {"Origin": origin})
        assert missing["access-control-allow-origin"] == origin
        asked = {
            "Origin": origin, "Access-Control-Request-Method": "DELETE",
            "Access-Control-Request-Headers": "participant-token,content-type",
        }  # fmt: skip
        preflight = await gateway.request("OPTIONS", f"/api/sessions/{response.json()['id']}", asked)
        assert preflight.status in (200, 204)
        assert preflight["access-control-allow-origin"] == origin
        assert "DELETE" in preflight["access-control-allow-methods"]
        allowed = preflight["access-control-allow-headers"].lower()
        assert "participant-token" in allowed and "content-type" in allowed
        async with await RawSocket.open(gateway, response.json()["id"], Origin=origin) as socket:
            await socket.join()
    for origin in ("https://c.example", "http://a.example", "https://b.example"):
        refused = await gateway.request("POST", "/api/sessions", {"Origin": origin}, b"")
        refused.problem(403, "origin-refused")
        assert not refused.all("access-control-allow-origin")


async def test_requests_without_an_origin_are_accepted_over_keep_alive(gateway: Gateway) -> None:
    async with await gateway.connect() as connection:
        for _ in range(3):
            await connection.send(request_bytes("POST", "/api/sessions", gateway.host, {}, b""))
            assert (await connection.receive()).status == 201
